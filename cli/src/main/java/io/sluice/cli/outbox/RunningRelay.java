package io.sluice.cli.outbox;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.Health;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.Relay;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.compat.CompatRelay;
import java.util.List;
import java.util.Map;

/// A relay of either kind.
///
/// Thread-safe, as the relays are.
sealed interface RunningRelay extends AutoCloseable {
    long published();

    Health health();

    @Override
    void close();

    /// By lanes and snapshots.
    record ByLanes(Relay relay) implements RunningRelay {
        @Override
        public long published() {
            return relay.status().published();
        }

        @Override
        public Health health() {
            return relay.health();
        }

        @Override
        public void close() {
            relay.close();
        }
    }

    /// By claims and statuses.
    record ByClaims(CompatRelay relay) implements RunningRelay {
        @Override
        public long published() {
            return relay.published();
        }

        @Override
        public Health health() {
            String trouble = relay.trouble();
            return trouble == null
                    ? new Health(true, List.of())
                    : new Health(false, List.of(trouble));
        }

        @Override
        public void close() {
            relay.close();
        }
    }

    static RunningRelay start(
            boolean compat,
            ConnectionSource database,
            OutboxTable table,
            String topic,
            Map<String, Object> producer,
            RelayEnvironment environment) {
        if (compat) {
            return new ByClaims(
                    CompatRelay.start(database, table, topic, producer, environment.documents()));
        }
        RelaySettings settings = RelaySettings.of(topic, producer).withTable(table);
        return new ByLanes(Relay.start(database, environment.forLogMode(settings)));
    }
}
