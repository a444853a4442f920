package io.sluice.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Crossing;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.FetchableTopicResponse;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import io.sluice.log.TopicSettings;
import io.sluice.partition.Assignment;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import io.sluice.record.PartitionId;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A follower's real partitions, and a leader that the test plays.
/// Shows Q22: followers pull from their leader.
class ReplicaFetcherTest {
    private static final int SELF = 2;
    private static final int LEADER = 1;
    private static final int EPOCH = 5;
    private static final long OWN_EPOCH = 77;
    private static final int SESSION = 9;

    @TempDir Path folder;

    private final ScriptedNetwork network = new ScriptedNetwork();
    private @Nullable PeerAddress leaderAddress = new PeerAddress(LEADER, "leader", 9092);
    private PartitionWorld world = new PartitionWorld(Path.of("unused"));
    private final List<Integer> moving = new ArrayList<>();
    private long moveBytesPerSecond;
    private boolean hasABug;
    private boolean epochHasABug;
    private final ReplicationCounters counters = new ReplicationCounters();
    private ReplicaFetchers fetchers = fetchers();

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
        fetchers = fetchers();
    }

    private ReplicaFetchers fetchers() {
        return new ReplicaFetchers(
                new ReplicaFetchers.Setup(
                        network,
                        world.time,
                        broker -> broker == LEADER ? leaderAddress : null,
                        SELF,
                        this::ownEpoch,
                        counters,
                        new MovePace(id -> isMoving(id.index()), () -> moveBytesPerSecond)),
                List.of(world.owner));
    }

    private long ownEpoch() {
        if (epochHasABug) {
            throw new IllegalStateException("a bug");
        }
        return OWN_EPOCH;
    }

    private boolean isMoving(int index) {
        if (hasABug) {
            throw new IllegalStateException("a bug");
        }
        return moving.contains(index);
    }

    private Partition follow(int index) {
        return follow(index, PartitionWorld.settings("flush", "fsync"));
    }

    private Partition follow(int index, TopicSettings settings) {
        Partition partition =
                world.directory.add(
                        new PartitionId("orders", index), PartitionWorld.TOPIC_ID, settings);
        partition.assign(
                new Assignment(
                        LEADER, EPOCH, List.of(LEADER, SELF), List.of(LEADER, SELF), 0, SELF));
        fetchers.follow(partition, LEADER, EPOCH);
        return partition;
    }

    /// The request that waits for its answer, as `index@offset`.
    private List<String> asked() {
        List<String> asked = new ArrayList<>();
        request()
                .topics()
                .forEach(
                        topic ->
                                topic.partitions()
                                        .forEach(
                                                one ->
                                                        asked.add(
                                                                one.partition()
                                                                        + "@"
                                                                        + one.fetchOffset())));
        return asked;
    }

    private FetchRequest request() {
        return network.last().next(FetchRequest.class);
    }

    private void answer(PartitionData... data) {
        network.last()
                .answer(
                        FetchResponse.builder()
                                .sessionId(SESSION)
                                .responses(
                                        data.length == 0
                                                ? List.of()
                                                : List.of(
                                                        new FetchableTopicResponse(
                                                                "",
                                                                PartitionWorld.TOPIC_ID,
                                                                List.of(data))))
                                .build());
        world.turn();
    }

    private static PartitionData.Builder data(int index) {
        return PartitionData.builder()
                .partitionIndex(index)
                .highWatermark(0)
                .logStartOffset(0)
                .records(Records.EMPTY);
    }

    private static PartitionData error(int index, ErrorCode code) {
        return data(index).errorCode(code.id()).build();
    }

    /// As a leader of this epoch stores it.
    private static Records batchAt(long offset, String value) {
        ByteBuffer batch = PartitionWorld.batch(value);
        return new Records.InMemory(batch.putLong(0, offset).putInt(12, EPOCH));
    }

    /// It has no epoch by which it could be told where to cut.
    @Test
    void anEmptyCopyThatIsAheadOfAnUncleanlyElectedLeaderBeginsAnew() {
        follow(0, PartitionWorld.settings("unclean.leader.election.enable", "true"));
        world.settle();
        answer(outOfRange(0, 10));
        world.settle();
        assertThat(asked()).containsExactly("0@10");

        answer(outOfRange(0, 4));
        world.settle();

        assertThat(asked()).containsExactly("0@4");
    }

    /// Beginning anew changes nothing: at once it would be asked and refused the same for ever.
    @Test
    void aPositionThatIsRefusedAndStaysTheSameIsLeftOutForAWhile() {
        follow(0);
        world.settle();
        answer(outOfRange(0, 0));
        world.settle();
        assertThat(counters.fetches.sum()).isEqualTo(1);
        assertThat(counters.partitionsSetBack.sum()).isEqualTo(1);

        world.time.advance(Duration.ofSeconds(5));
        world.settle();
        assertThat(counters.fetches.sum()).isEqualTo(2);
    }

    private static PartitionData outOfRange(int index, long leadersStart) {
        return data(index)
                .errorCode(ErrorCode.OFFSET_OUT_OF_RANGE.id())
                .logStartOffset(leadersStart)
                .build();
    }

    @Test
    void aLeaderThatKeepsNoSessionIsToldEverythingAgain() {
        follow(0);
        world.settle();
        network.last().answer(FetchResponse.builder().sessionId(0).build());
        world.settle();

        assertThat(request().sessionEpoch()).isZero();
        assertThat(asked()).containsExactly("0@0");
    }

    @Test
    void theOldConnectionIsClosedWhenTheLeaderIsElsewhere() {
        follow(0);
        world.settle();
        ScriptedNetwork.Connection old = network.last();
        leaderAddress = new PeerAddress(LEADER, "elsewhere", 9092);
        answer();
        world.settle();

        assertThat(network.last().to).isEqualTo("elsewhere:9092");
        assertThat(old.closedFromHere).isTrue();
    }

    /// The round must end for the others, and this one is tried again.
    @Test
    void aBugInOnePartitionDoesNotEndTheCopyingOfTheOthers() {
        follow(0);
        follow(1);
        world.settle();
        answer();
        hasABug = true;
        answerAndMeetABug(data(0).records(batchAt(0, "a")).build(), data(1).build());
        hasABug = false;
        world.settle();
        world.time.advance(Duration.ofSeconds(3));
        world.settle();

        assertThat(asked()).contains("0@1");
    }

    @Test
    void aBugBeforeAFetchIsSentIsNotTheLastOfTheFetches() {
        epochHasABug = true;
        follow(0);
        assertThatThrownBy(world::settle).isInstanceOf(Crossing.Unfinished.class);
        epochHasABug = false;
        world.settle();
        world.time.advance(Duration.ofSeconds(2));
        world.settle();

        assertThat(asked()).containsExactly("0@0");
    }

    private void answerAndMeetABug(PartitionData... data) {
        assertThatThrownBy(
                        () -> {
                            answer(data);
                            world.settle();
                        })
                .isInstanceOf(Crossing.Unfinished.class);
    }

    /// Q27: what moves is held back, what was there before is not.
    @Test
    void aReplicaThatMovesWaitsForItsTurnWhileTheOthersGoOn() {
        int size = PartitionWorld.batch("a").remaining();
        moveBytesPerSecond = size * 10L;
        moving.add(1);
        follow(0);
        follow(1);
        world.settle();
        request();
        answer(); // The second one has joined meanwhile.
        world.settle();
        assertThat(asked()).containsExactly("1@0");
        answer(data(0).records(batchAt(0, "a")).build(), data(1).records(batchAt(0, "a")).build());
        world.settle();
        FetchRequest second = request();
        assertThat(second.topics().getFirst().partitions())
                .extracting(FetchPartition::partition)
                .containsExactly(0);
        assertThat(second.forgottenTopicsData().getFirst().partitions()).containsExactly(1);
        assertThat(second.maxWaitMs()).as("until it may go on").isEqualTo(100);
        assertThat(counters.bytesMoved.sum()).isEqualTo(size);
        assertThat(counters.movesHeldBack.sum()).isEqualTo(1);

        world.time.advance(Duration.ofMillis(100));
        answer();
        world.settle();
        assertThat(asked()).containsExactly("1@1");
        assertThat(network.connections).as("nobody's wait was cut short").hasSize(1);
    }

    /// It has caught up, or the limit was lifted.
    @Test
    void withoutALimitNothingIsHeldBack() {
        moving.add(0);
        follow(0);
        world.settle();
        request();
        answer(data(0).records(batchAt(0, "a")).build());
        world.settle();
        assertThat(asked()).containsExactly("0@1");
        assertThat(counters.movesHeldBack.sum()).isZero();
    }

    /// Q27: a pause under a low limit can be hours.
    @Test
    void whoIsHeldBackGoesOnSoonAfterTheLimitIsLifted() {
        moveBytesPerSecond = 1;
        moving.add(0);
        follow(0);
        world.settle();
        request();
        answer(data(0).records(batchAt(0, "a")).build());
        world.settle();
        assertThat(counters.movesHeldBack.sum()).isEqualTo(1);

        moveBytesPerSecond = 0;
        world.time.advance(Duration.ofSeconds(1));
        world.settle();
        assertThat(asked()).containsExactly("0@1");
    }

    @Test
    void aFollowerSaysWhoItIsAndWhereItStands() {
        follow(0);
        world.settle();
        FetchRequest request = request();
        assertThat(request.replicaState().replicaId()).isEqualTo(SELF);
        assertThat(request.replicaState().replicaEpoch()).isEqualTo(OWN_EPOCH);
        FetchPartition partition = request.topics().getFirst().partitions().getFirst();
        assertThat(partition.currentLeaderEpoch()).isEqualTo(EPOCH);
        assertThat(partition.fetchOffset()).isZero();
        assertThat(partition.lastFetchedEpoch()).isEqualTo(-1);
        assertThat(request.sessionEpoch()).isZero();
    }

    /// The offset asked for says what is safe, so it must not be said before the fsync.
    @Test
    void theNextRoundBeginsWhenWhatTheLastOneBroughtIsOnDisk() {
        follow(0);
        world.settle();
        answer(data(0).records(batchAt(0, "first")).build());
        assertThat(network.last().open()).as("nothing is asked before the fsync").isZero();
        world.settle();
        assertThat(asked()).containsExactly("0@1");
        assertThat(request().sessionId()).isEqualTo(SESSION);
        assertThat(request().sessionEpoch()).isOne();
    }

    @Test
    void onlyWhatHasChangedIsSaidAgain() {
        follow(0);
        follow(1);
        world.settle();
        world.time.advance(Duration.ofMillis(2));
        world.settle();
        assertThat(asked()).containsExactlyInAnyOrder("0@0", "1@0");
        answer(data(1).records(batchAt(0, "first")).build());
        world.settle();
        assertThat(asked()).containsExactly("1@1");
        answer();
        world.settle();
        assertThat(asked()).isEmpty();
        assertThat(request().sessionEpoch()).isEqualTo(2);
    }

    /// Either side may be behind the plan; the others must not wait for it.
    @Test
    void whatTheLeaderRefusesIsLeftOutForAWhile() {
        follow(0);
        follow(1);
        world.settle();
        world.time.advance(Duration.ofMillis(2));
        world.settle();
        answer(error(0, ErrorCode.UNKNOWN_LEADER_EPOCH));
        world.settle();
        assertThat(asked()).isEmpty();
        assertThat(request().forgottenTopicsData().getFirst().partitions()).containsExactly(0);
        answer();
        world.settle();
        assertThat(asked()).as("not yet").isEmpty();
        world.time.advance(Duration.ofMillis(20));
        world.settle();
        world.time.advance(Duration.ofMillis(2));
        world.settle();
        assertThat(asked()).as("it ends the wait").contains("0@0");
    }

    @Test
    void aBrokenConnectionBeginsTheConversationAnew() {
        follow(0);
        world.settle();
        answer(data(0).records(batchAt(0, "first")).build());
        world.settle();
        network.last().breakOff(false);
        world.settle();
        assertThat(network.connections).hasSize(1);
        world.time.advance(Duration.ofMillis(20));
        world.settle();
        assertThat(network.connections).hasSize(2);
        assertThat(asked()).containsExactly("0@1");
        assertThat(request().sessionEpoch()).isZero();
    }

    @Test
    void aPartitionThatJoinsEndsTheWaitOfTheOthers() {
        follow(0);
        world.settle();
        follow(1);
        world.settle();
        assertThat(network.connections).as("others may join as well").hasSize(1);
        world.time.advance(Duration.ofMillis(2));
        world.settle();
        assertThat(network.connections).hasSize(2);
        assertThat(network.connections.getFirst().closedFromHere).isTrue();
        assertThat(asked()).containsExactlyInAnyOrder("0@0", "1@0");
    }

    @Test
    void whatTheLeaderNoLongerHasIsGivenUp() {
        follow(0);
        world.settle();
        answer(data(0).errorCode(ErrorCode.OFFSET_OUT_OF_RANGE.id()).logStartOffset(100).build());
        world.settle();
        assertThat(asked()).containsExactly("0@100");
    }

    @Test
    void theLeaderMayForgetTheSession() {
        follow(0);
        world.settle();
        answer();
        world.settle();
        network.last()
                .answer(
                        FetchResponse.builder()
                                .errorCode(ErrorCode.FETCH_SESSION_ID_NOT_FOUND.id())
                                .build());
        world.settle();
        world.time.advance(Duration.ofMillis(2));
        world.settle();
        assertThat(asked()).containsExactly("0@0");
        assertThat(request().sessionEpoch()).isZero();
    }

    @Test
    void whoFollowsNothingAsksNothing() {
        Partition partition = follow(0);
        world.settle();
        fetchers.drop(partition);
        world.settle();
        assertThat(network.last().closedFromHere).isTrue();
        world.time.advance(Duration.ofSeconds(5));
        world.settle();
        assertThat(network.connections).hasSize(1);
    }

    @Test
    void aLeaderWhoseAddressIsUnknownIsAskedWhenItIsKnown() {
        leaderAddress = null;
        follow(0);
        world.settle();
        assertThat(network.connections).isEmpty();
        leaderAddress = new PeerAddress(LEADER, "leader", 9092);
        fetchers.brokersChanged();
        world.settle();
        assertThat(asked()).containsExactly("0@0");
    }

    /// A newer term of the same leader: what was said in the old one is over.
    @Test
    void aNewTermIsAskedForWithItsEpoch() {
        Partition partition = follow(0);
        world.settle();
        partition.assign(
                new Assignment(
                        LEADER, EPOCH + 1, List.of(LEADER, SELF), List.of(LEADER, SELF), 1, SELF));
        fetchers.follow(partition, LEADER, EPOCH + 1);
        world.settle();
        world.time.advance(Duration.ofMillis(2));
        world.settle();
        assertThat(request().topics().getFirst().partitions().getFirst().currentLeaderEpoch())
                .isEqualTo(EPOCH + 1);
    }
}
