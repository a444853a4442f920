package io.sluice.cli.outbox;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Session;
import io.sluice.cli.argument.TimeArgument;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import io.sluice.outbox.operating.Replay;
import io.sluice.outbox.operating.Selection;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice outbox replay`
@CommandLine.Command(
        name = "replay",
        description = {
            "Publish events once more that the table still has. Says how many, and does it with --yes.",
            "Replayed records carry the header outbox-replay and pass duplicate filters."
        })
public final class OutboxReplay implements Command {
    @CommandLine.Mixin DatabaseOptions database = new DatabaseOptions();

    @CommandLine.ArgGroup(multiplicity = "1")
    Chosen chosen = new Chosen();

    @CommandLine.Option(
            names = "--until",
            paramLabel = "TIME",
            converter = TimeArgument.Converter.class,
            description = "With --since: before this time. Default: now.")
    @Nullable TimeArgument until;

    @CommandLine.Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC",
            required = true,
            description = "Where to publish.")
    String topic = "";

    @CommandLine.Option(
            names = "--name",
            paramLabel = "NAME",
            description = "What the header outbox-replay says. Default: the time of the replay.")
    @Nullable String name;

    @CommandLine.Option(
            names = {"-y", "--yes"},
            description = "Do it.")
    boolean yes;

    /// Which events.
    static final class Chosen {
        @CommandLine.Option(
                names = {"-k", "--key"},
                paramLabel = "KEY",
                description = "All events of this aggregate.")
        @Nullable String key;

        @CommandLine.Option(
                names = "--since",
                paramLabel = "TIME",
                converter = TimeArgument.Converter.class,
                description = "Events written since then: 10m (ago), 2026-11-15T08:30.")
        @Nullable TimeArgument since;

        @CommandLine.Option(
                names = "--range",
                paramLabel = "FROM-TO",
                description = "Events by their place (column ord), both included.")
        @Nullable String range;
    }

    @Override
    public ExitCode run(Session session) {
        Replay replay = new Replay(database.source(session), database.table(), selection(session));
        long count = DatabaseOptions.ask(replay::count);
        String called = name == null ? session.now().toString() : name;
        long published = 0;
        if (yes && count > 0) {
            var producer = session.cluster().settings().forWriting();
            published = DatabaseOptions.ask(() -> replay.publish(called, topic, producer));
        }
        session.printer().print(details(count, published, called));
        if (!yes) {
            session.note("Nothing was published. Add --yes to do it.");
        }
        return ExitCode.OK;
    }

    private Selection selection(Session session) {
        if (chosen.key != null) {
            return new Selection.ByKey(chosen.key);
        }
        try {
            if (chosen.since != null) {
                var zone = session.terminal().zone();
                Instant now = session.now();
                Instant to = until == null ? now : until.resolve(now, zone);
                return new Selection.ByTime(chosen.since.resolve(now, zone), to);
            }
            String[] ends = String.valueOf(chosen.range).split("-", 2);
            long from = Long.parseLong(ends[0].strip());
            long to = ends.length == 1 ? from : Long.parseLong(ends[1].strip());
            if (from > to) { // In the words of whoever wrote it: both ends are included here.
                throw Failure.usage(
                        "--range: '%s' is no range: %d is above %d."
                                .formatted(chosen.range, from, to));
            }
            return new Selection.ByRange(from, to + 1);
        } catch (NumberFormatException e) {
            throw Failure.usage(
                    "--range: '%s' is no range. Write it as 100-200.".formatted(chosen.range));
        } catch (IllegalArgumentException e) {
            throw Failure.usage(e.getMessage() + ".");
        }
    }

    private Details details(long count, long published, String called) {
        return Details.of(
                called,
                List.of(
                        Column.of("name", "Replay"),
                        Column.of("topic", "Topic"),
                        Column.of("selected", "Events selected"),
                        Column.of("published", "Events published")),
                Fields.of("name", Value.text(called))
                        .with("topic", Value.text(topic))
                        .with("selected", Value.count(count))
                        .with("published", Value.count(published)));
    }
}
