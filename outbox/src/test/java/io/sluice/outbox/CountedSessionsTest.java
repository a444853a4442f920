package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What counts as a statement.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class CountedSessionsTest {
    @Test
    void whateverIsExecutedIsCounted(Database database) throws Exception {
        CountedSessions sessions = new CountedSessions(database);
        try (Connection connection = sessions.open();
                var prepared = connection.prepareStatement("SELECT ?::int");
                var plain = connection.createStatement()) {
            connection.setAutoCommit(false);
            prepared.setInt(1, 7);
            try (var row = prepared.executeQuery()) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(7);
            }
            plain.execute("CREATE TEMPORARY TABLE t (i int)");
            plain.addBatch("INSERT INTO t VALUES (1)");
            plain.addBatch("INSERT INTO t VALUES (2)");
            plain.executeBatch();
            connection.commit();
            assertThat(sessions.executed()).isEqualTo(3);
            assertThatThrownBy(() -> plain.executeUpdate("nonsense"))
                    .isInstanceOf(SQLException.class);
            connection.rollback();
            assertThat(sessions.executed()).isEqualTo(4);
        }
    }

    @Test
    void twoThatGoTogetherAreTwo(Database database) throws Exception {
        CountedSessions sessions = new CountedSessions(database);
        try (Connection connection = sessions.open();
                var both = connection.prepareStatement("SELECT 1; SELECT 2")) {
            assertThat(both.execute()).isTrue();
            assertThat(both.getMoreResults()).isTrue();
            assertThat(both.getMoreResults()).as("there is no third").isFalse();
            assertThat(sessions.executed()).isEqualTo(2);
        }
    }

    /// Reading a page and looking before sleep are not all: lanes are claimed and saved, and a refused event is written down.
    @Test
    void aRelayCountsClaimsAndParking(Database database, Broker broker) throws Exception {
        Map<String, Object> producer = new HashMap<>(broker.client());
        producer.put("max.request.size", 50_000);
        RelaySettings settings = RelaySettings.of(broker.topic(), producer);
        try (Relay relay = Relay.start(database, settings)) {
            while (relay.status().lanes().size() < 64 || relay.status().emptyPolls() == 0) {
                Thread.sleep(20);
            }
            assertThat(relay.status().statements()).isGreaterThan(relay.status().polls() + 1);
            long before = relay.status().statements();
            database.append(OutboxEvent.of("a", "t", "x".repeat(60_000)));
            while (relay.status().parked() == 0) {
                Thread.sleep(20);
            }
            assertThat(relay.status().statements()).isGreaterThanOrEqualTo(before + 3);
        }
    }
}
