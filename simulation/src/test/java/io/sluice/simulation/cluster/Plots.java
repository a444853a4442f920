package io.sluice.simulation.cluster;

import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.coordination.SimStore;
import io.sluice.simulation.network.Ways;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Stories in which mistakes show that need more to come together than random faults bring about within a build.
///
/// Each is told of a cluster that the seed draws but for what the story needs; a correct one survives all of them.
final class Plots {
    private static final Duration LONG = Duration.ofSeconds(15);

    private Plots() {}

    /// With a topic that is fsynced, and brokers that are soon held for dead and replicas that are soon left behind.
    static ClusterShape impatient(ClusterShape drawn, int brokers, int partitions) {
        return impatient(drawn, brokers, partitions, false);
    }

    private static ClusterShape impatient(
            ClusterShape drawn, int brokers, int partitions, boolean pageCache) {
        TopicShape topic =
                new TopicShape(
                        drawn.topic().name(),
                        partitions,
                        3,
                        2,
                        pageCache,
                        3_600_000L,
                        TopicShape.ANY_LAG);
        return new ClusterShape(
                brokers,
                drawn.shards(),
                topic,
                drawn.producers(),
                drawn.inFlight(),
                drawn.careless(),
                Duration.ofMillis(1_500),
                Duration.ofSeconds(1),
                Duration.ofSeconds(9),
                drawn.torment(),
                Care.PATIENT);
    }

    /// One replica was away and cannot reach its leader now, though the controller hears of it; another dies and comes back: the leader asks for that one alone.
    record OneLagsWhileAnotherReturns() implements Plot {
        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return impatient(drawn, 4, 3);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = withoutController(stage);
            if (plan != null) {
                SimBroker leader = stage.cluster().broker(plan.leader());
                List<Integer> others = new ArrayList<>(plan.replicas());
                others.removeIf(id -> id == plan.leader());
                SimBroker lagging = stage.cluster().broker(others.getFirst());
                SimBroker returning = stage.cluster().broker(others.getLast());
                lagging.kill();
                stage.advanceUntil(LONG, () -> !isInSync(stage, plan, lagging));
                stage.cluster().network().ways().cutBoth(leader.machine(), lagging.machine());
                lagging.startIn(Duration.ofMillis(100));
                stage.advance(Duration.ofSeconds(3));
                returning.kill();
                stage.advanceUntil(LONG, () -> !isInSync(stage, plan, returning));
                returning.startIn(Duration.ofMillis(100));
                stage.advanceUntil(LONG, () -> isInSync(stage, plan, returning));
                stage.advance(Duration.ofSeconds(1));
            }
            stage.mend();
        }
    }

    /// A replica has caught up, and the controller takes it in; before it hears that this is written it loses the store. The replica falls behind at once, and the leader hears late of the plan.
    record AnOfficeEndsWithACommitUnderWay() implements Plot {
        private static final Duration MOMENT = Duration.ofNanos(50_000);

        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return impatient(drawn, 4, 3);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = withoutController(stage);
            if (plan != null) {
                SimBroker leader = stage.cluster().broker(plan.leader());
                List<Integer> others = new ArrayList<>(plan.replicas());
                others.removeIf(id -> id == plan.leader());
                SimBroker returning = stage.cluster().broker(others.getFirst());
                String controller = stage.cluster().broker(stage.controller()).machine();
                returning.kill();
                stage.advanceUntil(LONG, () -> !isInSync(stage, plan, returning));
                Ways ways = stage.cluster().network().ways();
                ways.cutBoth(leader.machine(), returning.machine());
                returning.startIn(Duration.ofMillis(100));
                stage.advance(Duration.ofSeconds(3));
                stage.cluster().store().slowNews(leader.machine(), Duration.ofSeconds(4));
                ways.open(leader.machine(), returning.machine());
                ways.open(returning.machine(), leader.machine());
                for (int i = 0; i < 100_000 && !isInSync(stage, plan, returning); i++) {
                    stage.advance(MOMENT);
                }
                stage.cluster().store().disconnect(controller);
                ways.cutBoth(leader.machine(), returning.machine());
                stage.advance(Duration.ofSeconds(2));
            }
            stage.mend();
        }
    }

    /// A leader cannot reach the controller and is replaced; then it can again, but hears nothing from the store: it takes itself for the leader, and those who do not fetch from it any more for lagging.
    record AFormerLeaderHearsLate() implements Plot {
        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return impatient(drawn, 4, 3);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = withoutController(stage);
            if (plan != null) {
                String former = stage.cluster().broker(plan.leader()).machine();
                String controller = stage.cluster().broker(stage.controller()).machine();
                Ways ways = stage.cluster().network().ways();
                ways.cutBoth(former, SimStore.MACHINE);
                ways.cutBoth(former, controller);
                stage.advanceUntil(
                        LONG, () -> stage.plan(plan.id().index()).leader() != plan.leader());
                // They still give something to it, which nobody fetches; then they find the other
                // one.
                stage.advance(Duration.ofMillis(300));
                stage.cluster().clients().forEach(client -> ways.cutBoth(client, former));
                ways.open(former, controller);
                ways.open(controller, former);
                stage.advance(Duration.ofSeconds(6));
            }
            stage.mend();
        }
    }

    static @Nullable StoredPlan withoutController(Stage stage) {
        int controller = stage.controller();
        for (int index = 0; index < stage.cluster().shape().topic().partitions(); index++) {
            StoredPlan plan = stage.plan(index);
            if (!plan.replicas().contains(controller)) {
                return plan;
            }
        }
        return null;
    }

    /// A follower's fetch is under way when its disk is replaced by an empty one, and comes to the leader when the broker has registered anew and cannot fetch yet. The third replica is away, so that nothing is
    /// committed meanwhile, and what the fetch says is not out of date by itself.
    record AnOldFetchComesLate() implements Plot {
        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return impatient(drawn, 4, 3);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = withoutController(stage);
            if (plan != null) {
                SimBroker leader = stage.cluster().broker(plan.leader());
                List<Integer> others = new ArrayList<>(plan.replicas());
                others.removeIf(id -> id == plan.leader());
                SimBroker follower = stage.cluster().broker(others.getFirst());
                SimBroker away = stage.cluster().broker(others.getLast());
                away.kill();
                stage.advanceUntil(LONG, () -> !isInSync(stage, plan, away));
                Ways ways = stage.cluster().network().ways();
                ways.straggle(follower.machine());
                ways.cut(follower.machine(), leader.machine());
                stage.advance(Duration.ofSeconds(1)); // The answer to the last one comes yet.
                stage.cluster().network().resetAll(follower.machine(), leader.machine());
                ways.open(follower.machine(), leader.machine());
                ways.cut(leader.machine(), follower.machine());
                follower.wipe();
                stage.cluster().store().expire(follower.machine()); // It need not wait for that.
                follower.startIn(Duration.ofMillis(100));
                stage.advance(Duration.ofSeconds(8));
            }
            stage.mend();
        }
    }

    /// A follower is frozen for longer than its session lives, and a machine with an empty disk gets its id. That one hangs when it has just been admitted, and the first one goes on: it has all that was committed, and the
    /// plan names its id in an epoch that is not its own. The third replica is away, so that what the leader commits is what it takes the two for.
    record AnOldProcessFindsItsIdTaken() implements Plot {
        private static final Duration MOMENT = Duration.ofNanos(50_000);

        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return impatient(drawn, 4, 3);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = withoutController(stage);
            if (plan != null) {
                List<Integer> others = new ArrayList<>(plan.replicas());
                others.removeIf(id -> id == plan.leader());
                SimBroker taken = stage.cluster().broker(others.getFirst());
                SimBroker away = stage.cluster().broker(others.getLast());
                away.kill();
                stage.advanceUntil(LONG, () -> !isInSync(stage, plan, away));
                taken.freezeAndReplace();
                stage.cluster().store().expire(taken.machine()); // Nobody waits for that here.
                stage.advanceUntil(LONG, () -> !isInSync(stage, plan, taken));
                taken.startIn(Duration.ofMillis(100));
                for (int i = 0; i < 400_000 && !stage.isAdmitted(taken.id()); i++) {
                    stage.advance(MOMENT);
                }
                taken.pause();
                taken.resumeReplaced();
                stage.advance(Duration.ofSeconds(2));
                taken.resume();
                away.startIn(Duration.ofMillis(100));
                // More than it is given to find its place free again.
                stage.advance(Duration.ofSeconds(40));
                if (taken.hasReplaced()) {
                    throw new InvariantBroken(
                            "TheReplacedGiveUp", "broker " + taken.id() + " runs twice for ever");
                }
            }
            stage.mend();
        }
    }

    static boolean isInSync(Stage stage, StoredPlan plan, SimBroker broker) {
        return stage.plan(plan.id().index()).inSync().contains(broker.id());
    }

    /// One replica of a topic in the page cache is away, another one loses power: nothing is committed without it, so that it would stay eligible if it had lost nothing.
    record APowerLossWhileAnotherIsAway() implements Plot {
        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return impatient(drawn, 3, 1, true);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = stage.plan(0);
            List<Integer> others = new ArrayList<>(plan.replicas());
            others.removeIf(id -> id == plan.leader());
            SimBroker leader = stage.cluster().broker(plan.leader());
            SimBroker away = stage.cluster().broker(others.getFirst());
            SimBroker dark = stage.cluster().broker(others.getLast());
            away.kill();
            stage.advanceUntil(LONG, () -> !isInSync(stage, plan, away));
            stage.advance(Duration.ofSeconds(3));
            dark.losePower();
            stage.advanceUntil(LONG, () -> !isInSync(stage, plan, dark));
            // It returns, and cannot copy yet what it lacks.
            stage.cluster().network().ways().cutBoth(leader.machine(), dark.machine());
            dark.startIn(Duration.ofMillis(100));
            stage.advance(Duration.ofSeconds(3));
            stage.mend();
        }
    }

    /// A group's coordinator loses the store, and then the controller that it knows loses its office: it goes on to ask that one, who has heard of it and vouches for nothing. Meanwhile another one coordinates.
    ///
    /// The group's member cannot reach the old one until then: a commit that waits there for ever would keep it from answering questions, too.
    record ACoordinatorIsLeftWithAFormerController() implements Plot {
        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return impatient(drawn, 4, 1);
        }

        @Override
        public void play(Stage stage) {
            int left = stage.coordinator();
            int controller = stage.controller();
            if (left > 0 && controller > 0 && left != controller) {
                String machine = stage.cluster().broker(left).machine();
                String member = stage.committer().machine();
                Ways ways = stage.cluster().network().ways();
                ways.cutBoth(member, machine);
                ways.cutBoth(machine, SimStore.MACHINE);
                stage.cluster().store().expire(stage.cluster().broker(controller).machine());
                stage.advanceUntil(LONG, () -> stage.coordinator() != left);
                stage.advance(Duration.ofSeconds(12)); // It finds the new one, and goes on there.
                ways.open(member, machine);
                ways.open(machine, member);
                for (int i = 0; i < 20; i++) {
                    stage.advance(Duration.ofMillis(250));
                    stage.committer().ask(left);
                }
            }
            stage.mend();
        }
    }

    /// A disk is replaced by an empty one, and its broker comes back when nobody else is there: the others have the data, and are only away.
    record AnEmptyDiskWhileOthersAreAway() implements Plot {
        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return impatient(drawn, 3, 1);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = stage.plan(0);
            SimBroker leader = stage.cluster().broker(plan.leader());
            SimBroker away = stage.cluster().broker(plan.replicas().getLast());
            if (away == leader) {
                away = stage.cluster().broker(plan.replicas().getFirst());
            }
            SimBroker gone = away;
            gone.kill();
            stage.advanceUntil(LONG, () -> !isInSync(stage, plan, gone));
            stage.advance(Duration.ofSeconds(2));
            leader.wipe();
            stage.advanceUntil(LONG, () -> !isInSync(stage, plan, leader));
            for (SimBroker other : stage.cluster().brokers()) {
                other.kill();
            }
            leader.startIn(Duration.ofMillis(500));
            stage.advance(Duration.ofSeconds(15)); // Until the controller's session has ended.
            stage.mend();
        }
    }

    /// A replica's folder is deleted while the third one is away: nothing is committed without it, so that it would stay eligible if it had lost nothing. It is killed when it has just begun to be copied anew, and comes back when its leader
    /// is gone: nothing on its disk tells any more that something is missing.
    record AFolderIsDeletedWhileAnotherIsAway() implements Plot {
        private static final Duration MOMENT = Duration.ofNanos(50_000);

        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return impatient(drawn, 4, 3);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = withoutController(stage);
            if (plan != null) {
                SimBroker leader = stage.cluster().broker(plan.leader());
                List<Integer> others = new ArrayList<>(plan.replicas());
                others.removeIf(id -> id == plan.leader());
                SimBroker losing = stage.cluster().broker(others.getFirst());
                SimBroker away = stage.cluster().broker(others.getLast());
                stage.advance(Duration.ofSeconds(6)); // Until its checkpoint knows of something.
                away.kill();
                stage.advanceUntil(LONG, () -> !isInSync(stage, plan, away));
                losing.kill();
                stage.advanceUntil(LONG, () -> !isInSync(stage, plan, losing));
                losing.loseFiles(plan.id(), "");
                losing.startIn(Duration.ofMillis(100));
                for (int i = 0; i < 400_000 && !hasBegunAnew(losing, plan); i++) {
                    stage.advance(MOMENT);
                }
                losing.kill();
                leader.kill();
                losing.startIn(Duration.ofMillis(100));
                away.startIn(Duration.ofMillis(100));
                stage.advance(Duration.ofSeconds(12));
            }
            stage.mend();
        }

        private static boolean hasBegunAnew(SimBroker broker, StoredPlan plan) {
            return broker.disk().namesIn(plan.id().toString()).stream()
                    .anyMatch(name -> name.endsWith(".log"));
        }
    }

    /// The disk of a leader is full, and nothing else is wrong: another one leads and takes messages, while it is still full. Segments are short, so that not even what was written ahead lets it go on.
    record ALeadersDiskIsFull() implements Plot {
        private static final Duration BOUND = Duration.ofSeconds(30);
        private static final long SEGMENT_MILLIS = 2_000;
        private static final int ENOUGH = 3;

        @Override
        public ClusterShape shape(ClusterShape drawn) {
            ClusterShape shape = impatient(drawn, 3, 1);
            TopicShape topic = shape.topic();
            return new ClusterShape(
                    shape.brokers(),
                    shape.shards(),
                    new TopicShape(
                            topic.name(),
                            topic.partitions(),
                            topic.replicas(),
                            topic.minInSync(),
                            topic.pageCache(),
                            SEGMENT_MILLIS,
                            TopicShape.ANY_LAG),
                    shape.producers(),
                    shape.inFlight(),
                    shape.careless(),
                    shape.heartbeatTimeout(),
                    shape.replicaLagMax(),
                    shape.sessionTimeout(),
                    shape.torment(),
                    Care.PATIENT);
        }

        @Override
        public void play(Stage stage) {
            SimBroker full = stage.cluster().broker(stage.plan(0).leader());
            full.disk().capacity(full.disk().usedBytes());
            require(
                    stage.advanceUntil(BOUND, () -> stage.plan(0).leader() != full.id()),
                    full.machine() + " goes on to lead with a full disk");
            int before = committed(stage);
            require(
                    stage.advanceUntil(BOUND, () -> committed(stage) >= before + ENOUGH),
                    "nobody takes messages while " + full.machine() + " has a full disk");
            require(full.isUp(), full.machine() + " has ended, though its disk was only full");
            stage.mend();
            require(
                    stage.advanceUntil(
                            BOUND.multipliedBy(2),
                            () -> stage.plan(0).leader() == stage.plan(0).replicas().getFirst()),
                    full.machine() + " has room again, and another leads than should");
        }

        private static int committed(Stage stage) {
            return stage.facts().history().committed(stage.plan(0).life()).size();
        }

        private static void require(boolean isSo, String otherwise) {
            if (!isSo) {
                throw new InvariantBroken("AFullLeaderYields", otherwise);
            }
        }
    }
}
