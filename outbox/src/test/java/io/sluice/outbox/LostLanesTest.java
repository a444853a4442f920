package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.lanes.View;
import io.sluice.outbox.membership.LaneOwnership;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.parking.ParkingLot;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A relay that streams is taken for dead, and a successor has claimed some of its lanes when it saves. Whoever has them next reads again from the position
/// that was saved last, and gives the numbers that belong to it.
@ExtendWith(Database.Extension.class)
@Timeout(60)
class LostLanesTest {
    private static final int LANES = 64;
    private static final String POSITION = "0/10";

    private final RelaySettings settings = RelaySettings.of("any", Map.of());
    private final ParkingLot parkingLot =
            new ParkingLot("transfer_events", settings.parking(), 1_000);
    private final OwnedLanes lanes =
            new OwnedLanes(new LaneOwnership("transfer_events"), parkingLot);

    @Test
    void numbersOfTheLanesThatAreLeftDoNotGoOnWithoutTheirPosition(Database database)
            throws Exception {
        try (Connection connection = database.open()) {
            begin(database, connection);
            List<String> before = state(database);

            Throwable lost = catchThrowable(() -> lanes.saveAll(connection));

            assertThat(state(database)).isEqualTo(before);
            assertThat(lost).hasMessageContaining("lanes 32-63 are another relay's");
        }
    }

    @Test
    void norWhenTheyAreGivenAway(Database database) throws Exception {
        try (Connection connection = database.open()) {
            begin(database, connection);
            List<String> before = state(database);

            List<Integer> all = lanes.all().stream().map(Lane::number).toList();
            Throwable lost = catchThrowable(() -> lanes.giveAway(connection, all));

            assertThat(state(database)).isEqualTo(before);
            assertThat(lost).hasMessageContaining("lanes 32-63 are another relay's");
        }
    }

    /// It leaves out a million numbers, and what it does not save is where that was.
    @Test
    void norWhenTheTableTakesOver(Database database) throws Exception {
        database.run(
                "UPDATE outbox_source SET mode = 'wal', wal_lsn = '%s', wal_seen = pg_current_snapshot()"
                        .formatted(POSITION));
        RelayStatus status = new RelayStatus(latency -> {}, () -> 0);
        RefusedEvents refused = new RefusedEvents(lanes, parkingLot, status);
        Dispatch dispatch =
                new Dispatch(
                        Optional::empty,
                        new Waking(),
                        status,
                        lanes,
                        () -> {},
                        Duration.ofSeconds(10));
        TableRounds table =
                new TableRounds(settings, lanes, refused, dispatch, status, Duration.ZERO);
        WalRounds rounds = new WalRounds(settings, lanes, dispatch, status, refused, table);
        Recorder broker = new Recorder();
        try (Connection connection = database.open()) {
            lanes.follow(connection, seat(), broker);
            assertThat(rounds.applies(connection, seat())).isTrue();
            loseHalf(database);
            List<String> before = state(database);

            // Without a replication connection the log cannot be read.
            Throwable lost = catchThrowable(() -> rounds.publish(connection, broker));

            assertThat(state(database)).isEqualTo(before);
            assertThat(lost).hasMessageContaining("lanes 32-63 are another relay's");
        }
    }

    /// All lanes, five events of each published, and the position behind them not saved.
    private void begin(Database database, Connection connection) throws SQLException {
        lanes.follow(connection, seat(), new Recorder());
        assertThat(lanes.all()).hasSize(LANES);
        lanes.all().forEach(lane -> lane.reserve(5));
        lanes.carry(new Position());
        loseHalf(database);
    }

    private static void loseHalf(Database database) {
        database.run("UPDATE outbox_lane SET owner = 2, epoch = epoch + 1 WHERE lane >= 32");
    }

    private static List<String> state(Database database) {
        return database.column(
                "SELECT concat_ws(' ', lane, owner, sequence, seen, wal_lsn) FROM outbox_lane l JOIN outbox_source s USING (outbox) ORDER BY lane");
    }

    private static Seat seat() {
        View alone = new View(new TreeSet<>(List.of(1L)), new TreeMap<>(), LANES, Mode.WAL);
        return new Seat(1, 1, alone, System.nanoTime() + Duration.ofHours(1).toNanos());
    }

    /// How far the stream is.
    private static final class Position implements OwnedLanes.Rider {
        @Override
        public boolean isUnsaved() {
            return true;
        }

        @Override
        public void save(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("UPDATE outbox_source SET wal_lsn = '%s'".formatted(POSITION));
            }
        }
    }
}
