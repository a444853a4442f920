package io.sluice.cli.outbox;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import io.sluice.cli.output.Value.Mood;
import io.sluice.outbox.operating.Operator;
import io.sluice.outbox.operating.Summary;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;

/// `sluice outbox status`
@CommandLine.Command(
        name = "status",
        description = "Show what waits, for how long, and who publishes it.")
public final class OutboxStatus implements Command {
    private static final Duration MOMENT = Duration.ofSeconds(2);

    @CommandLine.Mixin DatabaseOptions database = new DatabaseOptions();

    @Override
    public ExitCode run(Session session) {
        Operator operator = Operator.of(database.source(session), database.table());
        Summary summary = DatabaseOptions.ask(operator::summary);
        session.printer().print(details(summary));
        return ExitCode.OK;
    }

    private static Details details(Summary summary) {
        Duration oldest = summary.oldest();
        Fields fields =
                Fields.of("table", Value.text(summary.table()))
                        .with("mode", Value.text(summary.mode()))
                        .with("state", state(summary))
                        .with("members", Value.count(summary.members()))
                        .with("lanes", Value.count(summary.lanes()))
                        .with("lanesUncovered", Value.count(summary.uncovered()))
                        .with("waiting", Value.count(summary.waiting()))
                        .with("waitingIsExact", Value.flag(summary.waitingIsExact()))
                        .with("oldestSeconds", oldest == null ? Value.absent() : Value.span(oldest))
                        .with("pendingOfCompat", Value.count(summary.pendingOfCompat()))
                        .with("parkedKeys", Value.count(summary.parkedKeys()))
                        .with("parkedEvents", Value.count(summary.parkedEvents()))
                        .with("destinations", Value.count(summary.destinations()))
                        .with("totals", Value.count(summary.totals()));
        return Details.of(
                summary.table(),
                List.of(
                        Column.of("table", "Table"),
                        Column.of("mode", "Mode"),
                        Column.of("state", "State"),
                        Column.of("members", "Relays"),
                        Column.of("lanes", "Lanes"),
                        Column.of("lanesUncovered", "  without a relay"),
                        Column.of("waiting", "Events waiting"),
                        Column.of("oldestSeconds", "  the oldest for"),
                        Column.of("pendingOfCompat", "  for compat mode"),
                        Column.of("parkedKeys", "Aggregates parked"),
                        Column.of("parkedEvents", "  with events")),
                fields);
    }

    private static Value state(Summary summary) {
        Duration oldest = summary.oldest();
        if (summary.members() == 0) {
            return Value.state("no relay runs", Mood.BAD);
        }
        boolean compat = summary.mode().equals("compat"); // Nobody needs lanes there.
        if (!compat && summary.uncovered() > 0) {
            return Value.state("lanes without a relay", Mood.BAD);
        }
        if ((compat ? summary.totals() : summary.destinations()) > 1) {
            return Value.state("relays disagree: see 'sluice outbox members'", Mood.BAD);
        }
        if (summary.pendingOfCompat() > 0) {
            return Value.state("events wait for compat mode", Mood.DOUBTFUL);
        }
        if (oldest != null && oldest.compareTo(MOMENT) > 0) {
            return Value.state("behind", Mood.DOUBTFUL);
        }
        if (summary.parkedKeys() > 0) {
            return Value.state("events are parked", Mood.DOUBTFUL);
        }
        if (summary.waiting() > 0 || oldest != null) {
            return Value.state("publishing", Mood.GOOD);
        }
        return Value.state("up to date", Mood.GOOD);
    }
}
