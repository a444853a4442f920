package io.sluice.cli.broker;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;

/// `sluice broker drain`
@CommandLine.Command(
        name = "drain",
        description = "Move all replicas of a broker to the others; nothing new is placed there.")
public final class BrokerDrain implements Command {
    @CommandLine.Parameters(paramLabel = "BROKER", description = "Its id.")
    int broker;

    @CommandLine.Mixin MoveThrottle throttle = new MoveThrottle();

    @Override
    public ExitCode run(Session session) {
        throttle.apply(session.cluster());
        BrokerStates states = new BrokerStates(session.cluster());
        states.drain(broker);
        Set<Integer> draining = new TreeSet<>(states.draining());
        draining.add(broker);
        Stranded stranded = Stranded.ask(session.cluster(), draining);
        session.printer()
                .print(
                        BrokerStates.changed(
                                Fields.of("broker", Value.count(broker))
                                        .with("status", Value.text("draining"))
                                        .with("stranded", Value.count(stranded.of(broker)))));
        stranded.outlook(broker).forEach(session::note);
        return ExitCode.OK;
    }
}
