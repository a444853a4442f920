package io.sluice.outbox.operating;

import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.Health;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.Relay;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/// A relay of either kind, for whoever runs one without caring which.
///
/// Thread-safe, as the relays are.
public sealed interface RunningRelay extends AutoCloseable {
    long published();

    Health health();

    /// There may be new events.
    void ring();

    @Override
    void close();

    /// By lanes, from the table or the database's log.
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
        public void ring() {
            relay.ring();
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

        /// It looks when its delay is over, as the document's does.
        @Override
        public void ring() {}

        @Override
        public void close() {
            relay.close();
        }
    }

    /// Whether the table is one for claims and statuses: no log mode is installed, or it was left again.
    static boolean needsClaims(ConnectionSource database, OutboxTable table) throws SQLException {
        return Operator.of(database, table).summary().mode().equals("compat");
    }

    static RunningRelay byLanes(
            ConnectionSource database, RelaySettings settings, MeterRegistry registry) {
        return new ByLanes(Relay.start(database, settings, registry));
    }

    static RunningRelay byClaims(
            ConnectionSource database,
            OutboxTable table,
            String topic,
            Map<String, Object> producer,
            CompatSettings settings,
            MeterRegistry registry) {
        return new ByClaims(
                CompatRelay.start(database, table, topic, producer, settings, registry));
    }
}
