package io.sluice.outbox;

import io.sluice.outbox.lanes.Backoff;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;

/// What a relay in log mode needs to know. [#of] gives the defaults; the `with…` methods change one thing.
///
/// Immutable.
///
/// @param name how this relay is called in logs and tables
/// @param topic where events are published
/// @param producer settings of kafka-clients' producer; `bootstrap.servers` at least
/// @param lease after how long without a sign of life a relay's lanes may be taken
/// @param pageRows most events that are read at once
/// @param pageBytes a page ends when its payloads are larger than this
/// @param idleWait longest pause between two looks at the table when nothing happens
/// @param parking waits between attempts to publish a refused event
public record RelaySettings(
        OutboxTable table,
        String name,
        String topic,
        Map<String, Object> producer,
        Duration lease,
        int pageRows,
        int pageBytes,
        Duration idleWait,
        Backoff parking) {

    public RelaySettings {
        producer = Map.copyOf(producer);
        require(!lease.minusMillis(300).isNegative(), "lease", lease, "at least 300 ms");
        require(pageRows >= 1, "pageRows", pageRows, "at least 1");
        require(pageBytes >= 1, "pageBytes", pageBytes, "at least 1");
        require(idleWait.toMillis() >= 1, "idleWait", idleWait, "at least 1 ms");
    }

    public static RelaySettings of(String topic, Map<String, Object> producer) {
        return new RelaySettings(
                OutboxTable.TRANSFER_EVENTS,
                ManagementFactory.getRuntimeMXBean().getName(),
                topic,
                producer,
                Duration.ofSeconds(3),
                5_000,
                16 << 20,
                Duration.ofMillis(250),
                new Backoff(Duration.ofSeconds(5), Duration.ofSeconds(600)));
    }

    public RelaySettings withTable(OutboxTable changed) {
        return new RelaySettings(
                changed, name, topic, producer, lease, pageRows, pageBytes, idleWait, parking);
    }

    public RelaySettings withName(String changed) {
        return new RelaySettings(
                table, changed, topic, producer, lease, pageRows, pageBytes, idleWait, parking);
    }

    public RelaySettings withLease(Duration changed) {
        return new RelaySettings(
                table, name, topic, producer, changed, pageRows, pageBytes, idleWait, parking);
    }

    public RelaySettings withPage(int rows, int bytes) {
        return new RelaySettings(
                table, name, topic, producer, lease, rows, bytes, idleWait, parking);
    }

    public RelaySettings withIdleWait(Duration changed) {
        return new RelaySettings(
                table, name, topic, producer, lease, pageRows, pageBytes, changed, parking);
    }

    public RelaySettings withParking(Backoff changed) {
        return new RelaySettings(
                table, name, topic, producer, lease, pageRows, pageBytes, idleWait, changed);
    }

    private static void require(boolean holds, String name, Object value, String bound) {
        if (!holds) {
            throw new IllegalArgumentException(
                    "%s=%s: it must be %s".formatted(name, value, bound));
        }
    }
}
