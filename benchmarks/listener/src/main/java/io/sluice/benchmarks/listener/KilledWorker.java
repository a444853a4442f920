package io.sluice.benchmarks.listener;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.Job;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.once.JdbcOnceStore;
import io.sluice.listener.sqs.SqsSettings;
import io.sluice.listener.sqs.SqsSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/// The worker process that is killed. Each job notes that it has begun, takes its time, and writes a row, once.
///
/// Arguments: port of the SQS endpoint, queue URL, JDBC URL.
final class KilledWorker {
    private static final int SLOTS = 10;

    private KilledWorker() {}

    public static void main(String[] args) {
        var database = new PGSimpleDataSource();
        database.setUrl(args[2]);
        var store = new JdbcOnceStore(database, "sluice_done");
        var settings =
                SqsSettings.of(BenchQueue.client(Integer.parseInt(args[0]), null), args[1])
                        .longPoll(Duration.ofSeconds(2))
                        .lease(Duration.ofSeconds(10), Duration.ofMinutes(5))
                        .dropDeadLetters(true);
        var lane =
                LaneSettings.lane(
                        "all",
                        new FixedLimit(SLOTS),
                        job -> {
                            try (Connection connection = database.getConnection()) {
                                insert(connection, "begun", job);
                            }
                            store.work((inside, connection) -> work(inside, connection)).on(job);
                        });
        var _ = Listener.of(new SqsSource(settings)).lane(lane).start();
    }

    private static void work(Job job, Connection connection)
            throws SQLException, InterruptedException {
        insert(connection, "effect", job);
        Thread.sleep(Long.parseLong(job.message().text().split(" ")[1]));
    }

    private static void insert(Connection connection, String table, Job job) throws SQLException {
        try (var insert = connection.prepareStatement("INSERT INTO " + table + " VALUES (?)")) {
            insert.setString(1, job.message().id());
            insert.executeUpdate();
        }
    }
}
