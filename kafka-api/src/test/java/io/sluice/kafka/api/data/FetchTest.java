package io.sluice.kafka.api.data;

import static io.sluice.kafka.api.data.FetchWorld.at;
import static io.sluice.kafka.api.data.FetchWorld.found;
import static io.sluice.kafka.api.data.FetchWorld.request;
import static io.sluice.kafka.api.data.FetchWorld.topic;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.kafka.api.ApiWorld;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.partition.Acks;
import io.sluice.partition.Assignment;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Consumers pull from an offset, in batches, with long polling (Q4, Q14, Q16).
class FetchTest {
    private static final int BY_ID = 18;

    @TempDir Path folder;
    private FetchWorld client;
    private ApiWorld api;
    private PartitionWorld world;
    private int timersBefore;

    @BeforeEach
    void begin() {
        client = new FetchWorld(folder);
        api = client.api;
        world = client.world;
        letOtherTimersPass();
        timersBefore = world.time.timers();
    }

    @AfterEach
    void nobodyHoldsAFile() {
        client.closeWithNoFileHeld();
    }

    @Test
    void whatIsThereIsAnsweredAtOnce() {
        assertThat(found(client.fetch(10_000, 1, at(0, 0)))).containsExactly("orders-0[0]");
    }

    @Test
    void aFetchWaitsForTheNextMessage() {
        Reply<FetchResponse> reply = client.fetch(60_000, 1, at(0, 1), at(1, 0));
        assertThat(reply.isDone()).isFalse();
        world.appendDurably(api.partition("orders", 1), "b");
        assertThat(found(reply)).containsExactly("orders-0[]", "orders-1[0]");
        assertThat(timersLeft()).as("of the fetch").isZero();
    }

    @Test
    void aFetchIsNotWokenByWhatMayNotBeReadYet() {
        Reply<FetchResponse> reply = client.fetch(10_000, 1, at(0, 1));
        world.append(api.partition("orders", 0), Acks.ALL, "b");
        world.turn();
        assertThat(reply.isDone()).isFalse();
        world.flushOne();
        assertThat(found(reply)).containsExactly("orders-0[1]");
    }

    @Test
    void aFetchEndsWhenItsTimeIsUp() {
        Reply<FetchResponse> reply = client.fetch(500, 1, at(0, 1));
        world.time.advance(Duration.ofMillis(499));
        assertThat(reply.isDone()).isFalse();
        world.time.advance(Duration.ofMillis(1));
        assertThat(found(reply)).containsExactly("orders-0[]");
    }

    @Test
    void aFetchThatMayNotWaitDoesNot() {
        assertThat(found(client.fetch(0, 1, at(0, 1)))).containsExactly("orders-0[]");
        assertThat(found(client.fetch(10_000, 0, at(0, 1)))).containsExactly("orders-0[]");
    }

    @Test
    void tooLittleIsNotAnsweredBeforeThereIsEnoughOrTimeIsUp() {
        Reply<FetchResponse> patient = client.fetch(1000, 400, at(0, 0));
        assertThat(patient.isDone()).isFalse();
        world.appendDurably(api.partition("orders", 0), "b");
        assertThat(patient.isDone()).isFalse();
        world.appendDurably(api.partition("orders", 0), "x".repeat(300));
        assertThat(found(patient)).containsExactly("orders-0[0, 1, 2]");

        Reply<FetchResponse> tooPatient = client.fetch(1000, 4000, at(0, 0));
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
                    client.ask(
                            request(1000, 1)
                                    .maxBytes(limit)
                                    .topics(List.of(topic("orders", at(0, 0), at(1, 0))))
                                    .build());
            assertThat(found(small)).containsExactly("orders-0[0]", "orders-1[]");
        }
        assertThat(found(client.fetch(1000, 1, at(0, 0, 1), at(1, 0, 1))))
                .as("a partition's own limit")
                .containsExactly("orders-0[0]", "orders-1[]");
    }

    @Test
    void anErrorEndsTheWaiting() {
        assertThat(found(client.fetch(10_000, 1, at(0, 9))))
                .containsExactly("orders-0!OFFSET_OUT_OF_RANGE");
        assertThat(found(client.fetch(10_000, 1, at(0, 1), at(7, 0))))
                .containsExactly("orders-0[]", "orders-7!UNKNOWN_TOPIC_OR_PARTITION");
        FetchPartition fenced =
                FetchPartition.builder().partition(0).currentLeaderEpoch(4).fetchOffset(1).build();
        assertThat(found(client.fetch(10_000, 1, fenced)))
                .containsExactly("orders-0!UNKNOWN_LEADER_EPOCH");
    }

    @Test
    void aDeletedTopicEndsTheWaiting() {
        Reply<FetchResponse> reply = client.fetch(10_000, 1, at(0, 1));
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
        Reply<FetchResponse> reply = api.ask(client.handler, request, BY_ID, FetchResponse.class);
        assertThat(found(reply)).containsExactly("-0[0]", "-0!UNKNOWN_TOPIC_ID");
    }

    @Test
    void nobodyWaitsForMoreThanAnAnswerMayHold() {
        Reply<FetchResponse> reply =
                client.ask(
                        request(1000, 1 << 20)
                                .maxBytes(10)
                                .topics(List.of(topic("orders", at(0, 0))))
                                .build());

        assertThat(found(reply)).containsExactly("orders-0[0]");
    }

    /// Q7: throughput.
    @Test
    void whereThroughputIsFavouredLittleBecomesMore() {
        api.create("bulk", 1, "profile", "throughput");
        world.append(api.partition("bulk", 0), Acks.LEADER, "a");
        world.settle();
        FetchRequest request = request(1000, 1).topics(List.of(topic("bulk", at(0, 0)))).build();
        Reply<FetchResponse> reply = client.ask(request);
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
        assertThat(found(client.ask(request))).containsExactly("bulk-0[0]", "orders-0[]");
    }

    @Test
    void muchIsNotHeldBackForMore() {
        api.create("bulk", 1, "profile", "throughput");
        world.append(api.partition("bulk", 0), Acks.LEADER, "x".repeat(100_000));
        world.settle();
        FetchRequest request = request(1000, 1).topics(List.of(topic("bulk", at(0, 0)))).build();
        assertThat(found(client.ask(request))).containsExactly("bulk-0[0]");
    }

    @Test
    void aClientThatGoesAwayEndsItsFetch() {
        Reply<FetchResponse> reply = client.fetch(60_000, 1, at(0, 1));
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
        Reply<FetchResponse> reply = client.ask(request);
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
        Reply<FetchResponse> waiting = client.fetch(500, 1, inThisTerm);
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
