package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.require;
import static io.sluice.partition.PartitionWorld.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.log.TopicSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Q22, Q23: who is in sync is the leader's wish and the controller's word.
/// Shows Q24: who is in sync.
class InSyncTest {
    private static final Duration LAG = ReplicationDoors.DEFAULT_LAG_TIME_MAX;
    private static final Duration PAUSE = Duration.ofNanos(LeaderRole.PROPOSAL_PAUSE_NANOS);

    @TempDir Path folder;
    private ReplicaCluster cluster;
    private PartitionWorld leader;

    @BeforeEach
    void begin() {
        start(TopicSettings.defaults());
    }

    private void start(TopicSettings settings) {
        cluster =
                new ReplicaCluster(
                        folder.resolve(String.valueOf(settings.hashCode())), 3, settings);
        leader = cluster.world(0);
        cluster.lead(0, 0, 1, 2);
        cluster.catchUp(1);
        cluster.catchUp(2);
    }

    private Reply<AppendOutcome> append(String value) {
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, value);
        leader.settle();
        return append;
    }

    private void pass(Duration time) {
        leader.time.advance(time);
        leader.settle();
    }

    /// R7 at work: the ack comes when the one that fell behind is out.
    @Test
    void aFollowerThatFallsBehindLeavesAndTheOthersGoOn() {
        Reply<AppendOutcome> append = append("a");
        cluster.catchUp(1);
        cluster.fetch(1);
        pass(LAG);
        assertThat(append.isDone()).isFalse();
        pass(LAG);
        InSyncProposal proposal = leader.inSync.last().proposal();
        assertThat(proposal.inSync())
                .isEqualTo(
                        Map.of(0, ReplicaCluster.BROKER_EPOCH, 1, ReplicaCluster.BROKER_EPOCH + 1));
        assertThat(proposal.leaderEpoch()).isZero();
        assertThat(proposal.change()).isEqualTo(cluster.plan().change());
        assertThat(proposal.topicId()).isEqualTo(PartitionWorld.TOPIC_ID);
        assertThat(append.isDone()).as("the plan still counts it").isFalse();

        leader.inSync.last().accept();
        leader.settle();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
        assertThat(cluster.on(0).assignment().inSync()).containsExactly(0, 1);
        assertThat(leader.counters.inSyncShrinks.sum()).isEqualTo(1);
    }

    @Test
    void aFollowerThatCatchesUpComesBack() {
        cluster.inSync(0, 1);
        append("a");
        cluster.fetch(2);
        assertThat(leader.inSync.count()).isEqualTo(1);
        assertThat(leader.inSync.last().proposal().inSync()).containsOnlyKeys(0, 1, 2);
        cluster.fetch(2);
        assertThat(leader.inSync.count()).as("one at a time").isEqualTo(1);
        leader.inSync.last().accept();
        leader.settle();
        assertThat(cluster.on(0).assignment().inSync()).containsExactly(0, 1, 2);
        assertThat(leader.counters.inSyncExpansions.sum()).isEqualTo(1);
    }

    @Test
    void whoIsBeingAddedIsWaitedFor() {
        cluster.inSync(0, 1);
        cluster.fetch(2);
        assertThat(leader.inSync.count()).isEqualTo(1);
        Reply<AppendOutcome> append = append("a");
        cluster.catchUp(1);
        cluster.fetch(1);
        leader.turn();
        assertThat(append.isDone()).isFalse();
        leader.inSync.last().answer(new InSyncDoor.Answer.Refused("its epoch is stale", false));
        leader.turn();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
    }

    /// Who is in it is not known before it is here, and whoever may be could be elected.
    @Test
    void whoMayBeInANewerPlanIsWaitedForUntilThatComes() {
        cluster.inSync(0, 1);
        cluster.fetch(2);
        Reply<AppendOutcome> append = append("a");
        cluster.catchUp(1);
        cluster.fetch(1);
        leader.inSync.last().answer(new InSyncDoor.Answer.Outdated("the plan has changed"));
        leader.turn();
        pass(PAUSE);
        assertThat(append.isDone()).isFalse();
        assertThat(leader.inSync.count()).as("asked once").isEqualTo(1);
        cluster.inSync(0, 1);
        leader.turn();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
    }

    @Test
    void aProposalOfUnknownOutcomeIsMadeAgain() {
        cluster.inSync(0, 1);
        cluster.fetch(2);
        leader.inSync.last().fail();
        leader.turn();
        cluster.fetch(2);
        assertThat(leader.inSync.count()).as("after a pause").isEqualTo(1);
        pass(PAUSE);
        assertThat(leader.inSync.count()).isEqualTo(2);
        assertThat(leader.inSync.last().proposal().inSync()).containsOnlyKeys(0, 1, 2);
        leader.inSync.last().accept();
        leader.turn();
        assertThat(cluster.on(0).assignment().inSync()).containsExactly(0, 1, 2);
    }

    /// Z1 (KAFKA-2729): a refusal is never the last word.
    @Test
    void aRefusedProposalIsMadeAgain() {
        cluster.inSync(0, 1);
        cluster.fetch(2);
        leader.inSync.last().answer(new InSyncDoor.Answer.Refused("not now", true));
        leader.turn();
        pass(PAUSE);
        assertThat(leader.inSync.count()).isEqualTo(2);
        leader.inSync.last().answer(new InSyncDoor.Answer.Refused("out of date", false));
        leader.turn();
        pass(PAUSE);
        assertThat(leader.inSync.count()).isEqualTo(2);
        pass(LAG);
        assertThat(leader.inSync.count()).isEqualTo(3);
    }

    @Test
    void anAnswerAfterTheTermIsNoNews() {
        cluster.inSync(0, 1);
        cluster.fetch(2);
        ManualInSync.Asked asked = leader.inSync.last();
        cluster.lead(1, 1, 0);
        asked.accept();
        leader.turn();
        assertThat(cluster.on(0).assignment()).isEqualTo(cluster.planOf(0));
        pass(LAG.multipliedBy(3));
        assertThat(leader.inSync.count()).as("a follower proposes nothing").isEqualTo(1);
        assertThat(leader.time.timers()).isZero();
    }

    @Test
    void tooFewInSyncRefuseAnAckOfAll() {
        start(settings("min.insync.replicas", "2"));
        cluster.inSync(0);
        assertThat(require(append("a")))
                .isInstanceOfSatisfying(
                        AppendOutcome.Failed.class,
                        failed -> {
                            assertThat(failed.why()).isEqualTo(Unavailable.NOT_ENOUGH_REPLICAS);
                            assertThat(failed.sentence()).contains("1 replica in sync", "is 2");
                        });
        assertThat(cluster.status(0).endOffset()).isZero();
        Reply<AppendOutcome> one = cluster.append(0, Acks.LEADER, "b");
        leader.settle();
        assertThat(require(one)).isInstanceOf(AppendOutcome.Acknowledged.class);
        assertThat(cluster.values(0)).as("nothing is committed").isEmpty();
    }

    /// By a default of the brokers: to bring brokers back would not help.
    @Test
    void moreConfirmationsThanReplicasAreSaidToBeSo() {
        start(settings("min.insync.replicas", "4"));
        assertThat(require(append("a")))
                .isInstanceOfSatisfying(
                        AppendOutcome.Failed.class,
                        failed ->
                                assertThat(failed.sentence())
                                        .contains(
                                                "is 4, and it has 3 replicas in all",
                                                "Lower the setting, or give the topic more replicas"));
    }

    @Test
    void tooFewInSyncAreToldToThoseWhoWait() {
        start(settings("min.insync.replicas", "2"));
        Reply<AppendOutcome> append = append("a");
        cluster.inSync(0);
        leader.turn();
        assertThat(require(append))
                .isInstanceOfSatisfying(
                        AppendOutcome.Failed.class,
                        failed ->
                                assertThat(failed.why())
                                        .isEqualTo(Unavailable.NOT_ENOUGH_REPLICAS_AFTER_APPEND));
        assertThat(cluster.values(0)).isEmpty();
        cluster.catchUp(1);
        cluster.inSync(0, 1);
        leader.turn();
        assertThat(cluster.values(0)).as("committed later all the same").containsExactly("a");
    }

    /// Q23: the seed's setting, changed while running.
    @Test
    void aFollowerThatIsTooManyRecordsBehindLeaves() {
        cluster.on(0).changeSettings(settings("replica.lag.max.messages", "1"));
        leader.turn();
        append("a");
        cluster.catchUp(1);
        append("b");
        pass(LAG.dividedBy(2));
        assertThat(leader.inSync.last().proposal().inSync()).containsOnlyKeys(0, 1);
    }

    @Test
    void whoLeadsAloneKeepsNoTime() {
        PartitionWorld alone = new PartitionWorld(folder.resolve("alone"));
        Partition only = alone.add("only", 0, TopicSettings.defaults());
        alone.appendDurably(only, "a");
        alone.time.advance(Duration.ofMinutes(1));
        alone.settle();
        assertThat(alone.time.timers()).isZero();
        assertThat(List.of(alone.inSync.count())).containsExactly(0);
    }
}
