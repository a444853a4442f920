package io.sluice.outbox;

import io.sluice.outbox.lanes.Backoff;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What a relay in log mode needs to know. [#of] gives the defaults; the `with…` methods change one thing.
///
/// Immutable.
///
/// @param name how this relay is called in logs and tables
/// @param topic where events are published
/// @param producer settings of kafka-clients' producer; `bootstrap.servers` at least
/// @param guarantee how often an event arrives; the same for all relays of a table
/// @param lease after how long without a sign of life a relay's lanes may be taken
/// @param pageRows most events that are read at once
/// @param pageBytes a page ends when its payloads are larger than this
/// @param idleWait longest pause between two looks at the table when nothing happens and nobody can ring
/// @param parking waits between attempts to publish a refused event
/// @param retention how long partitions of published events are kept, if the table has partitions; see `EventPartitions`
/// @param replication wal mode's way to the database's log; without it this relay reads the table in every mode
public record RelaySettings(
        OutboxTable table,
        String name,
        String topic,
        Map<String, Object> producer,
        Guarantee guarantee,
        Duration lease,
        int pageRows,
        int pageBytes,
        Duration idleWait,
        Backoff parking,
        Duration retention,
        @Nullable Replication replication) {

    private static final int MOST_ROWS = 1_000_000;

    public RelaySettings {
        producer = Map.copyOf(producer);
        require(!lease.minusMillis(300).isNegative(), "lease", lease, "at least 300 ms");
        require(pageRows >= 1 && pageRows <= MOST_ROWS, "pageRows", pageRows, "1 to 1,000,000");
        require(pageBytes >= 1, "pageBytes", pageBytes, "at least 1");
        require(idleWait.toMillis() >= 1, "idleWait", idleWait, "at least 1 ms");
        require(!retention.isNegative(), "retention", retention, "zero or more");
    }

    public static RelaySettings of(String topic, Map<String, Object> producer) {
        return new RelaySettings(
                OutboxTable.TRANSFER_EVENTS,
                ManagementFactory.getRuntimeMXBean().getName(),
                topic,
                producer,
                Guarantee.AT_LEAST_ONCE,
                Duration.ofSeconds(3),
                5_000,
                16 << 20,
                Duration.ofMillis(250),
                new Backoff(Duration.ofSeconds(5), Duration.ofSeconds(600)),
                Duration.ofHours(24),
                null);
    }

    public RelaySettings withTable(OutboxTable changed) {
        return with(copy -> copy.table = changed);
    }

    public RelaySettings withName(String changed) {
        return with(copy -> copy.name = changed);
    }

    public RelaySettings withGuarantee(Guarantee changed) {
        return with(copy -> copy.guarantee = changed);
    }

    public RelaySettings withLease(Duration changed) {
        return with(copy -> copy.lease = changed);
    }

    public RelaySettings withPage(int rows, int bytes) {
        return with(
                copy -> {
                    copy.pageRows = rows;
                    copy.pageBytes = bytes;
                });
    }

    public RelaySettings withIdleWait(Duration changed) {
        return with(copy -> copy.idleWait = changed);
    }

    public RelaySettings withParking(Backoff changed) {
        return with(copy -> copy.parking = changed);
    }

    public RelaySettings withRetention(Duration changed) {
        return with(copy -> copy.retention = changed);
    }

    public RelaySettings withReplication(Replication changed) {
        return with(copy -> copy.replication = changed);
    }

    private RelaySettings with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.settings();
    }

    /// The parts while one of them is changed.
    private static final class Copy {
        private final RelaySettings of;
        private OutboxTable table;
        private String name;
        private Guarantee guarantee;
        private Duration lease;
        private int pageRows;
        private int pageBytes;
        private Duration idleWait;
        private Backoff parking;
        private Duration retention;
        private @Nullable Replication replication;

        Copy(RelaySettings of) {
            this.of = of;
            table = of.table;
            name = of.name;
            guarantee = of.guarantee;
            lease = of.lease;
            pageRows = of.pageRows;
            pageBytes = of.pageBytes;
            idleWait = of.idleWait;
            parking = of.parking;
            retention = of.retention;
            replication = of.replication;
        }

        RelaySettings settings() {
            return new RelaySettings(
                    table,
                    name,
                    of.topic,
                    of.producer,
                    guarantee,
                    lease,
                    pageRows,
                    pageBytes,
                    idleWait,
                    parking,
                    retention,
                    replication);
        }
    }

    private static void require(boolean holds, String name, Object value, String bound) {
        if (!holds) {
            throw new IllegalArgumentException(
                    "%s=%s: it must be %s".formatted(name, value, bound));
        }
    }
}
