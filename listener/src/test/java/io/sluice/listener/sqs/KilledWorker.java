package io.sluice.listener.sqs;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.once.JdbcOnceStore;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/// A worker process that is killed. Each job writes a row, once.
///
/// Arguments: port of the SQS endpoint, queue URL, JDBC URL.
final class KilledWorker {
    private KilledWorker() {}

    public static void main(String[] args) {
        var database = new PGSimpleDataSource();
        database.setUrl(args[2]);
        var store = new JdbcOnceStore(database, "sluice_done");
        var source =
                new SqsSource(
                        SqsSettings.of(Queues.client(Integer.parseInt(args[0])), args[1])
                                .longPoll(Duration.ofSeconds(1))
                                .lease(Duration.ofSeconds(2), Duration.ofMinutes(1)));
        var ignored =
                Listener.of(source)
                        .lane(
                                LaneSettings.lane(
                                        "all",
                                        new FixedLimit(4),
                                        store.work(
                                                (job, connection) -> {
                                                    try (var insert =
                                                            connection.prepareStatement(
                                                                    "INSERT INTO effect VALUES (?)")) {
                                                        insert.setString(1, job.message().text());
                                                        insert.executeUpdate();
                                                    }
                                                    Thread.sleep(20);
                                                })))
                        .start();
    }
}
