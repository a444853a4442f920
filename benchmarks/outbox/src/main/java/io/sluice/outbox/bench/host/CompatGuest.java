package io.sluice.outbox.bench.host;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Our relays in compat mode, with the document's settings.
///
/// Thread-safe, as the relays are.
final class CompatGuest implements Guest {
    private final CountingConnections database;
    private final List<CompatRelay> relays = new ArrayList<>();

    CompatGuest(RelayHost.Place place, int instances) {
        this.database = new CountingConnections(place.url());
        for (int i = 0; i < instances; i++) {
            CompatSettings settings =
                    CompatSettings.of(
                            Map.of(
                                    CompatSettings.INSTANCE_ID,
                                    Integer.toString(i),
                                    CompatSettings.TOTAL_INSTANCES,
                                    Integer.toString(instances)),
                            Map.of(CompatSettings.PREFIX + "batchSize", "1000"));
            relays.add(
                    CompatRelay.start(
                            database,
                            OutboxTable.TRANSFER_EVENTS,
                            place.topic(),
                            Map.of("bootstrap.servers", place.bootstrap()),
                            settings));
        }
    }

    @Override
    public void awaitReady() throws InterruptedException {
        Thread.sleep(1_500); // Until every one has its seat.
    }

    @Override
    public void go(long events) {}

    @Override
    public long statements() {
        return database.statements();
    }

    @Override
    public long emptyPolls() {
        return relays.stream().mapToLong(CompatRelay::emptyPolls).sum();
    }

    @Override
    public long[] published() {
        return relays.stream().mapToLong(CompatRelay::published).toArray();
    }

    @Override
    public void close() {
        relays.forEach(CompatRelay::close);
    }
}
