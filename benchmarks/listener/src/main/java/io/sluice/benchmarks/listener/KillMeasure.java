package io.sluice.benchmarks.listener;

import io.sluice.listener.once.JdbcOnceStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import javax.sql.DataSource;

/// Ten thousand jobs, and the worker process is killed (SIGKILL) every 20 s: whether every job is done, and with the once-store on PostgreSQL none twice.
///
/// Takes about four minutes, so it is only asked when somebody names it.
final class KillMeasure implements Measure {
    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(20);
    private static final String EFFECTS = "SELECT count(*) FROM effect";
    private static final int LOOK_MILLIS = 500;
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

            int done = count(database, EFFECTS);
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
        Duration between = Duration.ofSeconds(pace.seconds((int) BETWEEN_KILLS.toSeconds()));
        long end = System.nanoTime() + PATIENCE.toNanos();
        int kills = 0;
        Process worker = start(port, queue.url, postgres);
        try {
            while (awaitWork(worker, queue, database, between, end)
                    && count(database, EFFECTS) < jobs) {
                worker.destroyForcibly().waitFor();
                kills++;
                System.err.printf(Locale.ROOT, "  killed, %d done%n", count(database, EFFECTS));
                worker = start(port, queue.url, postgres);
            }
            awaitEmpty(queue, end);
        } finally {
            worker.destroyForcibly().waitFor();
        }
        return kills;
    }

    /// Until the worker has worked for so long. Its first job counts, not its start: on a slow machine it would otherwise be killed before it has done anything, again
    /// and again.
    ///
    /// @return whether there is something left to do
    private static boolean awaitWork(
            Process worker, BenchQueue queue, DataSource database, Duration time, long end)
            throws Exception {
        int before = count(database, EFFECTS);
        long firstNanos = 0;
        while (queue.depth().left() > 0 && System.nanoTime() - end < 0) {
            if (!worker.isAlive()) {
                throw new IllegalStateException(
                        "The worker ended by itself, with code " + worker.exitValue());
            }
            if (firstNanos == 0 && count(database, EFFECTS) > before) {
                firstNanos = System.nanoTime();
            }
            if (firstNanos != 0 && System.nanoTime() - firstNanos > time.toNanos()) {
                return true;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        return false;
    }

    /// What is done is not yet deleted.
    private static void awaitEmpty(BenchQueue queue, long end) throws InterruptedException {
        while (queue.depth().left() > 0 && System.nanoTime() - end < 0) {
            Thread.sleep(LOOK_MILLIS);
        }
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
