package io.sluice.cli.broker;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.util.List;
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
        session.printer()
                .print(
                        Details.of(
                                "rebalance",
                                List.of(Column.of("moving", "Moving")),
                                Fields.of("moving", Value.count(moves))));
        session.note(
                moves == 0
                        ? "Nothing has to move, or it has moved already."
                        : moves + " partition(s) are on the move; see sluice cluster health.");
        return ExitCode.OK;
    }
}
