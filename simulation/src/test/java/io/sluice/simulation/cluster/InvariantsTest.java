package io.sluice.simulation.cluster;

import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.record.PartitionId;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.Story;
import io.sluice.simulation.cluster.invariant.ClusterInvariant;
import io.sluice.simulation.cluster.invariant.EpochsGrow;
import io.sluice.simulation.cluster.invariant.NoDuplicateUnderIdempotence;
import io.sluice.simulation.cluster.invariant.OrderPerProducer;
import io.sluice.simulation.cluster.invariant.ReplicasOnDistinctBrokers;
import io.sluice.simulation.cluster.invariant.WatermarkNeverRetreats;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Invariants that no mistake of [ClusterBitesTest] is after are broken by hand: each must notice, and must not cry when all is well.
class InvariantsTest {
    private static final PartitionId ID = new PartitionId("orders", 0);
    private static final PartitionLife LIFE = new PartitionLife(new UUID(1, 2), ID);
    private static final Duration WHILE = Duration.ofSeconds(10);
    private static final Duration SOON = Duration.ofSeconds(2);

    private final History history = new History();
    private final Facts facts = facts(history);

    private static Facts facts(History history) {
        Cluster cluster = new Cluster(1, _ -> {}, ClusterHabits.GOOD, Story.untold());
        return new Facts(
                cluster,
                history,
                new StoredPlans(),
                new ReplicaLogs(cluster),
                new OpenedLogs(cluster));
    }

    private static void assertBroken(Class<? extends ClusterInvariant> by, ThrowingCallable code) {
        assertThatThrownBy(code)
                .isInstanceOf(InvariantBroken.class)
                .hasMessageStartingWith(by.getSimpleName());
    }

    // What readers are told.

    @Test
    void aReaderIsToldOfLessInTheSameTerm() {
        WatermarkNeverRetreats invariant = new WatermarkNeverRetreats(facts);
        invariant.watermark(LIFE, 3, 10, "reader");
        invariant.watermark(LIFE, 3, 10, "reader");
        invariant.watermark(LIFE, 4, 9, "reader");
        invariant.watermark(LIFE, 3, 9, "another reader");
        assertBroken(WatermarkNeverRetreats.class, () -> invariant.watermark(LIFE, 3, 9, "reader"));
    }

    // What the plan says.

    private static StoredPlan plan(int leader, int epoch, int change, List<Integer> replicas) {
        return plan(leader, epoch, change, replicas, replicas, List.of(), List.of());
    }

    private static StoredPlan plan(
            int leader,
            int epoch,
            int change,
            List<Integer> replicas,
            List<Integer> inSync,
            List<Integer> adding,
            List<Integer> removing) {
        return new StoredPlan(
                LIFE.topic(),
                ID,
                leader,
                epoch,
                change,
                replicas,
                inSync,
                List.of(),
                adding,
                removing);
    }

    @Test
    void anEpochOrAChangeGoesBackOrALeaderChangesWithinItsTerm() {
        EpochsGrow invariant = new EpochsGrow(facts);
        StoredPlan before = plan(1, 3, 7, List.of(1, 2, 3));
        assertThatNoException()
                .isThrownBy(
                        () -> {
                            invariant.planChanged(null, before);
                            invariant.planChanged(before, plan(1, 3, 8, List.of(1, 2, 3)));
                            invariant.planChanged(before, plan(2, 4, 8, List.of(1, 2, 3)));
                        });
        for (StoredPlan after :
                List.of(
                        plan(1, 2, 8, List.of(1, 2, 3)),
                        plan(1, 3, 7, List.of(1, 2, 3)),
                        plan(2, 3, 8, List.of(1, 2, 3)))) {
            assertBroken(EpochsGrow.class, () -> invariant.planChanged(before, after));
        }
    }

    @Test
    void aPlanMakesNoSense() {
        ReplicasOnDistinctBrokers invariant = new ReplicasOnDistinctBrokers(facts);
        List<Integer> all = List.of(1, 2, 3);
        List<Integer> none = List.of();
        assertThatNoException()
                .isThrownBy(
                        () -> {
                            invariant.planChanged(null, plan(1, 0, 0, all));
                            invariant.planChanged(null, plan(-1, 0, 0, all, none, none, none));
                            invariant.planChanged(
                                    null, plan(1, 0, 0, all, all, List.of(3), List.of(2)));
                        });
        for (StoredPlan senseless :
                List.of(
                        plan(1, 0, 0, List.of(1, 2, 2)),
                        plan(1, 0, 0, all, List.of(1, 2, 2), none, none),
                        plan(1, 0, 0, all, List.of(2, 3), none, none),
                        plan(1, 0, 0, all, List.of(1, 4), none, none),
                        plan(1, 0, 0, all, all, List.of(4), none),
                        plan(1, 0, 0, all, all, none, List.of(4)),
                        plan(1, 0, 0, all, all, none, all))) {
            assertBroken(
                    ReplicasOnDistinctBrokers.class, () -> invariant.planChanged(null, senseless));
        }
    }

    // What producers have sent, and where it is.

    private void sent(int number, boolean safe) {
        history.sent(new History.Sent(LIFE, "producer-0", number, number, safe));
    }

    /// @param number of the batch, which is its checksum, too
    private static History.Committed at(long offset, int number) {
        return new History.Committed(offset, offset + 1, number, "by hand");
    }

    @Test
    void aBatchIsAtTwoOffsets() {
        NoDuplicateUnderIdempotence invariant = new NoDuplicateUnderIdempotence(facts);
        sent(1, true);
        sent(2, false);
        invariant.committed(LIFE, at(10, 1));
        invariant.committed(LIFE, at(10, 1));
        invariant.committed(LIFE, at(20, 2));
        invariant.committed(LIFE, at(30, 2)); // Nothing is promised to a careless producer.
        assertBroken(NoDuplicateUnderIdempotence.class, () -> invariant.committed(LIFE, at(11, 1)));
    }

    @Test
    void aBatchIsBeforeOneThatWasSentEarlier() {
        OrderPerProducer invariant = new OrderPerProducer(facts);
        sent(1, true);
        sent(2, true);
        sent(3, true);
        invariant.committed(LIFE, at(10, 1));
        invariant.committed(LIFE, at(30, 3));
        assertBroken(OrderPerProducer.class, () -> invariant.committed(LIFE, at(9, 2)));
        assertBroken(OrderPerProducer.class, () -> invariant.committed(LIFE, at(31, 2)));
    }

    @Test
    void aBatchIsThereThatNobodyHasSent() {
        OrderPerProducer invariant = new OrderPerProducer(facts);
        assertBroken(OrderPerProducer.class, () -> invariant.committed(LIFE, at(10, 1)));
    }

    // What is on disks, and what piles up: in a cluster at work.

    /// Segments of a second, so that there are several.
    private record ByHand(Consumer<Stage> work) implements Plot {
        @Override
        public ClusterShape shape(ClusterShape drawn) {
            TopicShape topic = drawn.topic();
            return new ClusterShape(
                    3,
                    1,
                    new TopicShape(topic.name(), 1, 3, 2, false, 1_000L, TopicShape.ANY_LAG),
                    1,
                    1,
                    false,
                    drawn.heartbeatTimeout(),
                    drawn.replicaLagMax(),
                    drawn.sessionTimeout(),
                    drawn.torment(),
                    Care.PATIENT);
        }

        @Override
        public void play(Stage stage) {
            stage.advance(WHILE);
            work.accept(stage);
            stage.advance(SOON);
            stage.mend();
        }
    }

    private static ThrowingCallable inACluster(String invariant, Consumer<Stage> work) {
        ClusterScenario.Play play =
                new ClusterScenario.Play(new ByHand(work), ClusterHabits.GOOD, invariant::equals);
        return () -> ClusterScenario.of(play).run(1, Story.untold());
    }

    private static SimBroker leader(Stage stage) {
        return stage.cluster().broker(stage.plan(0).leader());
    }

    @Test
    void aSegmentVanishesBetweenOthers() {
        assertThatThrownBy(
                        inACluster(
                                "LogsHaveNoHoles",
                                stage -> {
                                    SimBroker leader = leader(stage);
                                    List<String> segments =
                                            leader.disk().namesIn(ID.toString()).stream()
                                                    .filter(name -> name.endsWith(".log"))
                                                    .sorted()
                                                    .toList();
                                    leader.disk().lose(ID + "/" + segments.get(1));
                                }))
                .hasMessageStartingWith("LogsHaveNoHoles");
    }

    @Test
    void eventsPileUp() {
        assertThatThrownBy(
                        inACluster(
                                "BoundsHold",
                                stage -> {
                                    SimProcess idle = new SimProcess("idle");
                                    for (int i = 0; i < 100_000; i++) {
                                        stage.cluster()
                                                .world()
                                                .schedule(
                                                        idle,
                                                        "wait",
                                                        Duration.ofHours(1).toNanos(),
                                                        () -> {});
                                    }
                                }))
                .hasMessageStartingWith("BoundsHold")
                .hasMessageContaining("events");
    }

    @Test
    void filesAreLeftOpen() {
        assertThatThrownBy(
                        inACluster(
                                "BoundsHold",
                                stage -> {
                                    SimBroker leader = leader(stage);
                                    for (int i = 0; i < 1_000; i++) {
                                        leader.disk().open("left-open");
                                    }
                                }))
                .hasMessageStartingWith("BoundsHold")
                .hasMessageContaining("files");
    }

    @Test
    void nobodyComplainsAboutAClusterThatIsLeftInPeace() {
        assertThatNoException().isThrownBy(inACluster("LogsHaveNoHoles", _ -> {}));
        assertThatNoException().isThrownBy(inACluster("BoundsHold", _ -> {}));
    }
}
