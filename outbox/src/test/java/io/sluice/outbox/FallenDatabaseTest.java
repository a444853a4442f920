package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.Postgres;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.operating.Migration;
import io.sluice.testing.SteadyPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The database ends in the middle of whatever it does, as if its process had been killed, and is started again; relays and writers run all the time.
@ExtendWith(Broker.Extension.class)
@Timeout(240)
@Order(1)
class FallenDatabaseTest {
    private static final int FALLS = 2;

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"LOG", "WAL"})
    @DisplayName("O6: the database falls while writers write; nothing is lost or exchanged")
    void theDatabaseFallsWhileWritersWrite(Mode mode, Broker broker, @TempDir Path folder)
            throws Exception {
        String topic = broker.topic();
        int port = SteadyPorts.next();
        Postgres.Server server = Postgres.Server.on(folder, port);
        try {
            Database database = installed(server);
            if (mode == Mode.WAL) {
                new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
            }
            RelaySettings settings = settings(mode, database, topic, broker);
            try (Writers writers = Writers.startEnduring(database, 4, 3);
                    Relay _ = Relay.start(database, settings);
                    Relay _ = Relay.start(database, settings);
                    TopicReader reader = new TopicReader(broker, topic)) {
                reader.await(100);
                for (int fall = 1; fall <= FALLS; fall++) {
                    fall(folder, server);
                    server = Postgres.Server.on(folder, port);
                    reader.await(reader.records().size() + 200);
                }
                writers.finish();
                int expected = (int) database.number("SELECT count(*) FROM transfer_events");
                reader.await(expected).linger(Duration.ofMillis(300));
                KilledRelayTest.assertSameAsTable(database, reader);
                assertThat(reader.records()).hasSize(expected);
            }
        } finally {
            server.close();
        }
    }

    /// The fixture's server promises less than a real one does: what it has told its writers to be committed may be gone with it.
    static Database installed(Postgres.Server server) {
        Database database = new Database(server.url());
        database.run("ALTER DATABASE postgres SET synchronous_commit = on");
        return database.install();
    }

    private static RelaySettings settings(
            Mode mode, Database database, String topic, Broker broker) {
        RelaySettings settings = RelaySettings.of(topic, broker.client()).withPage(50, 1 << 20);
        return mode == Mode.LOG
                ? settings
                : settings.withReplication(
                        Replication.to(database.url(), new Properties()).unbounded());
    }

    /// What `pg_ctl stop -m immediate` says to it: no session is told anything, and nothing is written any more.
    static void fall(Path data, Postgres.Server server) throws IOException, InterruptedException {
        String process = Files.readAllLines(data.resolve("postmaster.pid")).getFirst();
        int exit = new ProcessBuilder("kill", "-QUIT", process).inheritIO().start().waitFor();
        assertThat(exit).isZero();
        while (ProcessHandle.of(Long.parseLong(process))
                .filter(ProcessHandle::isAlive)
                .isPresent()) {
            Thread.sleep(10);
        }
        server.close();
    }
}
