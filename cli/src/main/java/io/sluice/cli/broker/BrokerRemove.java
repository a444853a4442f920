package io.sluice.cli.broker;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import picocli.CommandLine;

/// `sluice broker remove`
@CommandLine.Command(
        name = "remove",
        description = "Forget a broker that is away and holds nothing.")
public final class BrokerRemove implements Command {
    @CommandLine.Parameters(paramLabel = "BROKER", description = "Its id.")
    int broker;

    @Override
    public ExitCode run(Session session) {
        BrokerStates states = new BrokerStates(session.cluster());
        states.remove(broker);
        session.printer().print(BrokerStates.changed(broker, "removed"));
        return ExitCode.OK;
    }
}
