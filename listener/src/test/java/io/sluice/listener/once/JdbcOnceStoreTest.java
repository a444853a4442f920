package io.sluice.listener.once;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.Listener;
import io.sluice.listener.QueueInMemory;
import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.lane.Job;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class JdbcOnceStoreTest {
    private static final int MESSAGES = 100;

    private final JdbcDataSource database = new JdbcDataSource();
    private JdbcOnceStore store = new JdbcOnceStore(database, "sluice_done");

    @BeforeEach
    void makeTables() throws SQLException {
        database.setURL(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");
        store = new JdbcOnceStore(database, "sluice_done");
        store.createTable();
        try (Connection connection = database.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE labels (document VARCHAR(100))");
        }
    }

    private static void label(Job job, Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement("INSERT INTO labels VALUES (?)")) {
            statement.setString(1, job.message().text());
            statement.executeUpdate();
        }
    }

    private int count(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getInt(1);
        }
    }

    @Test
    void everyMessageHasItsEffectOnceHoweverOftenItComes() throws Exception {
        var queue = new QueueInMemory();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < MESSAGES; i++) {
                queue.add("document-" + i);
            }
        }
        var calls = new AtomicInteger();
        var lane =
                LaneSettings.lane(
                                "label",
                                new FixedLimit(8),
                                store.work(
                                        (job, connection) -> {
                                            label(job, connection);
                                            if (calls.incrementAndGet() % 7 == 0) {
                                                throw new IllegalStateException(
                                                        "after the effect, before the commit");
                                            }
                                        }))
                        .onFailure(
                                FailurePolicy.standard()
                                        .otherwise(Backoff.constant(Duration.ZERO, 1_000)));
        try (Listener listener = Listener.of(queue).lane(lane).start()) {
            until("all of them", () -> listener.lanes().getFirst().done() == 3 * MESSAGES);
            assertThat(listener.lanes().getFirst().retried()).isPositive();
        }
        assertThat(count("SELECT COUNT(*) FROM labels")).isEqualTo(MESSAGES);
        assertThat(count("SELECT COUNT(DISTINCT document) FROM labels")).isEqualTo(MESSAGES);
        assertThat(store.forgetBefore(Instant.now().plusSeconds(60))).isEqualTo(MESSAGES);
    }

    @Test
    void aTableIsNoPlaceForSql() {
        assertThatThrownBy(() -> new JdbcOnceStore(database, "done; DROP TABLE labels"))
                .hasMessageContaining("letters, digits and underscores");
    }
}
