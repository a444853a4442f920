package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.once.JdbcOnceStore;
import io.sluice.listener.sqs.Queues.Queue;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A worker process is killed (SIGKILL) again and again; every job is done in the end, and with the once-store on PostgreSQL none twice.
@ExtendWith(Queues.class)
@Timeout(600)
class KillTest {
    private static final int JOBS = Integer.getInteger("sluice.test.jobs", 120);
    private static final int KILLS = 2;

    @Test
    @DisplayName("Q32, Q36: killed in the middle of jobs, every job is done once")
    void everyJobIsDoneOnce(Queues queues) throws Exception {
        Queue queue = queues.create(false, 1_000);
        queues.send(queue, IntStream.range(0, JOBS).mapToObj(i -> "job-" + i).toList(), null);
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
            DataSource database = postgres.getPostgresDatabase();
            new JdbcOnceStore(database, "sluice_done").createTable();
            try (var connection = database.getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("CREATE TABLE effect (job text)");
            }
            String[] arguments = {
                Integer.toString(queues.port()),
                queue.url(),
                postgres.getJdbcUrl("postgres", "postgres")
            };
            for (int kill = 1; kill <= KILLS; kill++) {
                int wanted = kill * JOBS / (KILLS + 2);
                Process worker = start(arguments);
                try {
                    until("some jobs", () -> count(database, "*") >= wanted);
                } finally {
                    worker.destroyForcibly().waitFor();
                }
            }
            assertThat(count(database, "*")).isLessThan(JOBS);
            Process last = start(arguments);
            try {
                until("all jobs", () -> count(database, "DISTINCT job") == JOBS);
                until("all deleted", () -> queues.left(queue.url()) == 0);
            } finally {
                last.destroyForcibly().waitFor();
            }
            assertThat(count(database, "*")).as("none twice").isEqualTo(JOBS);
        }
    }

    private static int count(DataSource database, String what) throws SQLException {
        try (var connection = database.getConnection();
                var statement = connection.createStatement();
                var result = statement.executeQuery("SELECT count(" + what + ") FROM effect")) {
            result.next();
            return result.getInt(1);
        }
    }

    private static Process start(String... arguments) throws Exception {
        String[] command = {
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path").replace("\n", File.pathSeparator),
            KilledWorker.class.getName(),
            arguments[0],
            arguments[1],
            arguments[2]
        };
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
