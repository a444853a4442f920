package io.sluice.listener.once;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/// What a store has to do on every database.
interface OnceStoreContract {
    int MESSAGES = 100;

    /// With no tables in it.
    DataSource database() throws Exception;

    private static void label(Job job, Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement("INSERT INTO labels VALUES (?)")) {
            statement.setString(1, job.message().text());
            statement.executeUpdate();
        }
    }

    private static int count(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getInt(1);
        }
    }

    /// Two groups do different things with a message, and none of them for the other; offsets of a topic that was made anew begin at 0 again.
    @Test
    default void oneTableServesSeveralGroupsAndTopicsThatWereMadeAnew() throws Exception {
        DataSource database = database();
        var store = new JdbcOnceStore(database, "sluice_done_by_groups");
        store.createTable();
        var effects = new ConcurrentLinkedQueue<String>();
        var lane =
                LaneSettings.lane(
                        "all",
                        new FixedLimit(1),
                        store.work((job, connection) -> effects.add(job.message().identity())));
        var queue = new QueueInMemory();
        List<String> identities =
                List.of("billing/t-0@0/1000", "labelling/t-0@0/1000", "billing/t-0@0/2000");
        for (int round = 0; round < 2; round++) {
            identities.forEach(identity -> queue.add("t-0@0", identity));
        }
        try (Listener listener = Listener.of(queue).lane(lane).start()) {
            until("all of them", () -> listener.lanes().getFirst().done() == 6);
        }
        assertThat(effects).containsExactlyInAnyOrderElementsOf(identities);
    }

    @Test
    default void everyMessageHasItsEffectOnceHoweverOftenItComes() throws Exception {
        DataSource database = database();
        var store = new JdbcOnceStore(database, "sluice_done");
        store.createTable();
        try (Connection connection = database.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE labels (document VARCHAR(100))");
        }
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
        assertThat(count(database, "SELECT COUNT(*) FROM labels")).isEqualTo(MESSAGES);
        assertThat(count(database, "SELECT COUNT(DISTINCT document) FROM labels"))
                .isEqualTo(MESSAGES);
        assertThat(store.forgetBefore(Instant.now().plusSeconds(60))).isEqualTo(MESSAGES);
    }
}
