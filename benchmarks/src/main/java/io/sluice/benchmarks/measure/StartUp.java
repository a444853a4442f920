package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.peer.BrokerProcess;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Spread;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.util.List;

/// How long it takes from starting the process on an empty folder to the first acknowledged message.
public final class StartUp implements Measure {
    private static final Figure FIRST_ACKNOWLEDGEMENT =
            Figure.of("startup", "start to first acknowledged message", Unit.SECONDS)
                    .withTarget(new Target.RatioAtMost(1.0 / 4));

    @Override
    public String name() {
        return "startup";
    }

    @Override
    public List<Figure> figures() {
        return List.of(FIRST_ACKNOWLEDGEMENT);
    }

    @Override
    public void run(Session session, Sink sink) {
        double[] seconds = new double[session.pace().starts()];
        for (int start = 0; start < seconds.length; start++) {
            BrokerProcess broker = session.startFresh();
            seconds[start] =
                    broker.awaitFirstAcknowledgement(Session.READY_TOPIC, Session.START_LIMIT)
                                    .toNanos()
                            / 1e9;
            broker.stop();
        }
        sink.value(FIRST_ACKNOWLEDGEMENT, Spread.of(seconds).median());
    }
}
