package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.operating.Operator;
import io.sluice.outbox.operating.Parked;
import io.sluice.outbox.operating.Replay;
import io.sluice.outbox.operating.Selection;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A table whose name and columns are all others than the document's, through everything that names them.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class OtherNamesTest {
    private static final OutboxTable EVENTS =
            new OutboxTable("domain_events", "number", "subject", "body", "extra");

    @Test
    void everythingIsFoundUnderItsName(Database database, Broker broker) throws Exception {
        // Tables of ours that another outbox has made would hide that the scripts name them
        // wrongly.
        database.run(
                "DROP TABLE transfer_events, outbox_lane, outbox_member, outbox_parked, outbox_source, outbox_partition");
        try (Connection connection = database.open()) {
            OutboxSchema.install(connection, EVENTS);
        }
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        RelaySettings settings =
                RelaySettings.of(topic, broker.client())
                        .withTable(EVENTS)
                        .withParking(new Backoff(Duration.ofHours(1), Duration.ofHours(1)));
        Operator operator = Operator.of(database, EVENTS);
        Migration migration = new Migration(database, EVENTS);
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Relay _ = Relay.start(database, settings)) {
                append(database, OutboxEvent.of("a", "t", "1"));
                append(database, OutboxEvent.of("b", "t", "x".repeat(30_000)));
                append(database, OutboxEvent.of("b", "t", "3"));
                reader.await(1)
                        .awaitUntil(
                                () ->
                                        database.number(
                                                        "SELECT count(*) FROM outbox_parked WHERE outbox = 'domain_events'")
                                                == 2,
                                "two events to be parked");
                assertThat(operator.parked().list("b", 10))
                        .extracting(Parked::state)
                        .containsExactly("FAILED", "WAITING");
                operator.parked().skip("b");
                reader.await(2);
            }
            assertThat(operator.summary().waiting()).isZero();
            new Replay(database, EVENTS, new Selection.ByKey("a"))
                    .publish("again", topic, broker.client());
            reader.await(3);

            migration.toCompat(Duration.ofSeconds(10));
            append(database, OutboxEvent.of("a", "t", "4"));
            CompatSettings fast =
                    CompatSettings.of(Map.of(), Map.of("app.outbox.relay.fixedDelayMs", "20"));
            try (CompatRelay _ =
                    CompatRelay.start(database, EVENTS, topic, broker.client(), fast)) {
                reader.await(4);
            }
            migration.toLog();
            assertThat(reader.byKey())
                    .isEqualTo(Map.of("a", List.of("1", "1", "4"), "b", List.of("3")));
        }
    }

    private static void append(Database database, OutboxEvent event) throws Exception {
        try (Connection connection = database.open()) {
            connection.setAutoCommit(false);
            Outbox.in(EVENTS).append(connection, event);
            connection.commit();
        }
    }
}
