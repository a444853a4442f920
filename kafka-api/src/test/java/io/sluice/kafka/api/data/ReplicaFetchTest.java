package io.sluice.kafka.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Peer;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchRequest.ReplicaState;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.LeaderIdAndEpoch;
import io.sluice.kafka.wire.message.FetchResponse.NodeEndpoint;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import io.sluice.partition.Acks;
import io.sluice.partition.Assignment;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import io.sluice.record.PartitionId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a leader answers its followers, and clients that would do better elsewhere.
/// Shows Q28: the nearest replica is read.
class ReplicaFetchTest {
    private static final int SELF = 3;
    private static final int OTHER = 4;
    private static final int EPOCH = 5;
    private static final long OTHERS_EPOCH = 40;
    private static final short VERSION = 17;
    private static final int FOLLOWER_WAIT = 500;

    @TempDir Path folder;

    private PartitionWorld world = new PartitionWorld(Path.of("unused"));
    private Peer peer = new Peer("clients", "127.0.0.1", world.home);

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
        world.brokerEpochs.put(OTHER, OTHERS_EPOCH);
        peer = new Peer("clients", "127.0.0.1", world.home);
    }

    private Partition led(int leader) {
        Partition partition =
                world.directory.add(
                        new PartitionId("orders", 0),
                        PartitionWorld.TOPIC_ID,
                        PartitionWorld.settings("flush", "fsync"));
        partition.assign(
                new Assignment(leader, EPOCH, List.of(SELF, OTHER), List.of(SELF, OTHER), 0, SELF));
        world.settle();
        return partition;
    }

    private static ClusterView view(int leader) {
        PartitionPlan plan =
                new PartitionPlan(
                        List.of(SELF, OTHER),
                        leader,
                        EPOCH,
                        List.of(SELF, OTHER),
                        List.of(),
                        List.of(),
                        List.of(),
                        0);
        return new ClusterView(
                "cluster",
                List.of(
                        new BrokerView(SELF, "host3", 9093, "north", 30),
                        new BrokerView(OTHER, "host4", 9094, "south", OTHERS_EPOCH)),
                SELF,
                List.of(
                        new TopicPlan(
                                "orders", PartitionWorld.TOPIC_ID, List.of(plan), Map.of(), 0)));
    }

    private static FetchRequest.Builder at(long offset, int lastEpoch) {
        FetchPartition partition =
                FetchPartition.builder()
                        .partition(0)
                        .currentLeaderEpoch(EPOCH)
                        .fetchOffset(offset)
                        .lastFetchedEpoch(lastEpoch)
                        .partitionMaxBytes(1 << 20)
                        .build();
        return FetchRequest.builder()
                .minBytes(1)
                .maxBytes(1 << 20)
                .sessionEpoch(-1)
                .topics(List.of(new FetchTopic("", PartitionWorld.TOPIC_ID, List.of(partition))));
    }

    private static FetchRequest.Builder byFollower(long offset, int lastEpoch) {
        return at(offset, lastEpoch)
                .replicaState(new ReplicaState(OTHER, OTHERS_EPOCH))
                .maxWaitMs(FOLLOWER_WAIT);
    }

    private Reply<FetchResponse> ask(FetchRequest.Builder request, int leader) {
        Reply<FetchResponse> reply = new Reply<>();
        FetchHandler handler = new FetchHandler(world.directory, () -> view(leader), SELF);
        world.home.post(
                () ->
                        handler.handle(request.build(), new RequestContext(VERSION, "test", peer))
                                .then(reply::complete, reply::fail));
        world.settle();
        return reply;
    }

    private static PartitionData only(Reply<FetchResponse> reply) {
        return PartitionWorld.require(reply).responses().getFirst().partitions().getFirst();
    }

    private static int sizeOf(PartitionData data) {
        return data.records() == null ? 0 : data.records().sizeInBytes();
    }

    @Test
    void aFollowerGetsWhatConsumersMayNotReadYet() {
        Partition partition = led(SELF);
        world.append(partition, Acks.ALL, "not committed");
        world.settle();
        PartitionData answer = only(ask(byFollower(0, -1), SELF));
        assertThat(answer.errorCode()).isZero();
        assertThat(sizeOf(answer)).isPositive();
        assertThat(answer.highWatermark()).isZero();
        Reply<FetchResponse> consumer = ask(at(0, -1).maxWaitMs(0), SELF);
        assertThat(sizeOf(only(consumer))).isZero();
    }

    /// The plan that the broker has looked at is older, or newer, than what it has done about it.
    @Test
    void nobodyIsGivenTheRecordsOfAnotherTopicOfTheName() {
        Partition other =
                world.directory.add(
                        new PartitionId("orders", 0),
                        new UUID(1, 2),
                        PartitionWorld.settings("flush", "fsync"));
        List<Integer> both = List.of(SELF, OTHER);
        other.assign(new Assignment(SELF, EPOCH, both, both, 0, SELF));
        world.append(other, Acks.ALL, "another's");
        world.settle();
        assertThat(only(ask(byFollower(0, -1), SELF)).errorCode())
                .isEqualTo(ErrorCode.NOT_LEADER_OR_FOLLOWER.id());
        assertThat(only(ask(at(0, -1), SELF)).errorCode())
                .isEqualTo(ErrorCode.NOT_LEADER_OR_FOLLOWER.id());
    }

    @Test
    void aFollowerThatHasAllIsWokenByTheNextAppend() {
        Partition partition = led(SELF);
        world.open(partition);
        Reply<FetchResponse> waiting = ask(byFollower(0, -1), SELF);
        assertThat(waiting.isDone()).isFalse();
        world.append(partition, Acks.ALL, "new");
        world.settle();
        assertThat(sizeOf(only(waiting))).isPositive();
    }

    /// R2, R3: histories that differ are found by epochs, and nothing is sent before they agree.
    @Test
    void aFollowerWhoseHistoryDiffersIsToldWhereAndGetsNothing() {
        Partition partition = led(SELF);
        world.append(partition, Acks.ALL, "ours");
        world.settle();
        PartitionData answer = only(ask(byFollower(7, EPOCH - 1), SELF));
        assertThat(answer.errorCode()).isZero();
        assertThat(answer.divergingEpoch().endOffset()).isZero();
        assertThat(sizeOf(answer)).isZero();
    }

    /// R3: a follower of another term is fenced.
    @Test
    void aFollowerThatKnowsANewerTermIsToldSo() {
        led(SELF);
        FetchRequest.Builder request = byFollower(0, -1);
        FetchPartition newer =
                FetchPartition.builder()
                        .partition(0)
                        .currentLeaderEpoch(EPOCH + 1)
                        .lastFetchedEpoch(-1)
                        .partitionMaxBytes(1 << 20)
                        .build();
        request.topics(List.of(new FetchTopic("", PartitionWorld.TOPIC_ID, List.of(newer))));
        assertThat(only(ask(request, SELF)).errorCode())
                .isEqualTo(ErrorCode.UNKNOWN_LEADER_EPOCH.id());
    }

    /// KIP-951: who came to the wrong broker is told the right one.
    @Test
    void aFollowersFetchAtAFollowerNamesTheLeader() {
        led(OTHER);
        FetchResponse response = PartitionWorld.require(ask(byFollower(0, -1), OTHER));
        PartitionData answer = response.responses().getFirst().partitions().getFirst();
        assertThat(answer.errorCode()).isEqualTo(ErrorCode.NOT_LEADER_OR_FOLLOWER.id());
        assertThat(answer.currentLeader()).isEqualTo(new LeaderIdAndEpoch(OTHER, EPOCH));
        assertThat(response.nodeEndpoints())
                .containsExactly(new NodeEndpoint(OTHER, "host4", 9094, "south"));
    }

    /// Cut off from the others: what is known here to be committed is, and what comes next only they may know.
    @Test
    void aConsumerThatHasReadAllIsSentToTheOthersWhileNobodySaysWhoLeads() {
        Partition partition = led(SELF);
        world.append(partition, Acks.ALL, "committed");
        world.settle();
        ask(byFollower(1, EPOCH).maxWaitMs(0), SELF);
        world.certain = false;
        assertThat(sizeOf(only(ask(at(0, -1).maxWaitMs(0), SELF)))).isPositive();
        PartitionData refused = only(ask(at(1, -1), SELF));
        assertThat(refused.errorCode()).isEqualTo(ErrorCode.NOT_LEADER_OR_FOLLOWER.id());
        assertThat(refused.currentLeader()).isEqualTo(new LeaderIdAndEpoch(-1, -1));
        world.certain = true;
        Reply<FetchResponse> waiting = ask(at(1, -1).maxWaitMs(500), SELF);
        assertThat(waiting.isDone()).isFalse();
        world.certain = false;
        world.time.advance(Duration.ofMillis(500));
        world.settle();
        assertThat(only(waiting).errorCode()).isEqualTo(ErrorCode.NOT_LEADER_OR_FOLLOWER.id());
    }

    /// KIP-392.
    @Test
    void aConsumerInAnotherRackIsSentToTheReplicaThere() {
        led(SELF);
        PartitionData far = only(ask(at(0, -1).maxWaitMs(10_000).rackId("south"), SELF));
        assertThat(far.preferredReadReplica()).isEqualTo(OTHER);
        PartitionData near = only(ask(at(0, -1).maxWaitMs(0).rackId("north"), SELF));
        assertThat(near.preferredReadReplica()).isEqualTo(-1);
        PartitionData nowhere = only(ask(at(0, -1).maxWaitMs(0).rackId("west"), SELF));
        assertThat(nowhere.preferredReadReplica()).isEqualTo(-1);
    }
}
