package io.sluice.cli.outbox;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import io.sluice.cli.output.Value.Mood;
import io.sluice.outbox.compat.Seat;
import io.sluice.outbox.operating.LaneState;
import io.sluice.outbox.operating.Operator;
import io.sluice.outbox.operating.PartState;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;

/// `sluice outbox lanes`
@CommandLine.Command(
        name = "lanes",
        description =
                "Show the lanes: who has them, and what waits in them; in compat mode the parts.")
public final class OutboxLanes implements Command {
    @CommandLine.Mixin DatabaseOptions database = new DatabaseOptions();

    @CommandLine.Option(
            names = "--behind",
            description =
                    "Only those with something to look at: waiting, parked, or without a relay.")
    boolean behind;

    @Override
    public ExitCode run(Session session) {
        Operator operator = Operator.of(database.source(session), database.table());
        if (DatabaseOptions.ask(operator::isCompat)) {
            List<Seat> instances = DatabaseOptions.ask(operator::instances);
            List<PartState> parts =
                    PartState.of(instances).stream()
                            .filter(part -> !behind || !part.isCovered())
                            .toList();
            InstanceRows.print(session, parts, instances);
            return ExitCode.OK;
        }
        List<Fields> rows =
                DatabaseOptions.ask(operator::lanes).stream()
                        .filter(lane -> !behind || isBehind(lane))
                        .map(OutboxLanes::row)
                        .toList();
        session.printer().print(listing(rows));
        return ExitCode.OK;
    }

    private static boolean isBehind(LaneState lane) {
        return !lane.isCovered() || lane.oldest() != null || lane.parkedKeys() > 0;
    }

    private static Fields row(LaneState lane) {
        Long owner = lane.owner();
        Duration oldest = lane.oldest();
        return Fields.of("lane", Value.count(lane.lane()))
                .with(
                        "state",
                        lane.isCovered()
                                ? Value.state("covered", Mood.GOOD)
                                : Value.state("uncovered", Mood.BAD))
                .with("member", owner == null ? Value.absent() : Value.count(owner))
                .with("name", Value.text(lane.ownerName()))
                .with("epoch", Value.count(lane.epoch()))
                .with("sequence", Value.ordinal(lane.sequence()))
                .with("oldestSeconds", oldest == null ? Value.absent() : Value.span(oldest))
                .with("parkedKeys", Value.count(lane.parkedKeys()));
    }

    private static Listing listing(List<Fields> rows) {
        return Listing.of(
                List.of(
                        Column.of("lane", "LANE"),
                        Column.of("state", "STATE"),
                        Column.of("member", "MEMBER"),
                        Column.of("name", "NAME"),
                        Column.of("epoch", "EPOCH"),
                        Column.of("sequence", "SEQUENCE"),
                        Column.of("oldestSeconds", "OLDEST"),
                        Column.of("parkedKeys", "PARKED")),
                rows);
    }
}
