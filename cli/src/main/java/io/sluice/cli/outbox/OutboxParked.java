package io.sluice.cli.outbox;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import io.sluice.cli.output.Value.Mood;
import io.sluice.outbox.operating.Operator;
import io.sluice.outbox.operating.Parked;
import io.sluice.outbox.operating.ParkedEvents;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice outbox parked`
@CommandLine.Command(
        name = "parked",
        description = {
            "Show events that were refused and those that wait behind them; try again, give up, or send elsewhere.",
            "--skip and --dead-letter take the first event of an aggregate; what waited behind it goes on.",
            "In compat mode: events that failed. Nothing waits behind them, and one that is skipped is marked as published."
        })
public final class OutboxParked implements Command {
    @CommandLine.Mixin DatabaseOptions database = new DatabaseOptions();

    @CommandLine.Option(
            names = {"-k", "--key"},
            paramLabel = "KEY",
            description = "Only this aggregate.")
    @Nullable String key;

    @CommandLine.Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "How many to show at most. Default: 100.")
    int limit = 100;

    @CommandLine.ArgGroup(multiplicity = "0..1")
    @Nullable Action action;

    @CommandLine.Option(
            names = {"-y", "--yes"},
            description = "Do it.")
    boolean yes;

    /// What to do about them.
    static final class Action {
        @CommandLine.Option(
                names = "--retry",
                description = "Have refused events tried again now: of --key, or all.")
        boolean retry;

        @CommandLine.Option(
                names = "--skip",
                description = "Never publish the first event of --key. Its row stays in the table.")
        boolean skip;

        @CommandLine.Option(
                names = "--dead-letter",
                paramLabel = "TOPIC",
                description = "Send the first event of --key to this topic instead.")
        @Nullable String topic;
    }

    @Override
    public ExitCode run(Session session) {
        ParkedEvents parked = Operator.of(database.source(session), database.table()).parked();
        List<Parked> found = DatabaseOptions.ask(() -> parked.list(key, limit));
        Action wanted = action;
        if (wanted != null) {
            act(session, parked, wanted, found);
            found = yes ? DatabaseOptions.ask(() -> parked.list(key, limit)) : found;
        }
        session.printer().print(listing(found.stream().map(OutboxParked::row).toList()));
        if (found.isEmpty()) {
            session.note("Nothing is parked.");
        } else if (wanted != null && !yes) {
            session.note("Nothing was changed. Add --yes to do it.");
        }
        return ExitCode.OK;
    }

    private void act(Session session, ParkedEvents parked, Action wanted, List<Parked> found) {
        if (!wanted.retry && key == null) {
            throw Failure.usage("--skip and --dead-letter need --key: which aggregate?");
        }
        if (found.isEmpty()) {
            throw Failure.notFound(
                    key == null
                            ? "Nothing is parked."
                            : "Nothing of '%s' is parked.".formatted(key));
        }
        if (!yes) {
            return;
        }
        String of = String.valueOf(key);
        if (wanted.retry) {
            int events = DatabaseOptions.ask(() -> parked.retry(key));
            session.note("%d refused events are tried again now.".formatted(events));
        } else if (wanted.skip) {
            told(session, "was skipped", DatabaseOptions.ask(() -> parked.skip(of)));
        } else if (wanted.topic != null) {
            String topic = wanted.topic;
            var producer = session.cluster().settings().forWriting();
            told(
                    session,
                    "was sent to " + topic,
                    DatabaseOptions.ask(() -> parked.deadLetter(of, topic, producer)));
        }
    }

    private static void told(Session session, String what, Optional<Parked> event) {
        event.ifPresent(
                parked ->
                        session.note(
                                "Event %s of '%s' %s."
                                        .formatted(parked.eventId(), parked.key(), what)));
    }

    private static Fields row(Parked parked) {
        return Fields.of("eventId", Value.text(parked.eventId()))
                .with("key", Value.text(parked.key()))
                .with("lane", parked.isOfCompat() ? Value.absent() : Value.count(parked.lane()))
                .with("ord", Value.count(parked.ord()))
                .with("state", state(parked))
                .with("attempts", Value.count(parked.attempts()))
                .with("nextRetryAt", Value.time(parked.nextRetryAt()))
                .with("parkedAt", Value.time(parked.parkedAt()))
                .with("payloadBytes", Value.bytes(parked.payloadBytes()))
                .with("error", Value.text(parked.error().isEmpty() ? null : parked.error()));
    }

    private static Value state(Parked parked) {
        return Value.state(
                parked.state(), parked.state().equals("WAITING") ? Mood.DOUBTFUL : Mood.BAD);
    }

    private static Listing listing(List<Fields> rows) {
        return Listing.of(
                List.of(
                        Column.of("eventId", "EVENT"),
                        Column.of("key", "KEY"),
                        Column.of("state", "STATE"),
                        Column.of("attempts", "ATTEMPTS"),
                        Column.of("nextRetryAt", "NEXT RETRY"),
                        Column.of("payloadBytes", "SIZE"),
                        Column.of("error", "ERROR")),
                rows);
    }
}
