package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The clock of a relay's host is set by an hour, forth and back, while events flow.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(180)
class ClockJumpTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    @DisplayName(
            "O6: a host's clock that jumps loses nothing, exchanges nothing, and costs no lane")
    void theClockJumps(Database database, Broker broker, @TempDir Path folder) throws Exception {
        Optional<HostClock> settable = HostClock.in(folder);
        assumeTrue(settable.isPresent(), "needs libfaketime (Debian: libfaketime)");
        HostClock clock = settable.get();
        String topic = broker.topic();
        try (Writers writers = Writers.start(database, 4, 2);
                TopicReader reader = new TopicReader(broker, topic);
                RelayProcess jumps =
                        RelayProcess.withClock(database, broker, topic, LEASE, clock).awaitLanes();
                RelayProcess other =
                        RelayProcess.start(database, broker, topic, LEASE).awaitLanes()) {
            String members =
                    database.column(
                                    "SELECT string_agg(number::text, ',' ORDER BY number) FROM outbox_member")
                            .getFirst();
            for (Duration off : new Duration[] {HOUR, HOUR.negated(), Duration.ZERO}) {
                clock.set(off);
                awaitRecordOfTheHour(reader, off);
            }
            int expected = writers.finish();
            reader.await(expected).linger(Duration.ofMillis(300));
            KilledRelayTest.assertSameAsTable(database, reader);
            assertThat(jumps.isAlive() && other.isAlive()).isTrue();
            assertThat(
                            database.column(
                                    "SELECT string_agg(number::text, ',' ORDER BY number) FROM outbox_member"))
                    .as("nobody was taken for dead")
                    .containsExactly(members);
        }
    }

    /// A producer stamps records with its host's time: so it is known that the clock has jumped, and that the relay publishes after that.
    private static void awaitRecordOfTheHour(TopicReader reader, Duration off) {
        int before = reader.records().size();
        reader.awaitUntil(
                () ->
                        reader.records().stream()
                                .skip(before)
                                .anyMatch(record -> isAbout(record.timestamp(), off)),
                "a record of a host whose clock is off by " + off);
    }

    private static boolean isAbout(long timestamp, Duration off) {
        long hostTime = System.currentTimeMillis() + off.toMillis();
        return Math.abs(timestamp - hostTime) < Duration.ofMinutes(20).toMillis();
    }
}
