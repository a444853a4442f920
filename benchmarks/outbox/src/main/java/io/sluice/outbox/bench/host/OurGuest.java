package io.sluice.outbox.bench.host;

import io.sluice.outbox.Guarantee;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.Relay;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.Replication;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.operating.Operator;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/// Our relays, from the table (log) or the database's log (wal), with their defaults but for the page.
///
/// Thread-safe, as the relays are.
final class OurGuest implements Guest {
    private final CountingConnections database;
    private final Mode mode;
    private final List<Relay> relays = new ArrayList<>();

    /// @param pageRows zero: the default
    OurGuest(RelayHost.Place place, int instances, Mode mode, Guarantee guarantee, int pageRows) {
        this.database = new CountingConnections(place.url());
        this.mode = mode;
        RelaySettings settings =
                RelaySettings.of(place.topic(), Map.of("bootstrap.servers", place.bootstrap()))
                        .withGuarantee(guarantee);
        if (pageRows > 0) {
            settings = settings.withPage(pageRows, settings.pageBytes());
        }
        if (mode == Mode.WAL) {
            settings =
                    settings.withReplication(
                            Replication.to(place.url(), new Properties()).unbounded());
        }
        for (int i = 0; i < instances; i++) {
            relays.add(
                    Relay.start(
                            database,
                            settings.withName("relay-" + ProcessHandle.current().pid() + "-" + i)));
        }
    }

    @Override
    public void awaitReady() throws SQLException, InterruptedException {
        Operator operator = Operator.of(database, OutboxTable.TRANSFER_EVENTS);
        while (operator.lanes().stream().anyMatch(lane -> !lane.isCovered()) || !isEven()) {
            Thread.sleep(20);
        }
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        while (mode == Mode.WAL && !migration.state().streaming()) {
            Thread.sleep(20);
        }
    }

    private boolean isEven() {
        return mode == Mode.WAL
                || relays.stream().noneMatch(relay -> relay.status().lanes().isEmpty());
    }

    @Override
    public void go(long events) {}

    @Override
    public long statements() {
        return database.statements();
    }

    @Override
    public long emptyPolls() {
        return relays.stream().mapToLong(relay -> relay.status().emptyPolls()).sum();
    }

    @Override
    public long[] published() {
        return relays.stream().mapToLong(relay -> relay.status().published()).toArray();
    }

    @Override
    public void close() {
        relays.forEach(Relay::close);
    }
}
