package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.View;
import io.sluice.outbox.membership.LaneOwnership;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.parking.ParkingLot;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Refusal;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.wal.Slot;
import io.sluice.outbox.wal.WalCursor;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// The way from the table to the log, step by step.
@ExtendWith(Database.Extension.class)
@ResourceLock(value = Slots.LOCK, mode = ResourceAccessMode.READ)
@Timeout(120)
class WalEntryTest {
    private static final int LANES = 64;

    /// One lane waits for a setting; meanwhile the others close, and publish what comes after. The stream would bring that again, with other numbers.
    @Test
    void theStreamDoesNotBeginBehindWhichSomeLanesHaveGoneOn(Database database) throws Exception {
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        RelaySettings settings =
                RelaySettings.of("any", Map.of())
                        .withReplication(
                                Replication.to(database.url(), new Properties()).unbounded());
        OwnedLanes lanes =
                new OwnedLanes(
                        new LaneOwnership("transfer_events"),
                        new ParkingLot("transfer_events", settings.parking(), 1_000));
        WalEntry entry = new WalEntry(settings, lanes);
        try (Connection connection = database.open()) {
            lanes.follow(connection, seat(), new Nowhere());
            assertThat(lanes.all()).hasSize(LANES);
            Slot slot = Slot.of(connection, OutboxTable.TRANSFER_EVENTS);
            while (lanes.all().stream().noneMatch(lane -> lane.cursor().isOpen())) {
                assertThat(entry.go(connection, slot)).isEmpty();
                Thread.sleep(20);
            }
            String first = bound(lanes);
            Lane held = lanes.all().iterator().next();
            goOn(lanes, held);
            assertThat(entry.go(connection, slot)).as("one is not there").isEmpty();
            held.close(first);
            assertThat(entry.go(connection, slot)).as("the others are beyond").isEmpty();

            assertThat(lanes.all()).allMatch(lane -> lane.cursor().isOpen());
            String later = bound(lanes);
            lanes.all().forEach(lane -> lane.close(later));
            Optional<WalCursor> begins = entry.go(connection, slot);
            assertThat(begins.map(WalCursor::seen)).hasValue(later);
        } finally {
            Slots.drop(database);
        }
    }

    /// As rounds do that find nothing new.
    private static void goOn(OwnedLanes lanes, Lane but) {
        for (Lane lane : lanes.all()) {
            if (lane != but) {
                lane.close("not asked");
                lane.close("1000000:1000000:");
            }
        }
    }

    private static String bound(OwnedLanes lanes) {
        return String.valueOf(lanes.all().iterator().next().cursor().bound());
    }

    /// Lanes are those of bytes, and the log is read as UTF-8: events would come in other lanes than from the table.
    @Test
    void anotherEncodingThanUtf8IsRefused(Database database) throws Exception {
        String name = "latin_" + ProcessHandle.current().pid();
        database.run(
                "CREATE DATABASE %s ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
                        .formatted(name));
        try {
            Database latin =
                    new Database(
                                    database.url()
                                            .replaceFirst("(//[^/]+/)[^?]+", "$1" + name)
                                            .replaceFirst(
                                                    "currentSchema=\\w+", "currentSchema=public"))
                            .install();
            try (Connection connection = latin.open()) {
                assertThat(
                                Slot.of(connection, OutboxTable.TRANSFER_EVENTS)
                                        .obstacle(connection, true))
                        .hasValueSatisfying(
                                obstacle -> assertThat(obstacle).contains("encoding is LATIN1"));
            }
            try (Connection connection = database.open()) {
                assertThat(
                                Slot.of(connection, OutboxTable.TRANSFER_EVENTS)
                                        .obstacle(connection, true))
                        .isEmpty();
            }
        } finally {
            database.run("DROP DATABASE %s WITH (FORCE)".formatted(name));
        }
    }

    private static Seat seat() {
        View alone = new View(new TreeSet<>(List.of(1L)), new TreeMap<>(), LANES, Mode.WAL);
        return new Seat(1, 1, alone, System.nanoTime() + Duration.ofHours(1).toNanos());
    }

    /// Nothing is sent here.
    private static final class Nowhere implements Sender {
        @Override
        public Optional<Refusal> prepare() {
            return Optional.empty();
        }

        @Override
        public Outcome publish(
                List<Numbered> events, BooleanSupplier goOn, Supplier<List<Numbered>> behind) {
            return new Outcome(List.of(), Optional.empty());
        }

        @Override
        public void close() {}
    }
}
