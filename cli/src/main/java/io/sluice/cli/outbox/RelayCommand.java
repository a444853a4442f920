package io.sluice.cli.outbox;

import io.sluice.cli.ClientSettings;
import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Session;
import io.sluice.cli.argument.DurationArgument;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.Guarantee;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.Replication;
import io.sluice.outbox.operating.Operator;
import io.sluice.outbox.operating.RunningRelay;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice relay`
@CommandLine.Command(
        name = "relay",
        description = {
            "Publish the events of an outbox table until Ctrl-C. Any number of relays share the work.",
            "Understands RELAY_INSTANCE_ID, RELAY_TOTAL_INSTANCES, KAFKA_BOOTSTRAP_SERVERS, SPRING_DATASOURCE_URL and app.outbox.relay.* as well."
        })
public final class RelayCommand implements Command {
    @CommandLine.Mixin DatabaseOptions database = new DatabaseOptions();

    @CommandLine.Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC",
            description = "Where to publish. Default: $RELAY_TOPIC.")
    @Nullable String topic;

    @CommandLine.Option(
            names = "--mode",
            paramLabel = "MODE",
            description =
                    "compat: the document's claims and statuses; log: by lanes, from the table or, after 'sluice outbox mode wal', from the database's log. Default: log if its tables are there.")
    @Nullable Mode mode;

    @CommandLine.Option(
            names = "--guarantee",
            paramLabel = "GUARANTEE",
            defaultValue = "at-least-once",
            description =
                    "Log mode: ${COMPLETION-CANDIDATES}; the same for all relays of a table. Default: at-least-once.")
    Delivery guarantee = Delivery.AT_LEAST_ONCE;

    @CommandLine.Option(
            names = "--unbounded-slot",
            description =
                    "Wal mode: go on although max_slot_wal_keep_size is not set. Relays that are away may then fill the database's disk.")
    boolean unboundedSlot;

    @CommandLine.Option(
            names = "--retention",
            paramLabel = "DURATION",
            converter = DurationArgument.class,
            description =
                    "Log and wal mode: how long partitions of published events are kept, if the table has partitions. Default: 24h.")
    Duration retention = Duration.ofHours(24);

    @CommandLine.Option(
            names = "--settings",
            paramLabel = "FILE",
            description = "A properties file with app.outbox.relay.* settings.")
    @Nullable Path settings;

    @CommandLine.Option(
            names = "--health",
            paramLabel = "HOST:PORT",
            description =
                    "Answer GET /health there: 200, or 503 with the reasons; and GET /metrics, for Prometheus.")
    @Nullable String health;

    @CommandLine.Option(
            names = "--for",
            paramLabel = "DURATION",
            converter = DurationArgument.class,
            description = "End after this time. Default: at Ctrl-C.")
    @Nullable Duration duration;

    /// How the table is read.
    enum Mode {
        compat,
        log
    }

    /// As it is typed.
    enum Delivery {
        AT_LEAST_ONCE(Guarantee.AT_LEAST_ONCE),
        EXACTLY_ONCE(Guarantee.EXACTLY_ONCE);

        private final Guarantee guarantee;

        Delivery(Guarantee guarantee) {
            this.guarantee = guarantee;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Override
    public ExitCode run(Session session) throws InterruptedException, IOException {
        ConnectionSource source = database.source(session);
        String says = DatabaseOptions.ask(Operator.of(source, database.table())::summary).mode();
        boolean compat = mode == null ? says.equals("compat") : mode == Mode.compat;
        RelayEnvironment environment =
                RelayEnvironment.of(session.terminal().environment(), settings);
        Map<String, Object> producer = new HashMap<>(client(session).forAnyClient());
        producer.remove("request.timeout.ms");
        var stopped = new CountDownLatch(1);
        var meters = new PrometheusMeters();
        RelayLog.show();
        try (RunningRelay relay =
                        compat
                                ? RunningRelay.byClaims(
                                        source,
                                        database.table(),
                                        topic(session),
                                        producer,
                                        environment.forCompatMode(),
                                        meters)
                                : RunningRelay.byLanes(
                                        source,
                                        environment.forLogMode(byLanes(session, producer)),
                                        meters);
                HealthPage _ = HealthPage.at(health, relay::health, meters)) {
            session.onInterrupt(stopped::countDown);
            session.note(
                    "Relay for table %s to topic %s in %s mode. Ctrl-C ends it."
                            .formatted(database.table, topic(session), compat ? "compat" : says));
            if (duration == null) {
                stopped.await();
            } else {
                var _ = stopped.await(duration.toMillis(), TimeUnit.MILLISECONDS);
            }
            session.printer().print(details(relay, session));
        }
        return ExitCode.OK;
    }

    private RelaySettings byLanes(Session session, Map<String, Object> producer) {
        Replication bounded = database.replication(session);
        return RelaySettings.of(topic(session), producer)
                .withTable(database.table())
                .withGuarantee(guarantee.guarantee)
                .withRetention(retention)
                .withReplication(unboundedSlot ? bounded.unbounded() : bounded);
    }

    private String topic(Session session) {
        String named = topic != null ? topic : session.terminal().environment().get("RELAY_TOPIC");
        if (named == null || named.isEmpty()) {
            throw Failure.usage("--topic: say where to publish, or set RELAY_TOPIC.");
        }
        return named;
    }

    /// The document's deployment names its broker with another variable; ours wins.
    private static ClientSettings client(Session session) {
        ClientSettings given = session.clientSettings();
        Map<String, String> environment = session.terminal().environment();
        String documents = environment.get("KAFKA_BOOTSTRAP_SERVERS");
        boolean isDefault =
                given.bootstrap().equals("localhost:9092")
                        && !environment.containsKey("SLUICE_BOOTSTRAP");
        return documents != null && isDefault
                ? new ClientSettings(documents, given.given(), given.timeout())
                : given;
    }

    private Details details(RunningRelay relay, Session session) {
        return Details.of(
                database.table,
                List.of(
                        Column.of("table", "Table"),
                        Column.of("topic", "Topic"),
                        Column.of("published", "Events published")),
                Fields.of("table", Value.text(database.table))
                        .with("topic", Value.text(topic(session)))
                        .with("published", Value.count(relay.published())));
    }
}
