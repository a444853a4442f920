package io.sluice.kafka.api.data;

import static io.sluice.kafka.api.data.FetchWorld.NAMED;
import static io.sluice.kafka.api.data.FetchWorld.at;
import static io.sluice.kafka.api.data.FetchWorld.errorOf;
import static io.sluice.kafka.api.data.FetchWorld.found;
import static io.sluice.kafka.api.data.FetchWorld.request;
import static io.sluice.kafka.api.data.FetchWorld.topic;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.kafka.api.ApiWorld;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchRequest.ForgottenTopic;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.partition.PartitionWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Consumers that say once what they want, and then only what has changed (KIP-227).
class FetchSessionsTest {
    @TempDir Path folder;
    private FetchWorld client;
    private ApiWorld api;
    private PartitionWorld world;

    @BeforeEach
    void begin() {
        client = new FetchWorld(folder);
        api = client.api;
        world = client.world;
    }

    @AfterEach
    void nobodyHoldsAFile() {
        client.closeWithNoFileHeld();
    }

    /// What one partition has must not keep the bytes from the others for ever (KIP-74).
    @Test
    void whoGotDataGoesToTheEndOfTheLine() {
        world.appendDurably(api.partition("orders", 0), "b");
        world.appendDurably(api.partition("orders", 1), "c");
        FetchRequest first =
                request(1000, 1)
                        .maxBytes(1)
                        .sessionEpoch(0)
                        .topics(List.of(topic("orders", at(0, 0), at(1, 0))))
                        .build();
        Reply<FetchResponse> begun = client.ask(first);
        int session = PartitionWorld.require(begun).sessionId();
        assertThat(found(begun)).containsExactly("orders-0[0]", "orders-1[]");
        assertThat(found(client.ask(next(session, 1).maxBytes(1).build())))
                .containsExactly("orders-1[0]");
    }

    private static FetchRequest.Builder next(int session, int epoch) {
        return request(1000, 1).sessionId(session).sessionEpoch(epoch);
    }

    private int beginSession(FetchPartition... from) {
        Reply<FetchResponse> begun =
                client.ask(
                        request(0, 1)
                                .sessionEpoch(0)
                                .topics(List.of(topic("orders", from)))
                                .build());
        found(begun);
        return PartitionWorld.require(begun).sessionId();
    }

    @Test
    void inASessionOnlyNewsIsTold() {
        int session = beginSession(at(0, 1), at(1, 0));
        assertThat(session).isPositive();
        Reply<FetchResponse> quiet = client.ask(next(session, 1).build());
        world.time.advance(Duration.ofSeconds(1));
        assertThat(found(quiet)).isEmpty();
        Reply<FetchResponse> news = client.ask(next(session, 2).build());
        world.appendDurably(api.partition("orders", 1), "b");
        assertThat(found(news)).containsExactly("orders-1[0]");
    }

    /// Kafka's consumers ask for the same again at once, until what they know of the cluster has changed.
    @Test
    void whoIsRefusedTheSameAgainIsToldALittleLater() {
        int session = beginSession(at(1, 0), at(7, 0));
        Reply<FetchResponse> again = client.ask(next(session, 1).build());
        assertThat(again.isDone()).isFalse();
        world.time.advance(PendingFetch.BEFORE_THE_SAME_AGAIN);
        assertThat(found(again)).containsExactly("orders-7!UNKNOWN_TOPIC_OR_PARTITION");
        Reply<FetchResponse> beside = client.ask(next(session, 2).build());
        world.appendDurably(api.partition("orders", 1), "b");
        assertThat(found(beside))
                .as("what comes meanwhile does not wait")
                .containsExactly("orders-1[0]", "orders-7!UNKNOWN_TOPIC_OR_PARTITION");
        FetchRequest other =
                next(session, 3).topics(List.of(topic("orders", at(1, 1), at(7, 5)))).build();
        assertThat(found(client.ask(other)))
                .as("another question is answered at once")
                .containsExactly("orders-7!UNKNOWN_TOPIC_OR_PARTITION");
    }

    @Test
    void aSessionsPartitionsCanChangeAndBeForgotten() {
        int session = beginSession(at(0, 1), at(1, 0));
        world.appendDurably(api.partition("orders", 0), "b");
        world.appendDurably(api.partition("orders", 1), "c");
        Reply<FetchResponse> moved =
                client.ask(
                        next(session, 1)
                                .topics(List.of(topic("orders", at(0, 0))))
                                .forgottenTopicsData(
                                        List.of(
                                                new ForgottenTopic(
                                                        "orders", FetchWorld.NO_ID, List.of(1))))
                                .build());
        assertThat(found(moved)).containsExactly("orders-0[0, 1]");
    }

    @Test
    void aLostOrRepeatedRequestOfASessionIsNoticed() {
        int session = beginSession(at(0, 1));
        assertThat(errorOf(client.ask(next(session, 2).build())))
                .isEqualTo(ErrorCode.INVALID_FETCH_SESSION_EPOCH);
        assertThat(errorOf(client.ask(next(session + 1, 1).build())))
                .isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
        client.ask(next(session, -1).build());
        assertThat(errorOf(client.ask(next(session, 1).build())))
                .isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    }

    /// A consumer whose brokers were all away names topics until it has metadata, and then goes on by ids. Its partitions were fetched under both, so that every fetch was answered at once, and one of them did not get on.
    @Test
    void aSessionThatWasBegunByNamesIsNotContinuedByIds() {
        int session = beginSession(at(0, 1));
        FetchRequest byId =
                next(session, 1)
                        .topics(
                                List.of(
                                        new FetchTopic(
                                                "",
                                                api.partition("orders", 0).topicId(),
                                                List.of(at(0, 1)))))
                        .build();
        Reply<FetchResponse> refused =
                api.ask(client.handler, byId, FetchSource.BY_TOPIC_ID, FetchResponse.class);
        assertThat(errorOf(refused)).isEqualTo(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR);
        assertThat(errorOf(client.ask(next(session, 1).build())))
                .as("it has ended")
                .isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void aConnectionHasOnlySoManySessions() {
        int oldest = beginSession(at(0, 1));
        int second = beginSession(at(0, 1));
        for (int i = 2; i <= FetchSessions.SESSIONS_MAX; i++) {
            beginSession(at(0, 1));
        }
        assertThat(errorOf(client.ask(next(oldest, 1).build())))
                .isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
        Reply<FetchResponse> still = client.ask(next(second, 1).maxWaitMs(0).build());
        assertThat(errorOf(still)).isEqualTo(ErrorCode.NONE);
    }

    /// As with Apache Kafka when its cache is full: the client goes on without a session.
    @Test
    void sessionsRememberOnlySoManyPartitionsTogether() {
        SessionRoom room = new SessionRoom(3);
        FetchHandler narrow = new FetchHandler(world.directory, api.controller::view, 3, room);
        FetchRequest two =
                request(0, 1)
                        .sessionEpoch(0)
                        .topics(List.of(topic("orders", at(0, 1), at(1, 0))))
                        .build();
        FetchResponse first = api.answer(narrow, two, NAMED, FetchResponse.class);
        assertThat(first.sessionId()).isPositive();
        FetchResponse second = api.answer(narrow, two, NAMED, FetchResponse.class);
        assertThat(second.sessionId()).isZero();
        assertThat(second.responses().getFirst().partitions()).hasSize(2);

        FetchRequest more =
                request(0, 1)
                        .sessionId(first.sessionId())
                        .sessionEpoch(1)
                        .topics(List.of(topic("nowhere", at(0, 0), at(1, 0))))
                        .build();
        FetchResponse refused = api.answer(narrow, more, NAMED, FetchResponse.class);
        assertThat(refused.errorCode()).isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND.id());
        assertThat(room.taken()).isZero();

        assertThat(api.answer(narrow, two, NAMED, FetchResponse.class).sessionId()).isPositive();
        assertThat(room.taken()).isEqualTo(2);
        api.peer.gone();
        assertThat(room.taken()).isZero();
    }

    /// A few bytes ask for all of a session's partitions; a hundred such requests at once would hold a hundred times what the session remembers.
    @Test
    void aSessionHasOneFetchAtATime() {
        SessionRoom room = new SessionRoom(3);
        FetchHandler narrow = new FetchHandler(world.directory, api.controller::view, 3, room);
        FetchRequest begin =
                request(0, 1)
                        .sessionEpoch(0)
                        .topics(List.of(topic("orders", at(0, 1), at(1, 0))))
                        .build();
        int session = api.answer(narrow, begin, NAMED, FetchResponse.class).sessionId();
        Reply<FetchResponse> waiting =
                api.ask(narrow, next(session, 1).build(), NAMED, FetchResponse.class);
        Reply<FetchResponse> second =
                api.ask(narrow, next(session, 2).build(), NAMED, FetchResponse.class);
        assertThat(waiting.isDone()).isFalse();
        assertThat(errorOf(second)).isEqualTo(ErrorCode.INVALID_FETCH_SESSION_EPOCH);

        // Closed meanwhile, it keeps its room until its fetch is done.
        FetchRequest end = request(0, 1).sessionId(session).sessionEpoch(-1).build();
        api.ask(narrow, end, NAMED, FetchResponse.class);
        assertThat(room.taken()).isEqualTo(2);
        world.time.advance(Duration.ofSeconds(1));
        assertThat(waiting.isDone()).isTrue();
        assertThat(room.taken()).isZero();
    }
}
