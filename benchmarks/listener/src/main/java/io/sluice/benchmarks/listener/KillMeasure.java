package io.sluice.benchmarks.listener;

import io.sluice.listener.once.JdbcOnceStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/// Ten thousand jobs, and the worker process is killed (SIGKILL) every 20 s: whether every job is done, and with the once-store on PostgreSQL none twice.
///
/// Takes about four minutes, so it is only asked when somebody names it.
final class KillMeasure implements Measure {
    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofMinutes(30);

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public void take(int port, Pace pace, Results results) throws Exception {
        int jobs = pace.quick() ? 500 : 10_000;
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start();
                var queue = new BenchQueue(port)) {
            DataSource database = postgres.getPostgresDatabase();
            new JdbcOnceStore(database, "sluice_done").createTable();
            execute(database, "CREATE TABLE effect (job text)");
            execute(database, "CREATE TABLE begun (job text)");
            queue.send(jobs, "light", 100, 300);
            int kills = work(queue, database, jobs, pace, port, postgres);

            int done = count(database, "SELECT count(*) FROM effect");
            int distinct = count(database, "SELECT count(DISTINCT job) FROM effect");
            results.add(Row.KILL_LOST, Subject.SLUICE, jobs - distinct);
            results.add(Row.KILL_TWICE, Subject.SLUICE, done - distinct);
            results.add(Row.KILL_KILLS, Subject.SLUICE, kills);
            results.add(
                    Row.KILL_BEGUN,
                    Subject.SLUICE,
                    count(database, "SELECT count(*) FROM begun") - (double) jobs);
        }
    }

    /// @return how often a worker was killed
    private static int work(
            BenchQueue queue,
            DataSource database,
            int jobs,
            Pace pace,
            int port,
            EmbeddedPostgres postgres)
            throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        int kills = 0;
        Process worker = start(port, queue.url, postgres);
        try {
            long started = System.nanoTime();
            while (queue.depth().left() > 0 && System.nanoTime() - end < 0) {
                Thread.sleep(500);
                boolean due =
                        System.nanoTime() - started
                                > Duration.ofSeconds(pace.seconds((int) BETWEEN_KILLS.toSeconds()))
                                        .toNanos();
                if (due && count(database, "SELECT count(*) FROM effect") < jobs) {
                    worker.destroyForcibly().waitFor();
                    kills++;
                    worker = start(port, queue.url, postgres);
                    started = System.nanoTime();
                }
            }
        } finally {
            worker.destroyForcibly().waitFor();
        }
        return kills;
    }

    private static Process start(int port, String url, EmbeddedPostgres postgres)
            throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KilledWorker.class.getName(),
                        Integer.toString(port),
                        url,
                        postgres.getJdbcUrl("postgres", "postgres"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static void execute(DataSource database, String sql) throws SQLException {
        try (var connection = database.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int count(DataSource database, String sql) throws SQLException {
        try (var connection = database.getConnection();
                var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getInt(1);
        }
    }
}
