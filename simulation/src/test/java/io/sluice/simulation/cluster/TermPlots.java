package io.sluice.simulation.cluster;

import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.cluster.client.SimCommitter;
import io.sluice.simulation.coordination.SimStore;
import io.sluice.simulation.network.Ways;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Stories of leaders' terms: of an in-sync set that shrinks within one, and of those who hear late, or half, that another has begun; told as those of [Plots].
final class TermPlots {
    private static final Duration LONG = Duration.ofSeconds(15);
    private static final int TRIES = 5;

    private TermPlots() {}

    /// A follower lives, and cannot reach its leader any more: that one has it taken out of the in-sync set, and hears so from the controller long before the store tells of it. Who waits for an acknowledgement has waited for nothing else.
    record AFollowerFallsSilent() implements Plot {
        private static final Duration LATE = Duration.ofSeconds(4);
        private static final Duration BOUND = Duration.ofSeconds(15);
        private static final int ENOUGH = 3;

        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return Plots.impatient(drawn, 4, 3);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = Plots.withoutController(stage);
            if (plan != null) {
                SimBroker leader = stage.cluster().broker(plan.leader());
                SimBroker silent = stage.cluster().broker(followers(plan).getFirst());
                stage.cluster().store().slowNews(leader.machine(), LATE);
                stage.cluster().network().ways().cutBoth(leader.machine(), silent.machine());
                stage.advanceUntil(LONG, () -> !Plots.isInSync(stage, plan, silent));
                int before = committed(stage, plan);
                if (!stage.advanceUntil(BOUND, () -> committed(stage, plan) >= before + ENOUGH)) {
                    throw new InvariantBroken(
                            "AcksGoOn",
                            leader.machine()
                                    + " has taken "
                                    + silent.machine()
                                    + " out of the in-sync set, and waits for it: "
                                    + stage.plan(plan.id().index()));
                }
            }
            stage.mend();
        }

        private static int committed(Stage stage, StoredPlan plan) {
            return stage.facts().history().committed(plan.life()).size();
        }
    }

    /// A leader loses the store and the controller, and is replaced; all that it hears of it is what it finds in the store when it is back.
    record ALeaderIsReplacedWithoutTheStore() implements Plot {
        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return Plots.impatient(drawn, 4, 1);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = Plots.withoutController(stage);
            if (plan != null) {
                String former = stage.cluster().broker(plan.leader()).machine();
                String controller = stage.cluster().broker(stage.controller()).machine();
                Ways ways = stage.cluster().network().ways();
                ways.cutBoth(former, SimStore.MACHINE);
                ways.cutBoth(former, controller);
                stage.advanceUntil(LONG, () -> stage.plan(0).leader() != plan.leader());
                stage.advance(Duration.ofSeconds(2));
            }
            stage.mend();
        }
    }

    /// A leader goes on with one follower when it is cut off from everybody else, and the other follower leads. The first one comes back, gives up what only the two of them had, and leads again; its follower has heard of neither term, and
    /// asks for what comes behind that.
    record AFollowerHearsOfNeitherTerm() implements Plot {
        private static final Duration TOO_LATE = Duration.ofMinutes(2);

        @Override
        public ClusterShape shape(ClusterShape drawn) {
            ClusterShape shape = Plots.impatient(drawn, 4, 3);
            return new ClusterShape(
                    shape.brokers(),
                    shape.shards(),
                    shape.topic(),
                    2, // So that what is sent again gets another place.
                    shape.inFlight(),
                    true,
                    shape.heartbeatTimeout(),
                    shape.replicaLagMax(),
                    shape.sessionTimeout(),
                    shape.torment(),
                    Care.PATIENT);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = Plots.withoutController(stage);
            if (plan != null && plan.leader() == plan.replicas().getFirst()) {
                SimBroker leader = stage.cluster().broker(plan.leader());
                SimBroker successor = stage.cluster().broker(followers(plan).getFirst());
                SimBroker unaware = stage.cluster().broker(followers(plan).getLast());
                String controller = stage.cluster().broker(stage.controller()).machine();
                stage.cluster().store().slowNews(unaware.machine(), TOO_LATE);
                List<String> cutOff = List.of(successor.machine(), controller, SimStore.MACHINE);
                Ways ways = stage.cluster().network().ways();
                cutOff.forEach(other -> ways.cutBoth(leader.machine(), other));
                stage.advanceUntil(LONG, () -> leads(stage, plan, successor));
                cutOff.forEach(other -> openBoth(ways, leader.machine(), other));
                stage.advanceUntil(LONG, () -> Plots.isInSync(stage, plan, leader));
                for (int i = 0; i < TRIES && !leads(stage, plan, leader); i++) {
                    stage.admin().electPreferred(plan.id().topic(), plan.id().index());
                    stage.advance(Duration.ofSeconds(1));
                }
                stage.advance(Duration.ofSeconds(6));
            }
            stage.mend();
        }

        private static boolean leads(Stage stage, StoredPlan plan, SimBroker broker) {
            return stage.plan(plan.id().index()).leader() == broker.id();
        }
    }

    /// A group's coordinator has taken a commit when it is cut off from all brokers, and another one coordinates. That one commits for another group, at the place that the commit had in the log of the first; and the first one copies it.
    record ACommitOutlivesItsTerm() implements Plot {
        private static final Duration MOMENT = Duration.ofMillis(50);
        private static final int MOMENTS = 100;

        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return Plots.impatient(drawn, 4, 1);
        }

        @Override
        public void play(Stage stage) {
            int former = stage.coordinator();
            if (former > 0 && stage.controller() > 0 && former != stage.controller()) {
                String machine = stage.cluster().broker(former).machine();
                List<String> cutOff = new ArrayList<>(List.of(SimStore.MACHINE));
                stage.cluster().brokers().forEach(broker -> cutOff.add(broker.machine()));
                cutOff.remove(machine);
                Ways ways = stage.cluster().network().ways();
                cutOff.forEach(other -> ways.cutBoth(machine, other));
                stage.advanceUntil(LONG, () -> stage.coordinator() != former);
                SimCommitter another =
                        new SimCommitter(stage.cluster(), stage.plan(0).id().topic(), 1);
                another.start();
                cutOff.forEach(other -> openBoth(ways, machine, other));
                for (int i = 0; i < MOMENTS; i++) {
                    stage.advance(MOMENT);
                    if (stage.coordinator() > 0) {
                        stage.committer().ask(stage.coordinator());
                    }
                }
                another.stop();
            }
            stage.mend();
        }
    }

    private static List<Integer> followers(StoredPlan plan) {
        List<Integer> others = new ArrayList<>(plan.replicas());
        others.removeIf(id -> id == plan.leader());
        return others;
    }

    private static void openBoth(Ways ways, String one, String other) {
        ways.open(one, other);
        ways.open(other, one);
    }
}
