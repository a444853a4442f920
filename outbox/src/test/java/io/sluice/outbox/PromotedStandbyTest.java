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
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A standby that lags behind is promoted: transaction ids that the old primary has used are given a second time. A relay that has seen the first one's event must not take
/// the second one's for it.
@ExtendWith(Broker.Extension.class)
@Timeout(240)
class PromotedStandbyTest {
    private static final Set<String> OF_THE_PROCESS = Set.of("postmaster.pid", "epg-lock");

    private static final String UNSAVED =
            "SELECT count(*) FROM transfer_events JOIN outbox_lane ON lane = outbox_lane_of(aggregate_id) WHERE NOT pg_visible_in_snapshot(tx, seen)";

    /// The same relay all the time: in its memory, everything up to the last transaction of the old primary is done.
    @Test
    @DisplayName(
            "O1, O6: events with transaction ids that a lost primary gave to others are published")
    void newEventsAreNotTakenForThoseOfTheOldPrimary(Broker broker, @TempDir Path folder)
            throws Exception {
        String topic = broker.topic();
        Path standbyData = folder.resolve("standby");
        AtomicReference<@Nullable Database> primary = new AtomicReference<>();
        Set<String> usedByOld = new HashSet<>();
        try (TopicReader reader = new TopicReader(broker, topic);
                Relay _ =
                        Relay.start(
                                () -> opened(primary.get()),
                                RelaySettings.of(topic, broker.client()))) {
            try (Postgres.Server old = start(folder.resolve("primary"))) {
                Database database = new Database(old.url()).install();
                primary.set(database);
                append(database, "1", "2");
                reader.await(2)
                        .awaitUntil(() -> database.number(UNSAVED) == 0, "it to be written down");
                copy(database, folder.resolve("primary"), standbyData);
                append(database, "3", "4", "5", "6");
                reader.await(6);
                usedByOld.addAll(
                        database.column("SELECT tx FROM transfer_events WHERE payload >= '3'"));
                assertThat(usedByOld).hasSize(4);
            }
            Files.createFile(standbyData.resolve("standby.signal"));
            try (Postgres.Server standby = start(standbyData)) {
                Database promoted = promote(standby);
                List<String> expected = writeUntilAllAreReused(promoted, usedByOld);
                expected.addAll(0, List.of("1", "2", "3", "4", "5", "6"));
                primary.set(promoted);
                reader.await(expected.size());
                append(promoted, "last");
                expected.add("last");
                reader.await(expected.size()).linger(Duration.ofMillis(300));
                reader.received().requireSameAs(Map.of("a", expected));
                assertThat(reader.repeated()).isZero();
                assertNumbersJumpOnce(reader, 6);
            }
        }
    }

    private static Connection opened(@Nullable Database primary) throws SQLException {
        if (primary == null) {
            throw new SQLException("nobody is primary yet");
        }
        return primary.open();
    }

    private static Database promote(Postgres.Server standby) {
        Database database = new Database(standby.url());
        assertThat(database.column("SELECT payload FROM transfer_events ORDER BY ord"))
                .as("it lagged behind")
                .containsExactly("1", "2");
        assertThat(database.column("SELECT pg_promote()")).containsExactly("t");
        return database;
    }

    /// No relay is there yet, so nearly each id that is given is an event's.
    ///
    /// @return payloads, in order
    private static List<String> writeUntilAllAreReused(Database promoted, Set<String> used) {
        long highest = used.stream().mapToLong(Long::parseLong).max().orElseThrow();
        List<String> written = new ArrayList<>();
        do {
            written.add("new " + (written.size() + 1));
            append(promoted, written.getLast());
        } while (promoted.number("SELECT max(tx::text::bigint) FROM transfer_events") < highest);
        assertThat(promoted.column("SELECT tx FROM transfer_events WHERE payload LIKE 'new %'"))
                .as("transactions of new events: those of published ones of the old primary, again")
                .containsAll(used);
        return written;
    }

    /// Or a consumer would take new events for old ones, which had these numbers.
    private static void assertNumbersJumpOnce(TopicReader reader, int old) {
        List<Long> numbers =
                reader.records().stream()
                        .map(record -> Long.valueOf(TopicReader.header(record, "outbox-sequence")))
                        .toList();
        List<Long> steps = new ArrayList<>();
        for (int i = 1; i < numbers.size(); i++) {
            steps.add(numbers.get(i) - numbers.get(i - 1));
        }
        assertThat(steps.remove(old - 1)).as("first new one").isGreaterThan(900_000_000L);
        assertThat(steps).as("all others").containsOnly(1L);
    }

    /// Each in a transaction of its own.
    private static void append(Database database, String... payloads) {
        for (String payload : payloads) {
            database.append(OutboxEvent.of("a", "t", payload));
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
