package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.compat.CompatRelay;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Marks that the user's table does not take, whoever tries: what has been sent must not come again and again, and what stands behind it has its turn.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class CompatMarksTest {
    private static final Duration ROUNDS = Duration.ofSeconds(3); // Many, at 50 ms each.
    private static final String LARGE =
            "INSERT INTO transfer_events (aggregate_id, payload) VALUES ('large', to_jsonb(repeat('x', 60000)))";

    @Test
    @DisplayName("O2: a cause that is longer than its column is cut")
    void aLongCauseIsCut(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        database.run("ALTER TABLE transfer_events ADD COLUMN last_error varchar(20)");
        database.run(LARGE);
        DocumentsTable.insert(database, 10);
        String topic = broker.topic();
        try (CompatRelay _ = relay(database, broker, topic);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(10)
                    .awaitUntil(
                            () -> DocumentsTable.count(database, "PENDING") == 1,
                            "the large one to go back");
            assertThat(
                            database.column(
                                    "SELECT last_error FROM transfer_events WHERE status = 'PENDING'"))
                    .containsExactly("org.apache.kafka.com");
            assertThat(DocumentsTable.count(database, "PUBLISHED")).isEqualTo(10);
        }
    }

    @Test
    @DisplayName("O2: events that cannot be given back wait for their lease, and hold nobody up")
    void failuresThatCannotBeMarked(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        database.run(LARGE);
        DocumentsTable.insert(database, 14);
        refuse(database, "NEW.status = 'PENDING'");
        String topic = broker.topic();
        try (CompatRelay relay = relay(database, broker, topic);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(14)
                    .awaitUntil(
                            () -> DocumentsTable.count(database, "PUBLISHED") == 14,
                            "the good ones to be marked")
                    .linger(ROUNDS);
            assertThat(reader.records()).as("each of them once").hasSize(14);
            assertThat(DocumentsTable.count(database, "SENDING")).isEqualTo(1);
            assertThat(relay.published()).isEqualTo(14);
        }
    }

    @Test
    @DisplayName(
            "O2: published events that cannot be marked wait for their lease, and hold nobody up")
    void publishedOnesThatCannotBeMarked(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        database.run("ALTER TABLE transfer_events ADD COLUMN attempts int NOT NULL DEFAULT 0");
        DocumentsTable.insert(database, 4);
        database.run(LARGE);
        DocumentsTable.insert(database, 10);
        refuse(database, "NEW.status = 'PUBLISHED' AND NEW.event_id = 1");
        String topic = broker.topic();
        try (CompatRelay _ = relay(database, broker, topic);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(14)
                    .awaitUntil(
                            () -> DocumentsTable.count(database, "PUBLISHED") == 10,
                            "those behind to be marked")
                    .linger(ROUNDS);
            assertThat(reader.records()).as("each of them once").hasSize(14);
            assertThat(
                            database.column(
                                    "SELECT attempts FROM transfer_events WHERE status = 'PENDING'"))
                    .as("the refused one has gone back all the same")
                    .isEqualTo(List.of("1"));
        }
    }

    /// Both fail, and the first one is why the other has to wait.
    @Test
    void whatThePublishedOnesMetIsTold(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        DocumentsTable.insert(database, 4);
        database.run(LARGE);
        refuse(database, "NEW.status <> 'SENDING'");
        String topic = broker.topic();
        Map<String, String> slowly = Map.of("fixedDelayMs", "5000"); // So long it is in trouble.
        try (CompatRelay relay =
                        CompatRelays.start(
                                database,
                                broker,
                                topic,
                                Map.of("max.request.size", 50_000),
                                slowly);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(4).awaitUntil(() -> relay.trouble() != null, "the refusal");
            assertThat(relay.trouble()).contains("not PUBLISHED here");
        }
    }

    /// Whatever failed here is this instance's own affair for as long as its lease; what others have left is nobody's afterwards, too.
    @Test
    @DisplayName("O2, O5: who has failed once claims what a dead owner has left, a lease later")
    void whoHasFailedInheritsLater(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        DocumentsTable.insert(database, 2);
        database.run(
                "UPDATE transfer_events SET status = 'SENDING', updated_at = now(), next_retry_at = now() + interval '1 h' WHERE event_id = 2");
        database.run("CREATE SEQUENCE marks");
        refuse(database, "NEW.status = 'PUBLISHED' AND nextval('marks') = 1");
        String topic = broker.topic();
        Map<String, String> quickly = Map.of("timeoutSeconds", "1");
        try (CompatRelay relay = CompatRelays.start(database, broker, topic, Map.of(), quickly);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> relay.published() == 2, "both to be marked");
            assertThat(database.number("SELECT last_value FROM marks")).isGreaterThan(1);
        }
    }

    private static void refuse(Database database, String when) {
        database.run(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not %% here', NEW.status; END $$;
                CREATE TRIGGER refuse BEFORE UPDATE ON transfer_events FOR EACH ROW WHEN (%s) EXECUTE FUNCTION refuse()
                """
                        .formatted(when));
    }

    /// Five events at a time.
    private static CompatRelay relay(Database database, Broker broker, String topic) {
        return CompatRelays.start(
                database,
                broker,
                topic,
                Map.of("max.request.size", 50_000),
                Map.of("batchSize", "5", "baseBackoffMs", "100000"));
    }
}
