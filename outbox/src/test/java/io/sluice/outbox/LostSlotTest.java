package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.operating.Migration;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// The database gives slots up, those of all other tests as well.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@ResourceLock(Slots.LOCK)
@Timeout(240)
class LostSlotTest {
    /// A relay that was away for too long: the database has given the slot up, as it was told to.
    @Test
    void aSlotThatTheDatabaseGaveUpIsReplaced(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Relay _ = Relay.start(database, Slots.settings(database, broker, topic))) {
                reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
                database.append(OutboxEvent.of("a", "t", "1"));
                reader.await(1);
            }
            giveUpSlots(database);
            assertThat(database.column(Slots.ask("wal_status"))).containsExactly("lost");
            database.append(OutboxEvent.of("a", "t", "2"));
            try (Relay _ = Relay.start(database, Slots.settings(database, broker, topic))) {
                reader.await(2)
                        .awaitUntil(
                                () ->
                                        database.number(Slots.ask("count(*)") + " AND active") == 1
                                                && Slots.streaming(database) == 1,
                                "the log to be read again");
                database.append(OutboxEvent.of("a", "t", "3"));
                reader.await(3).linger(Duration.ofMillis(300));
                assertThat(reader.byKey().get("a")).containsExactly("1", "2", "3");
            }
        } finally {
            Slots.drop(database);
        }
    }

    /// Keeps next to nothing for them, and fills more of the log than that.
    private static void giveUpSlots(Database database) {
        database.run("CREATE TABLE filling (n int)");
        try {
            database.run("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'");
            database.run("SELECT pg_reload_conf()");
            for (int i = 0; i < 4; i++) {
                database.run("INSERT INTO filling VALUES (1)");
                database.run("SELECT pg_switch_wal()");
            }
            database.run("CHECKPOINT");
        } finally {
            database.run("ALTER SYSTEM RESET max_slot_wal_keep_size");
            database.run("SELECT pg_reload_conf()");
        }
    }
}
