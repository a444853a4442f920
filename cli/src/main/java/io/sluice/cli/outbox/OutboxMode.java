package io.sluice.cli.outbox;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.argument.DurationArgument;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import io.sluice.cli.output.Value.Mood;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.operating.ModeState;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice outbox mode`
@CommandLine.Command(
        name = "mode",
        description = {
            "Show where events are read, or change it while writers and relays run: compat, log, wal.",
            "Every step can be taken back. With --yes it is done; without, only shown."
        })
public final class OutboxMode implements Command {
    @CommandLine.Mixin DatabaseOptions database = new DatabaseOptions();

    @CommandLine.Parameters(
            arity = "0..1",
            paramLabel = "MODE",
            description =
                    "compat: the document's statuses; log: snapshots of the table; wal: the database's log.")
    @Nullable Wanted wanted;

    @CommandLine.Option(
            names = "--within",
            paramLabel = "DURATION",
            converter = DurationArgument.class,
            description =
                    "To compat: how long relays may take to finish what they are sending. Default: 30s.")
    Duration within = Duration.ofSeconds(30);

    @CommandLine.Option(
            names = {"-y", "--yes"},
            description = "Do it.")
    boolean yes;

    /// As it is typed.
    enum Wanted {
        compat,
        log,
        wal
    }

    @Override
    public ExitCode run(Session session) {
        Migration migration = new Migration(database.source(session), database.table());
        Thread changing = Thread.currentThread();
        session.onInterrupt(changing::interrupt); // It takes back what it has begun.
        Optional<String> obstacle =
                DatabaseOptions.ask(
                        () -> wanted == null ? Optional.empty() : obstacle(migration, wanted));
        ModeState state =
                DatabaseOptions.ask(
                        () -> {
                            if (wanted != null && yes) {
                                change(migration, wanted);
                            }
                            return migration.state();
                        });
        session.printer().print(details(state));
        if (!state.streaming()) {
            obstacle.ifPresent(
                    reason ->
                            session.note(
                                    "Wal mode would read the table for now: %s."
                                            .formatted(reason)));
        }
        if (wanted != null && !yes) {
            session.note("Nothing was changed. Add --yes to do it.");
        }
        return ExitCode.OK;
    }

    private static Optional<String> obstacle(Migration migration, Wanted to) throws SQLException {
        return migration.obstacle(
                switch (to) {
                    case compat -> Mode.COMPAT;
                    case log -> Mode.LOG;
                    case wal -> Mode.WAL;
                });
    }

    private void change(Migration migration, Wanted to) throws SQLException, InterruptedException {
        switch (to) {
            case compat -> {
                ModeState now = migration.state();
                if (now.wanted() != Mode.COMPAT || now.unfinished()) {
                    migration.toCompat(within);
                }
            }
            case log -> migration.toLog();
            case wal -> migration.toWal();
        }
    }

    private static Details details(ModeState state) {
        String fallback = state.fallback();
        Long retained = state.retainedBytes();
        return Details.of(
                state.table(),
                List.of(
                        Column.of("table", "Table"),
                        Column.of("mode", "Mode"),
                        Column.of("reads", "Read from"),
                        Column.of("fallback", "  because"),
                        Column.of("retainedBytes", "Log kept for it")),
                Fields.of("table", Value.text(state.table()))
                        .with("mode", Value.text(state.wanted().word()))
                        .with("reads", reads(state))
                        .with("fallback", fallback == null ? Value.absent() : Value.text(fallback))
                        .with(
                                "retainedBytes",
                                retained == null ? Value.absent() : Value.bytes(retained)));
    }

    private static Value reads(ModeState state) {
        return switch (state.wanted()) {
            case COMPAT ->
                    state.unfinished()
                            ? Value.state(
                                    "nothing: the change to compat was broken off. Run it again, or go back to log",
                                    Mood.BAD)
                            : Value.text("statuses in the table");
            case LOG -> Value.text("snapshots of the table");
            case WAL ->
                    state.streaming()
                            ? Value.state("the database's log", Mood.GOOD)
                            : Value.state("snapshots of the table", Mood.DOUBTFUL);
        };
    }
}
