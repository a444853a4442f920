package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.peer.Brokers;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Spread;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How long it takes from starting the process on an empty folder to the first acknowledged message; of a cluster, from starting all its processes to a
/// message that its replicas have.
public final class StartUp implements Measure {
    private final Figure firstAcknowledgement;

    private StartUp(@Nullable Target target) {
        firstAcknowledgement =
                new Figure("startup", "start to first acknowledged message", Unit.SECONDS, target);
    }

    public static StartUp ofOneNode() {
        return new StartUp(new Target.RatioAtMost(1.0 / 4));
    }

    public static StartUp ofCluster() {
        return new StartUp(null);
    }

    @Override
    public String name() {
        return "startup";
    }

    @Override
    public List<Figure> figures() {
        return List.of(firstAcknowledgement);
    }

    @Override
    public void run(Session session, Sink sink) {
        double[] seconds = new double[session.pace().starts()];
        for (int start = 0; start < seconds.length; start++) {
            Brokers brokers = session.startFresh();
            seconds[start] =
                    brokers.awaitFirstAcknowledgement(Session.READY_TOPIC, Session.START_LIMIT)
                                    .toNanos()
                            / 1e9;
            if (brokers.site().isCluster() && start == seconds.length - 1) {
                session.share(); // Three JVMs take their time: the next measure need not start
                // them again.
            } else {
                session.end(brokers);
            }
        }
        sink.value(firstAcknowledgement, Spread.of(seconds).median());
    }
}
