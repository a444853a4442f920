package io.sluice.kafka.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.FileSlice;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.kafka.api.ApiWorld;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchRequest.ForgottenTopic;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.FetchableTopicResponse;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import io.sluice.partition.Acks;
import io.sluice.partition.Assignment;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import io.sluice.record.Records;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Consumers pull from an offset, in batches, with long polling (Q4, Q14, Q16), and in sessions (KIP-227).
class FetchTest {
    private static final int NAMED = 12;
    private static final int BY_ID = 18;
    private static final UUID NO_ID = new UUID(0, 0);

    @TempDir Path folder;
    private ApiWorld api;
    private PartitionWorld world;
    private FetchHandler fetch;
    private int filesBefore;
    private int timersBefore;

    @BeforeEach
    void begin() {
        api = new ApiWorld(folder);
        world = api.world;
        fetch = new FetchHandler(world.directory, api.controller::view, 3);
        api.create("orders", 2);
        world.appendDurably(api.partition("orders", 0), "a");
        world.open(api.partition("orders", 1));
        filesBefore = world.disk.openFiles();
        letOtherTimersPass();
        timersBefore = world.time.timers();
    }

    /// Whoever reads holds the file; whoever has sent or dropped the records must let go of it.
    @AfterEach
    void nobodyHoldsAFile() {
        Reply<Boolean> closed = new Reply<>();
        world.owner.post(() -> world.shard.close().whenDone(_ -> closed.complete(true)));
        world.settle();
        assertThat(world.disk.openFiles()).isLessThan(filesBefore);
    }

    private FetchRequest.Builder request(int maxWaitMs, int minBytes) {
        return FetchRequest.builder()
                .maxWaitMs(maxWaitMs)
                .minBytes(minBytes)
                .maxBytes(1 << 20)
                .sessionEpoch(-1);
    }

    private static FetchTopic topic(String name, FetchPartition... partitions) {
        return new FetchTopic(name, NO_ID, List.of(partitions));
    }

    private static FetchPartition at(int partition, long offset) {
        return at(partition, offset, 1 << 20);
    }

    private static FetchPartition at(int partition, long offset, int maxBytes) {
        return FetchPartition.builder()
                .partition(partition)
                .fetchOffset(offset)
                .currentLeaderEpoch(-1)
                .partitionMaxBytes(maxBytes)
                .build();
    }

    private Reply<FetchResponse> ask(FetchRequest request) {
        return api.ask(fetch, request, NAMED, FetchResponse.class);
    }

    private Reply<FetchResponse> fetch(int maxWaitMs, int minBytes, FetchPartition... from) {
        return ask(request(maxWaitMs, minBytes).topics(List.of(topic("orders", from))).build());
    }

    /// What was found, as `topic-partition[values]` or `topic-partition!ERROR`, and its files given back.
    private static List<String> found(Reply<FetchResponse> reply) {
        List<String> found = new ArrayList<>();
        for (FetchableTopicResponse topic : PartitionWorld.require(reply).responses()) {
            for (PartitionData partition : topic.partitions()) {
                String name = topic.topic() + "-" + partition.partitionIndex();
                ErrorCode error = Objects.requireNonNull(ErrorCode.find(partition.errorCode()));
                found.add(
                        error == ErrorCode.NONE ? name + batchesOf(partition) : name + "!" + error);
            }
        }
        return found;
    }

    private static List<Long> batchesOf(PartitionData partition) {
        List<Long> offsets = new ArrayList<>();
        Records records = partition.records();
        if (records instanceof FileSlice slice) {
            PartitionWorld.batches(slice).forEach(batch -> offsets.add(batch.baseOffset()));
            slice.release();
        }
        return offsets;
    }

    @Test
    void whatIsThereIsAnsweredAtOnce() {
        assertThat(found(fetch(10_000, 1, at(0, 0)))).containsExactly("orders-0[0]");
    }

    @Test
    void aFetchWaitsForTheNextMessage() {
        Reply<FetchResponse> reply = fetch(60_000, 1, at(0, 1), at(1, 0));
        assertThat(reply.isDone()).isFalse();
        world.appendDurably(api.partition("orders", 1), "b");
        assertThat(found(reply)).containsExactly("orders-0[]", "orders-1[0]");
        assertThat(timersLeft()).as("of the fetch").isZero();
    }

    @Test
    void aFetchIsNotWokenByWhatMayNotBeReadYet() {
        Reply<FetchResponse> reply = fetch(10_000, 1, at(0, 1));
        world.append(api.partition("orders", 0), Acks.ALL, "b");
        world.turn();
        assertThat(reply.isDone()).isFalse();
        world.flushOne();
        assertThat(found(reply)).containsExactly("orders-0[1]");
    }

    @Test
    void aFetchEndsWhenItsTimeIsUp() {
        Reply<FetchResponse> reply = fetch(500, 1, at(0, 1));
        world.time.advance(Duration.ofMillis(499));
        assertThat(reply.isDone()).isFalse();
        world.time.advance(Duration.ofMillis(1));
        assertThat(found(reply)).containsExactly("orders-0[]");
    }

    @Test
    void aFetchThatMayNotWaitDoesNot() {
        assertThat(found(fetch(0, 1, at(0, 1)))).containsExactly("orders-0[]");
        assertThat(found(fetch(10_000, 0, at(0, 1)))).containsExactly("orders-0[]");
    }

    @Test
    void tooLittleIsNotAnsweredBeforeThereIsEnoughOrTimeIsUp() {
        Reply<FetchResponse> patient = fetch(1000, 400, at(0, 0));
        assertThat(patient.isDone()).isFalse();
        world.appendDurably(api.partition("orders", 0), "b");
        assertThat(patient.isDone()).isFalse();
        world.appendDurably(api.partition("orders", 0), "x".repeat(300));
        assertThat(found(patient)).containsExactly("orders-0[0, 1, 2]");

        Reply<FetchResponse> tooPatient = fetch(1000, 4000, at(0, 0));
        world.time.advance(Duration.ofSeconds(1));
        assertThat(found(tooPatient)).containsExactly("orders-0[0, 1, 2]");
    }

    /// Or a batch larger than the consumer's limit would block it for ever (KIP-74).
    @Test
    void theFirstBatchIsAlwaysReturned() {
        world.appendDurably(api.partition("orders", 0), "b");
        world.appendDurably(api.partition("orders", 1), "c");
        for (int limit : new int[] {1, 0, -1}) {
            Reply<FetchResponse> small =
                    ask(
                            request(1000, 1)
                                    .maxBytes(limit)
                                    .topics(List.of(topic("orders", at(0, 0), at(1, 0))))
                                    .build());
            assertThat(found(small)).containsExactly("orders-0[0]", "orders-1[]");
        }
        assertThat(found(fetch(1000, 1, at(0, 0, 1), at(1, 0, 1))))
                .as("a partition's own limit")
                .containsExactly("orders-0[0]", "orders-1[]");
    }

    @Test
    void anErrorEndsTheWaiting() {
        assertThat(found(fetch(10_000, 1, at(0, 9))))
                .containsExactly("orders-0!OFFSET_OUT_OF_RANGE");
        assertThat(found(fetch(10_000, 1, at(0, 1), at(7, 0))))
                .containsExactly("orders-0[]", "orders-7!UNKNOWN_TOPIC_OR_PARTITION");
        FetchPartition fenced =
                FetchPartition.builder().partition(0).currentLeaderEpoch(4).fetchOffset(1).build();
        assertThat(found(fetch(10_000, 1, fenced)))
                .containsExactly("orders-0!UNKNOWN_LEADER_EPOCH");
    }

    @Test
    void aDeletedTopicEndsTheWaiting() {
        Reply<FetchResponse> reply = fetch(10_000, 1, at(0, 1));
        api.partition("orders", 0).retire(world.home);
        world.turn();
        assertThat(found(reply)).containsExactly("orders-0!NOT_LEADER_OR_FOLLOWER");
    }

    @Test
    void topicsAreNamedByTheirIdsInNewVersions() {
        UUID id = api.create("named", 1).id();
        world.appendDurably(api.partition("named", 0), "a");
        FetchTopic known = new FetchTopic("", id, List.of(at(0, 0)));
        FetchTopic unknown = new FetchTopic("", new UUID(1, 2), List.of(at(0, 0)));
        FetchRequest request = request(10_000, 1).topics(List.of(known, unknown)).build();
        Reply<FetchResponse> reply = api.ask(fetch, request, BY_ID, FetchResponse.class);
        assertThat(found(reply)).containsExactly("-0[0]", "-0!UNKNOWN_TOPIC_ID");
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
        Reply<FetchResponse> begun = ask(first);
        int session = PartitionWorld.require(begun).sessionId();
        assertThat(found(begun)).containsExactly("orders-0[0]", "orders-1[]");
        assertThat(found(ask(next(session, 1).maxBytes(1).build()))).containsExactly("orders-1[0]");
    }

    private FetchRequest.Builder next(int session, int epoch) {
        return request(1000, 1).sessionId(session).sessionEpoch(epoch);
    }

    private int beginSession(FetchPartition... from) {
        Reply<FetchResponse> begun =
                ask(request(0, 1).sessionEpoch(0).topics(List.of(topic("orders", from))).build());
        found(begun);
        return PartitionWorld.require(begun).sessionId();
    }

    @Test
    void inASessionOnlyNewsIsTold() {
        int session = beginSession(at(0, 1), at(1, 0));
        assertThat(session).isPositive();
        Reply<FetchResponse> quiet = ask(next(session, 1).build());
        world.time.advance(Duration.ofSeconds(1));
        assertThat(found(quiet)).isEmpty();
        Reply<FetchResponse> news = ask(next(session, 2).build());
        world.appendDurably(api.partition("orders", 1), "b");
        assertThat(found(news)).containsExactly("orders-1[0]");
    }

    @Test
    void aSessionsPartitionsCanChangeAndBeForgotten() {
        int session = beginSession(at(0, 1), at(1, 0));
        world.appendDurably(api.partition("orders", 0), "b");
        world.appendDurably(api.partition("orders", 1), "c");
        Reply<FetchResponse> moved =
                ask(
                        next(session, 1)
                                .topics(List.of(topic("orders", at(0, 0))))
                                .forgottenTopicsData(
                                        List.of(new ForgottenTopic("orders", NO_ID, List.of(1))))
                                .build());
        assertThat(found(moved)).containsExactly("orders-0[0, 1]");
    }

    @Test
    void aLostOrRepeatedRequestOfASessionIsNoticed() {
        int session = beginSession(at(0, 1));
        assertThat(errorOf(ask(next(session, 2).build())))
                .isEqualTo(ErrorCode.INVALID_FETCH_SESSION_EPOCH);
        assertThat(errorOf(ask(next(session + 1, 1).build())))
                .isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
        ask(next(session, -1).build());
        assertThat(errorOf(ask(next(session, 1).build())))
                .isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void aConnectionHasOnlySoManySessions() {
        int oldest = beginSession(at(0, 1));
        int second = beginSession(at(0, 1));
        for (int i = 2; i <= FetchSessions.SESSIONS_MAX; i++) {
            beginSession(at(0, 1));
        }
        assertThat(errorOf(ask(next(oldest, 1).build())))
                .isEqualTo(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
        Reply<FetchResponse> still = ask(next(second, 1).maxWaitMs(0).build());
        assertThat(errorOf(still)).isEqualTo(ErrorCode.NONE);
    }

    @Test
    void nobodyWaitsForMoreThanAnAnswerMayHold() {
        Reply<FetchResponse> reply =
                ask(
                        request(1000, 1 << 20)
                                .maxBytes(10)
                                .topics(List.of(topic("orders", at(0, 0))))
                                .build());

        assertThat(found(reply)).containsExactly("orders-0[0]");
    }

    private static ErrorCode errorOf(Reply<FetchResponse> reply) {
        return Objects.requireNonNull(ErrorCode.find(PartitionWorld.require(reply).errorCode()));
    }

    /// Q7: throughput.
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

    @Test
    void whereThroughputIsFavouredLittleBecomesMore() {
        api.create("bulk", 1, "profile", "throughput");
        world.append(api.partition("bulk", 0), Acks.LEADER, "a");
        world.settle();
        FetchRequest request = request(1000, 1).topics(List.of(topic("bulk", at(0, 0)))).build();
        Reply<FetchResponse> reply = ask(request);
        assertThat(reply.isDone()).isFalse();
        world.append(api.partition("bulk", 0), Acks.LEADER, "b");
        world.time.advance(Duration.ofMillis(9));
        assertThat(reply.isDone()).isFalse();
        world.time.advance(Duration.ofMillis(1));
        assertThat(found(reply)).containsExactly("bulk-0[0, 1]");
    }

    @Test
    void oneTopicThatDoesNotFavourThroughputIsEnoughNotToWait() {
        api.create("bulk", 1, "profile", "throughput");
        world.append(api.partition("bulk", 0), Acks.LEADER, "a");
        world.settle();
        FetchRequest request =
                request(1000, 1)
                        .topics(List.of(topic("bulk", at(0, 0)), topic("orders", at(0, 1))))
                        .build();
        assertThat(found(ask(request))).containsExactly("bulk-0[0]", "orders-0[]");
    }

    @Test
    void muchIsNotHeldBackForMore() {
        api.create("bulk", 1, "profile", "throughput");
        world.append(api.partition("bulk", 0), Acks.LEADER, "x".repeat(100_000));
        world.settle();
        FetchRequest request = request(1000, 1).topics(List.of(topic("bulk", at(0, 0)))).build();
        assertThat(found(ask(request))).containsExactly("bulk-0[0]");
    }

    @Test
    void aClientThatGoesAwayEndsItsFetch() {
        Reply<FetchResponse> reply = fetch(60_000, 1, at(0, 1));
        world.home.post(api.peer::gone);
        world.turn();
        assertThat(reply.isDone()).isTrue();
        assertThat(timersLeft()).isZero();
    }

    /// The first read of a cold partition takes a worker; a client can be gone before it is back.
    @Test
    void aClientThatGoesAwayDuringTheFirstReadEndsItsFetchToo() {
        api.create("cold", 1);
        FetchRequest request = request(60_000, 1).topics(List.of(topic("cold", at(0, 0)))).build();
        Reply<FetchResponse> reply = ask(request);
        assertThat(world.workers.waiting(Workers.Kind.READ)).isEqualTo(1);
        world.home.post(api.peer::gone);
        world.turn();
        world.settle();
        assertThat(reply.isDone()).isTrue();
    }

    /// Timers that are neither the shard's nor the controller's.
    private int timersLeft() {
        letOtherTimersPass();
        return world.time.timers() - timersBefore;
    }

    /// Those of fetches that wait for a minute stay.
    private void letOtherTimersPass() {
        world.time.advance(Duration.ofMillis(PartitionWorld.TIMEOUT_MILLIS + 1));
        world.settle();
    }

    /// KIP-320: what a client is given belongs to the term that it has asked in, however long it has waited.
    @Test
    void aFetchThatWaitsIsRefusedWhenAnotherTermBegins() {
        Partition partition = api.partition("orders", 0);
        Assignment now = partition.assignment();
        FetchPartition inThisTerm =
                FetchPartition.builder()
                        .partition(0)
                        .fetchOffset(1)
                        .currentLeaderEpoch(now.leaderEpoch())
                        .partitionMaxBytes(1 << 20)
                        .build();
        Reply<FetchResponse> waiting = fetch(500, 1, inThisTerm);
        world.settle();
        assertThat(waiting.isDone()).isFalse();
        partition.assign(
                new Assignment(
                        now.leader(),
                        now.leaderEpoch() + 1,
                        now.replicas(),
                        now.inSync(),
                        now.change() + 1,
                        now.self()));
        world.settle();
        assertThat(found(waiting)).containsExactly("orders-0!FENCED_LEADER_EPOCH");
    }
}
