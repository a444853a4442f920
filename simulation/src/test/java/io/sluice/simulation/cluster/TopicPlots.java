package io.sluice.simulation.cluster;

import io.sluice.simulation.network.Ways;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Stories of topics that are deleted and made again, and of replicas that fall behind by messages; told as those of [Plots].
final class TopicPlots {
    private static final Duration LONG = Duration.ofSeconds(15);
    private static final int TRIES = 5;

    private TopicPlots() {}

    /// A replica is moved away from a broker that is down, and then the topic is deleted: nobody waits for that broker. It comes back when there is no topic of the name, and later gets a replica of the next one.
    record AFormerReplicaMissesTheDeletion() implements Plot {
        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return Plots.impatient(drawn, 4, 1);
        }

        @Override
        public void play(Stage stage) {
            stage.advance(Duration.ofSeconds(8)); // Until its checkpoint knows of something.
            StoredPlan plan = stage.plan(0);
            SimBroker away = someFollower(stage, plan);
            if (away == null) {
                return;
            }
            List<Integer> others = new ArrayList<>(List.of(1, 2, 3, 4));
            others.remove(Integer.valueOf(away.id()));
            away.kill();
            stage.advanceUntil(LONG, () -> !Plots.isInSync(stage, plan, away));
            move(stage, plan, others);
            stage.deleteTopic();
            away.startIn(Duration.ofMillis(100));
            stage.advanceUntil(LONG, () -> stage.isAdmitted(away.id()));
            stage.advance(Duration.ofSeconds(2));
            if (stage.makeTopic(1)) {
                stage.advance(Duration.ofSeconds(3));
                List<Integer> withIt = new ArrayList<>(others.subList(0, 2));
                withIt.add(away.id());
                move(stage, plan, withIt);
                stage.advance(Duration.ofSeconds(3));
            }
            stage.mend();
        }
    }

    /// Asks again, since one that is asked for the controller may be down.
    private static void move(Stage stage, StoredPlan plan, List<Integer> replicas) {
        for (int i = 0; i < TRIES && !stage.plan(0).replicas().equals(replicas); i++) {
            stage.admin().move(plan.id().topic(), 0, replicas);
            stage.advance(Duration.ofSeconds(3));
        }
    }

    /// A topic is deleted while one of its brokers is down, and made again when that one is back and has removed what it had. All that it may still know of the old one is how far it had come.
    record AReplicaMissesTheDeletion() implements Plot {
        @Override
        public ClusterShape shape(ClusterShape drawn) {
            return Plots.impatient(drawn, 3, 1);
        }

        @Override
        public void play(Stage stage) {
            stage.advance(Duration.ofSeconds(8)); // Until its checkpoint knows of something.
            StoredPlan plan = stage.plan(0);
            SimBroker away = someFollower(stage, plan);
            if (away == null) {
                return;
            }
            away.kill();
            stage.advanceUntil(LONG, () -> !Plots.isInSync(stage, plan, away));
            stage.deleteTopic();
            away.startIn(Duration.ofMillis(100));
            stage.advanceUntil(LONG, () -> stage.isAdmitted(away.id()));
            if (stage.makeTopic(1)) {
                stage.advance(Duration.ofSeconds(3));
                List<Integer> itFirst = new ArrayList<>(List.of(1, 2, 3));
                itFirst.remove(Integer.valueOf(away.id()));
                itFirst.addFirst(away.id());
                stage.admin().move(plan.id().topic(), 0, itFirst);
                stage.advance(Duration.ofSeconds(2));
                stage.admin().electPreferred(plan.id().topic(), 0);
                stage.advance(Duration.ofSeconds(5));
            }
            stage.mend();
        }
    }

    /// Neither leads nor is the controller, so that nobody is elected when it dies.
    private static @Nullable SimBroker someFollower(Stage stage, StoredPlan plan) {
        for (int replica : plan.replicas()) {
            if (replica != plan.leader() && replica != stage.controller()) {
                return stage.cluster().broker(replica);
            }
        }
        return null;
    }

    /// A leader asks for a follower that has caught up, and its question does not get to the controller. The follower falls behind, and the leader asks for the set that there is, to be rid of its doubt; what it hears lets it commit without the
    /// follower. Then the first question arrives.
    record AProposalComesLate() implements Plot {
        private static final int LAG = 3;

        @Override
        public ClusterShape shape(ClusterShape drawn) {
            ClusterShape shape = Plots.impatient(drawn, 4, 3);
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
                            topic.segmentMillis(),
                            LAG),
                    shape.producers(),
                    shape.inFlight(),
                    shape.careless(),
                    Duration.ofSeconds(3), // The leader must not be held for dead.
                    shape.replicaLagMax(),
                    shape.sessionTimeout(),
                    shape.torment(),
                    Care.PATIENT);
        }

        @Override
        public void play(Stage stage) {
            StoredPlan plan = Plots.withoutController(stage);
            if (plan != null) {
                String leader = stage.cluster().broker(plan.leader()).machine();
                String controller = stage.cluster().broker(stage.controller()).machine();
                List<Integer> others = new ArrayList<>(plan.replicas());
                others.removeIf(id -> id == plan.leader());
                SimBroker lagging = stage.cluster().broker(others.getFirst());
                Ways ways = stage.cluster().network().ways();
                ways.cut(leader, lagging.machine());
                stage.advanceUntil(LONG, () -> !Plots.isInSync(stage, plan, lagging));
                ways.straggle(leader);
                ways.cut(leader, controller);
                ways.open(leader, lagging.machine());
                stage.advanceUntil(Duration.ofSeconds(1), () -> hasCaughtUp(stage, plan, lagging));
                stage.advance(Duration.ofMillis(100));
                ways.cut(leader, lagging.machine());
                stage.advance(Duration.ofMillis(1_100));
                stage.cluster().network().resetAll(leader, controller);
                ways.open(leader, controller);
                ways.keepUp(leader);
                stage.advance(Duration.ofSeconds(7)); // As late as anything comes.
            }
            stage.mend();
        }

        private static boolean hasCaughtUp(Stage stage, StoredPlan plan, SimBroker broker) {
            return stage.facts().logs().of(broker.id(), plan.id()).endOffset()
                    == stage.facts().plans().endAtLeader(plan.id(), stage.facts().logs());
        }
    }
}
