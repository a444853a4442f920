package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.operating.Migration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// An event is the same record, whether it is read from the table or from the log.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@ResourceLock(value = Slots.LOCK, mode = ResourceAccessMode.READ)
@Timeout(120)
class ColumnTypesTest {
    @Test
    void anIdThatTheDatabaseFillsUpWithBlanksIsTheSame(Database database, Broker broker)
            throws Exception {
        database.run(
                "ALTER TABLE transfer_events ALTER COLUMN aggregate_id TYPE char(20), ALTER COLUMN headers TYPE char(50)");
        List<ConsumerRecord<String, String>> records =
                fromTableAndLog(
                        database,
                        broker,
                        "INSERT INTO transfer_events (aggregate_id, payload, headers) VALUES ('account 1', 'x', 'no JSON')");
        assertThat(records).extracting(ConsumerRecord::key).containsOnly("account 1");
        assertThat(records)
                .extracting(ConsumerRecord::partition)
                .containsOnly(records.getFirst().partition());
        assertThat(records)
                .extracting(record -> TopicReader.header(record, "outbox-lane"))
                .containsOnly(database.column("SELECT outbox_lane_of('account 1')").getFirst());
        assertThat(records)
                .extracting(record -> TopicReader.header(record, "headers"))
                .containsOnly("no JSON");
    }

    /// Where they are written as they are, as far as they are letters, these are digits of a number that is another payload.
    @Test
    void bytesAreTheSameHoweverTheSessionWritesThem(Database database, Broker broker)
            throws Exception {
        database.run(
                "ALTER TABLE transfer_events ALTER COLUMN payload TYPE bytea USING payload::bytea");
        Database escaping = new Database(database.url() + "&options=-c%20bytea_output=escape");
        assertThat(escaping.column("SELECT '00deadbeef'::bytea")).containsExactly("00deadbeef");
        assertThat(
                        fromTableAndLog(
                                escaping,
                                broker,
                                "INSERT INTO transfer_events (aggregate_id, payload) VALUES ('a', '00deadbeef')"))
                .extracting(ConsumerRecord::value)
                .containsExactly("00deadbeef", "00deadbeef");
    }

    /// What the statement writes, once in each mode.
    private static List<ConsumerRecord<String, String>> fromTableAndLog(
            Database database, Broker broker, String insert) throws Exception {
        String topic = broker.topic();
        try (Relay _ = Relay.start(database, Slots.settings(database, broker, topic));
                TopicReader reader = new TopicReader(broker, topic)) {
            database.run(insert);
            reader.await(1);
            new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
            database.run(insert);
            return reader.await(2).records();
        } finally {
            Slots.drop(database);
        }
    }
}
