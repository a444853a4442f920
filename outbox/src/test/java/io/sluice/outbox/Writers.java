package io.sluice.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// Business transactions of all kinds, many at once: some write before they lock the aggregate, some insert several events, some
/// roll back, some stay open for long. Each event's payload is its aggregate's version, so a reader can tell every gap and every
/// exchange.
final class Writers implements AutoCloseable {
    private static final int AGGREGATES = 20;

    private final Database database;
    private final boolean enduring;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicInteger committed = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();
    private volatile Throwable failure = new Throwable("none");
    private final AtomicBoolean failed = new AtomicBoolean();

    private Writers(Database database, boolean enduring) {
        this.database = database;
        this.enduring = enduring;
    }

    static Writers start(Database database, int count, int pauseMillis) {
        return start(database, count, pauseMillis, false);
    }

    /// They go on when the database is back. Where it ended in the middle of a commit nobody knows what is committed: the table tells how many events there are.
    static Writers startEnduring(Database database, int count, int pauseMillis) {
        return start(database, count, pauseMillis, true);
    }

    private static Writers start(Database database, int count, int pauseMillis, boolean enduring) {
        database.run(
                "CREATE TABLE IF NOT EXISTS account (id text PRIMARY KEY, version int NOT NULL)");
        database.run("CREATE TABLE IF NOT EXISTS audit (writer int)");
        database.run(
                "INSERT INTO account SELECT 'account-' || i, 0 FROM generate_series(1, "
                        + AGGREGATES
                        + ") i ON CONFLICT DO NOTHING");
        Writers writers = new Writers(database, enduring);
        for (int i = 0; i < count; i++) {
            int seed = i;
            writers.threads.add(
                    Thread.ofPlatform().start(() -> writers.run(new Random(seed), pauseMillis)));
        }
        return writers;
    }

    int committed() {
        return committed.get();
    }

    /// Stops them all; what is committed now is all there will be.
    int finish() {
        stopped.set(true);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (failed.get()) {
            throw new AssertionError("a writer failed", failure);
        }
        return committed.get();
    }

    private void run(Random random, int pauseMillis) {
        try {
            while (!stopped.get()) {
                try {
                    write(random, pauseMillis);
                } catch (SQLException e) {
                    if (!enduring) {
                        throw e;
                    }
                    Thread.sleep(50);
                }
            }
        } catch (SQLException | InterruptedException e) {
            failure = e;
            failed.set(true);
        }
    }

    private void write(Random random, int pauseMillis) throws SQLException, InterruptedException {
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (!stopped.get()) {
                if (random.nextBoolean()) {
                    statement.execute("INSERT INTO audit VALUES (1)"); // An early transaction id.
                }
                int events = random.nextInt(10) == 0 ? 20 : 1 + random.nextInt(2);
                String account = "account-" + (1 + random.nextInt(AGGREGATES));
                append(statement, account, events);
                Thread.sleep(random.nextInt(20) == 0 ? 50 : random.nextInt(pauseMillis + 1));
                if (random.nextInt(8) == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                    committed.addAndGet(events);
                }
            }
        }
    }

    /// One statement inserts them all.
    private static void append(Statement statement, String account, int events)
            throws SQLException {
        int version;
        try (var row =
                statement.executeQuery(
                        "UPDATE account SET version = version + %d WHERE id = '%s' RETURNING version"
                                .formatted(events, account))) {
            row.next();
            version = row.getInt(1);
        }
        statement.execute(
                "INSERT INTO transfer_events (aggregate_id, payload) SELECT '%s', i FROM generate_series(%d, %d) i"
                        .formatted(account, version - events + 1, version));
    }

    @Override
    public void close() {
        stopped.set(true);
    }
}
