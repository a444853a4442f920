package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Somebody drops the relays' tables and runs the scripts again, over the same events and for the same consumers.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class TablesMadeAnewTest {
    @Test
    @DisplayName("O1: numbers of tables that are made anew are not taken for old ones")
    void newEventsAreNotTakenForRepetitions(Database database, Broker broker) {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        try (TopicReader reader = new TopicReader(broker, topic)) {
            for (int i = 1; i <= 5; i++) {
                database.append(OutboxEvent.of("a", "t", "" + i));
            }
            try (Relay _ = Relay.start(database, settings)) {
                reader.await(5);
            }
            database.run("DROP TABLE outbox_lane, outbox_member, outbox_parked, outbox_source");
            database.install();
            database.append(OutboxEvent.of("a", "t", "6"));
            try (Relay _ = Relay.start(database, settings)) {
                reader.await(6);
            }
            assertThat(reader.byKey()).containsEntry("a", List.of("1", "2", "3", "4", "5", "6"));
        }
    }
}
