package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.Postgres;
import io.sluice.testing.SteadyPorts;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A standby that lags behind is promoted: transaction ids and numbers that the old primary has used are given a second time.
@ExtendWith(Broker.Extension.class)
@Timeout(240)
class PromotedStandbyTest {
    private static final Set<String> OF_THE_PROCESS = Set.of("postmaster.pid", "epg-lock");

    @Test
    void newEventsAreNotTakenForThoseOfTheOldPrimary(Broker broker, @TempDir Path folder)
            throws Exception {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        Path standbyData = folder.resolve("standby");
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Postgres.Server primary = start(folder.resolve("primary"))) {
                Database database = new Database(primary.url()).install();
                publish(database, settings, reader, "1", "2");
                copy(database, folder.resolve("primary"), standbyData);
                publish(database, settings, reader, "3", "4", "5", "6");
            }
            assertThat(reader.byKey().get("a")).containsExactly("1", "2", "3", "4", "5", "6");

            Files.createFile(standbyData.resolve("standby.signal"));
            try (Postgres.Server promoted = start(standbyData)) {
                Database database = new Database(promoted.url());
                assertThat(database.column("SELECT payload FROM transfer_events ORDER BY ord"))
                        .as("it lagged behind")
                        .containsExactly("1", "2");
                assertThat(database.column("SELECT pg_promote()")).containsExactly("t");
                publish(database, settings, reader, "new 3", "new 4");
            }
            assertThat(reader.byKey().get("a")).endsWith("6", "new 3", "new 4");
        }
    }

    private static void publish(
            Database database, RelaySettings settings, TopicReader reader, String... payloads) {
        int before = reader.records().size();
        try (Relay _ = Relay.start(database, settings)) {
            for (String payload : payloads) {
                database.append(OutboxEvent.of("a", "t", payload));
            }
            List<String> expected = List.of(payloads);
            reader.awaitUntil(
                    () ->
                            reader.byKey().getOrDefault("a", List.of()).stream()
                                            .skip(before)
                                            .filter(expected::contains)
                                            .count()
                                    == expected.size(),
                    expected.toString());
        }
    }

    private static Postgres.Server start(Path data) {
        return Postgres.Server.on(data, SteadyPorts.next());
    }

    /// A base backup, by hand.
    private static void copy(Database database, Path from, Path to) throws Exception {
        try (Connection connection = database.open();
                var statement = connection.createStatement()) {
            statement.execute("SELECT pg_start_backup('standby', true)");
            copyFiles(from, to);
            statement.execute("SELECT pg_stop_backup()");
            copyFiles(from.resolve("pg_wal"), to.resolve("pg_wal"));
        }
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwx------"));
    }

    private static void copyFiles(Path from, Path to) throws IOException {
        Files.walkFileTree(
                from,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) throws IOException {
                        Files.createDirectories(to.resolve(from.relativize(folder).toString()));
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        if (!OF_THE_PROCESS.contains(String.valueOf(file.getFileName()))) {
                            try {
                                Files.copy(
                                        file,
                                        to.resolve(from.relativize(file).toString()),
                                        StandardCopyOption.REPLACE_EXISTING);
                            } catch (NoSuchFileException e) {
                                // Gone since; the write-ahead log knows about it.
                            }
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException failure) {
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
