package io.sluice.cli.broker;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import picocli.CommandLine;

/// `sluice rebalance`
@CommandLine.Command(
        name = "rebalance",
        description = "Spread replicas and leaders evenly over the brokers that are there.")
public final class RebalanceCommand implements Command {
    @Override
    public ExitCode run(Session session) {
        BrokerStates states = new BrokerStates(session.cluster());
        states.rebalance();
        int moves = states.moves();
        session.note(
                moves == 0
                        ? "Nothing has to move, or it has moved already."
                        : moves + " partition(s) are on the move; see sluice cluster health.");
        return ExitCode.OK;
    }
}
