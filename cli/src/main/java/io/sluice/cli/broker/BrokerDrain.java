package io.sluice.cli.broker;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import picocli.CommandLine;

/// `sluice broker drain`
@CommandLine.Command(
        name = "drain",
        description = "Move all replicas of a broker to the others; nothing new is placed there.")
public final class BrokerDrain implements Command {
    @CommandLine.Parameters(paramLabel = "BROKER", description = "Its id.")
    int broker;

    @Override
    public ExitCode run(Session session) {
        BrokerStates states = new BrokerStates(session.cluster());
        states.drain(broker);
        session.printer().print(BrokerStates.changed(broker, "draining"));
        session.note("It is being emptied; see sluice broker list.");
        return ExitCode.OK;
    }
}
