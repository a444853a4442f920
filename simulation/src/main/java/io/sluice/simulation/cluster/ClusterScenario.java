package io.sluice.simulation.cluster;

import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.Scenario;
import io.sluice.simulation.Story;
import io.sluice.simulation.cluster.client.SimAdmin;
import io.sluice.simulation.cluster.client.SimCommitter;
import io.sluice.simulation.cluster.client.SimKafkaConsumer;
import io.sluice.simulation.cluster.client.SimKafkaProducer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/// One seed's cluster: started, used, tormented, mended; at the end everybody must have caught up.
///
/// Owned by its run.
public final class ClusterScenario {
    private static final Duration CHECKPOINT = Duration.ofSeconds(1);
    private static final Duration START_LIMIT = Duration.ofMinutes(1);
    private static final Duration MEND_LIMIT = Duration.ofMinutes(2);
    private static final Duration CALM = Duration.ofSeconds(3);

    private final Cluster cluster;
    private final ClusterHabits habits;
    private final Watch watch;
    private final SimAdmin admin;
    private final Plot plot;
    private final List<SimKafkaProducer> producers = new ArrayList<>();
    private final List<SimKafkaConsumer> consumers = new ArrayList<>();
    private final SimCommitter committer;

    /// Reads everything once more when all is over.
    private final SimKafkaConsumer late;

    private boolean created;

    private ClusterScenario(long seed, Play play, Story story) {
        this.plot = play.plot();
        this.habits = play.habits();
        this.cluster = new Cluster(seed, plot, habits, story);
        this.watch = new Watch(cluster, play.invariants());
        this.admin = new SimAdmin(cluster);
        String topic = cluster.shape().topic().name();
        int number = 0;
        for (; number < cluster.shape().producers(); number++) {
            producers.add(new SimKafkaProducer(cluster, watch, topic, number, false));
        }
        if (cluster.shape().careless()) {
            producers.add(new SimKafkaProducer(cluster, watch, topic, number, true));
        }
        consumers.add(new SimKafkaConsumer(cluster, watch, topic, 0));
        late = new SimKafkaConsumer(cluster, watch, topic, 1);
        committer = new SimCommitter(cluster, topic, 0);
        cluster.tell(() -> cluster.shape().toString());
    }

    public static Scenario usual() {
        return with(ClusterHabits.GOOD, _ -> true);
    }

    /// With a mistake, to see that it is found.
    static Scenario with(ClusterHabits habits, Predicate<String> invariants) {
        return of(new Play(new Torment(), habits, invariants));
    }

    /// With a story of its own.
    static Scenario of(Play play) {
        return (seed, story) ->
                SimLog.during(story, () -> new ClusterScenario(seed, play, story).run());
    }

    /// What is done to which brokers, and who watches.
    ///
    /// @param invariants by name, those that count
    record Play(Plot plot, ClusterHabits habits, Predicate<String> invariants) {}

    private Scenario.Report run() {
        SimLog.world(cluster.world());
        cluster.brokers().forEach(SimBroker::start);
        createTopic();
        advanceUntil(START_LIMIT, () -> created, "no topic");
        producers.forEach(SimKafkaProducer::start);
        consumers.forEach(SimKafkaConsumer::start);
        committer.start();
        advance(CALM);
        plot.play(new Stage(cluster, watch.facts(), admin, committer, this::advance));
        advance(CALM);
        producers.forEach(SimKafkaProducer::stop);
        committer.stop();
        late.start();
        consumers.add(late);
        new EveryoneCatchesUp(cluster, watch.facts()).begin();
        advanceUntil(MEND_LIMIT, this::isAllWell, "");
        watch.checkpoint();
        cluster.count("frames that came late", cluster.network().stragglers());
        return new Scenario.Report(
                cluster.world().trace().value(), cluster.world().executed(), cluster.counts());
    }

    private void createTopic() {
        admin.create(cluster.topic(cluster.shape().topic().partitions()), () -> created = true);
    }

    private void advance(Duration span) {
        long end = cluster.world().clock().monotonicNanos() + span.toNanos();
        while (cluster.world().clock().monotonicNanos() < end) {
            long left = end - cluster.world().clock().monotonicNanos();
            cluster.world()
                    .runFor(
                            Duration.ofNanos(Math.min(left, CHECKPOINT.toNanos())),
                            watch::afterEvent);
            watch.checkpoint();
        }
    }

    private void advanceUntil(Duration limit, BooleanSupplier reached, String otherwise) {
        long end = cluster.world().clock().monotonicNanos() + limit.toNanos();
        while (!reached.getAsBoolean()) {
            if (cluster.world().clock().monotonicNanos() >= end) {
                throw new InvariantBroken(
                        "EveryoneCatchesUp", limit + " later: " + otherwise + whatIsWrong());
            }
            advance(CHECKPOINT);
        }
    }

    private boolean isAllWell() {
        return whatIsWrong().isEmpty();
    }

    private String whatIsWrong() {
        List<String> wrong = new ArrayList<>(new EveryoneCatchesUp(cluster, watch.facts()).wrong());
        for (SimKafkaProducer producer : producers) {
            if (!producer.isDone()) {
                wrong.add(producer.toString());
            }
        }
        if (!committer.isDone()) {
            wrong.add(committer.toString());
        }
        List<StoredPlan> present = watch.facts().plans().of(cluster.shape().topic().name());
        if (present.isEmpty()) {
            wrong.add("there is no topic");
        }
        for (StoredPlan plan : present) {
            long end = watch.facts().plans().endAtLeader(plan.id(), watch.facts().logs());
            for (SimKafkaConsumer consumer : consumers) {
                long position = consumer.position(plan.life());
                if (position != end) {
                    wrong.add("a consumer of " + plan.life() + " is at " + position + " of " + end);
                }
            }
        }
        return String.join("; ", wrong);
    }
}
