package io.sluice.chaos.campaign;

import io.sluice.chaos.check.Check;
import io.sluice.chaos.check.Gaps;
import io.sluice.chaos.check.Violation;
import io.sluice.chaos.cluster.AdminEye;
import io.sluice.chaos.cluster.ClusterEye;
import io.sluice.chaos.cluster.ClusterUnderTest;
import io.sluice.chaos.fault.Fault;
import io.sluice.chaos.fault.Injury;
import io.sluice.chaos.fault.Scene;
import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.load.Clients;
import io.sluice.chaos.load.Load;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs faults on a cluster under load, one after the other with quiet windows between them, and judges what the clients have seen.
///
/// Everything that is chosen is chosen by the seed; what the cluster makes of it is not repeatable, because time is real.
///
/// Owned by the thread that runs it.
public final class Campaign {
    private static final Duration START_LIMIT = Duration.ofMinutes(3);
    private static final Duration WHOLE_LIMIT = Duration.ofSeconds(90);

    private final ClusterUnderTest cluster;
    private final CampaignPlan plan;
    private final Consumer<String> progress;
    private final Consumer<Ledger> afterEach;
    private final Ledger ledger = new Ledger();
    private final Random random;
    private final FaultBag bag;
    private long deadlineNanos;

    /// @param afterEach sees what there is to report, after every fault and every verdict
    public Campaign(
            ClusterUnderTest cluster,
            CampaignPlan plan,
            Consumer<String> progress,
            Consumer<Ledger> afterEach) {
        this.afterEach = afterEach;
        this.cluster = cluster;
        this.plan = plan;
        this.progress = progress;
        this.random = new Random(plan.seed());
        this.bag = new FaultBag(plan.faults(), random);
    }

    /// Starts the cluster, runs the campaign and returns what it has seen. The cluster is left running; who made it closes it.
    public Ledger run() {
        try (ClusterEye eye = new AdminEye(cluster)) {
            long began = System.nanoTime();
            cluster.startAll();
            eye.awaitBrokers(cluster.brokers().size(), START_LIMIT);
            progress.accept(
                    "%d brokers came together in %s"
                            .formatted(
                                    cluster.brokers().size(),
                                    Incident.seconds(Duration.ofNanos(System.nanoTime() - began))));
            deadlineNanos = System.nanoTime() + plan.limit().toNanos();
            for (int round = 1; goesOn(); round++) {
                round(eye, round);
            }
        }
        return ledger;
    }

    /// What there is to report; also while it runs, by the same thread.
    public Ledger ledger() {
        return ledger;
    }

    private boolean goesOn() {
        return ledger.faults() < plan.count() && System.nanoTime() < deadlineNanos;
    }

    private void round(ClusterEye eye, int round) {
        // Without the time, a second campaign on the same data would find the first one's messages.
        String topic = "chaos-%d-%d".formatted(System.currentTimeMillis(), round);
        Recovery recovery = new Recovery(cluster, eye, WHOLE_LIMIT, this::finding);
        eye.createTopic(topic, plan.load().partitions());
        try (Load load = new Load(new Clients(cluster.bootstrap()), topic, plan.load())) {
            recovery.await(topic, load);
            for (int fault = 0; fault < plan.faultsPerRound() && goesOn(); fault++) {
                Recovery.sleep(plan.pace().quiet(random));
                incident(bag.draw(), eye, topic, load, recovery);
            }
            String laggards = load.finish();
            if (!laggards.isEmpty()) {
                finding("readers are stuck behind the end: " + laggards);
            }
            judge(load.history(), round);
            afterEach.accept(ledger);
        }
    }

    private void incident(Fault fault, ClusterEye eye, String topic, Load load, Recovery recovery) {
        Scene scene = new Scene(cluster, eye, topic, random, plan.pace(), this::finding);
        long began = System.nanoTime();
        Injury injury = fault.inflict(scene);
        Recovery.sleep(injury.lasts());
        injury.healing().run();
        @Nullable Duration whole = recovery.await(topic, load);
        long ended = System.nanoTime();
        Gaps gaps = new Gaps(load.history(), began, ended);
        Incident incident =
                new Incident(
                        ledger.faults() + 1,
                        fault.kind(),
                        injury.story(),
                        gaps.worst(injury.watched()),
                        whole,
                        givenUp(load.history(), began));
        ledger.add(incident);
        progress.accept(incident.line());
        afterEach.accept(ledger);
    }

    private static int givenUp(History history, long sinceNanos) {
        int[] count = new int[1];
        history.forEach(
                event -> {
                    if ((event instanceof Event.Unknown || event instanceof Event.Failed)
                            && event.atNanos() >= sinceNanos) {
                        count[0]++;
                    }
                });
        return count[0];
    }

    private void judge(History history, int round) {
        long acknowledged = history.of(Event.Acknowledged.class).count();
        long unknown = history.of(Event.Unknown.class).count();
        ledger.addRound(acknowledged, unknown, history.of(Event.Polled.class).count());
        List<String> broken = new ArrayList<>();
        for (Check check : Check.all()) {
            List<Violation> found = check.find(history);
            ledger.addVerdict(check.name(), found, round);
            if (!found.isEmpty()) {
                broken.add(found.size() + " " + check.name());
                found.stream().limit(3).forEach(violation -> progress.accept("    " + violation));
            }
        }
        progress.accept(
                "round %d: %d acknowledged, %d unknown, %s"
                        .formatted(
                                round,
                                acknowledged,
                                unknown,
                                broken.isEmpty() ? "everything held" : String.join(", ", broken)));
        if (!broken.isEmpty()) {
            Path kept = plan.histories().resolve("history-" + round + ".txt");
            history.write(kept);
            progress.accept("    what every client did and saw: " + kept);
        }
    }

    private void finding(String sentence) {
        String placed = "fault #" + (ledger.faults() + 1) + ": " + sentence;
        ledger.addFinding(placed);
        progress.accept("FINDING " + placed);
    }
}
