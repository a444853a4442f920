package io.sluice.cli.broker;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import picocli.CommandLine;

/// `sluice broker resume`
@CommandLine.Command(
        name = "resume",
        description = "Let a broker that was drained take part again.")
public final class BrokerResume implements Command {
    @CommandLine.Parameters(paramLabel = "BROKER", description = "Its id.")
    int broker;

    @Override
    public ExitCode run(Session session) {
        BrokerStates states = new BrokerStates(session.cluster());
        states.resume(broker);
        session.printer().print(BrokerStates.changed(broker, "active"));
        return ExitCode.OK;
    }
}
