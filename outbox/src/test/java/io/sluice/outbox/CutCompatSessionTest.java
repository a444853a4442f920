package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.compat.CompatRelay;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A live instance loses its session, and with it the locks of its part, while its producer has a batch in hand. The lease is two minutes: nobody waits for it here.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class CutCompatSessionTest {
    /// So long the producer keeps what it was given. Others have the part after 5 s.
    private static final String SLOW = "9000";

    private static final int EVENTS = 20;

    @ParameterizedTest(name = "the other one is {0} of {1}")
    @CsvSource({"0, 1", "1, 2"})
    @DisplayName("O2, O5, O6: what a cut-off instance had in hand is sent by one instance only")
    void whatWasInHandIsSentOnce(int id, int total, Database database, Broker broker)
            throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        try (CompatRelay cut = relay(database, broker, topic, 0, total, SLOW);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> cut.emptyPolls() > 0, "it to have its part");
            try (CompatRelay _ = relay(database, broker, topic, id, total, "0")) {
                holdBatch(database, reader);
                cut(database);
                reader.await(EVENTS)
                        .awaitUntil(
                                () -> DocumentsTable.count(database, "PUBLISHED") == EVENTS,
                                "all to be marked")
                        .linger(Duration.ofMillis(Integer.parseInt(SLOW)));
                assertThat(reader.records()).hasSize(EVENTS);
            }
        }
    }

    @Test
    @DisplayName("O2, O6: a cut-off instance that is alone sends what it had in hand once")
    void theSameInstanceSendsItOnce(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        try (CompatRelay relay = relay(database, broker, topic, 0, 1, SLOW);
                TopicReader reader = new TopicReader(broker, topic)) {
            holdBatch(database, reader);
            cut(database);
            reader.await(EVENTS)
                    .awaitUntil(() -> relay.published() == EVENTS, "all to be marked")
                    .linger(Duration.ofSeconds(1));
            assertThat(reader.records()).hasSize(EVENTS);
        }
    }

    /// The answers are there, and the session that they should be marked on is not.
    @Test
    @DisplayName("O2, O6: what was published when the session ended is marked on the next one")
    void whatHasArrivedIsNotSentAgain(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        database.run(
                """
                CREATE SEQUENCE marks;
                CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN IF nextval('marks') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END $$;
                CREATE TRIGGER cut BEFORE UPDATE ON transfer_events FOR EACH ROW WHEN (NEW.status = 'PUBLISHED') EXECUTE FUNCTION cut()
                """);
        DocumentsTable.insert(database, EVENTS);
        try (CompatRelay relay = relay(database, broker, topic, 0, 1, "0");
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(EVENTS)
                    .awaitUntil(() -> relay.published() == EVENTS, "all to be marked")
                    .linger(Duration.ofSeconds(1));
            assertThat(database.number("SELECT last_value FROM marks")).isGreaterThan(1);
            assertThat(reader.records()).hasSize(EVENTS);
        }
    }

    /// All of it belongs to instance 0 of 1 or 2.
    private static void holdBatch(Database database, TopicReader reader) {
        database.run(
                "INSERT INTO transfer_events (event_id, aggregate_id, payload) SELECT 2 * i, 'a', to_jsonb(i) FROM generate_series(1, %d) i"
                        .formatted(EVENTS));
        reader.awaitUntil(
                () -> DocumentsTable.count(database, "SENDING") == EVENTS, "the relay to have it");
    }

    private static void cut(Database database) {
        database.run(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock' AND objsubid = 2 AND objid = 0 AND classid = 'transfer_events'::regclass::oid");
    }

    private static CompatRelay relay(
            Database database, Broker broker, String topic, int id, int total, String linger) {
        return CompatRelays.start(
                database,
                broker,
                topic,
                id,
                total,
                Map.of("linger.ms", linger),
                Map.of("timeoutSeconds", "30"));
    }
}
