package io.sluice.outbox.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.Health;
import io.sluice.outbox.operating.RunningRelay;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/// The relay of this application: starts after, and stops before, what writes events.
///
/// Thread-safe: Spring starts and stops it; others read one volatile field.
public final class EmbeddedRelay implements SmartLifecycle {
    private final RelayPlan plan;
    private final ConnectionSource database;
    private final MeterRegistry registry;
    private volatile @Nullable RunningRelay running;

    EmbeddedRelay(RelayPlan plan, ConnectionSource database, MeterRegistry registry) {
        this.plan = plan;
        this.database = database;
        this.registry = registry;
    }

    @Override
    public void start() {
        if (running != null) {
            return;
        }
        running =
                needsClaims()
                        ? RunningRelay.byClaims(
                                database,
                                plan.table(),
                                plan.topic(),
                                plan.producer(),
                                plan.given().forCompatMode(),
                                registry)
                        : RunningRelay.byLanes(database, plan.byLanes(), registry);
    }

    private boolean needsClaims() {
        return switch (plan.mode()) {
            case COMPAT -> true;
            case LOG -> false;
            case AUTO -> {
                try {
                    yield RunningRelay.needsClaims(database, plan.table());
                } catch (SQLException e) {
                    throw new IllegalStateException(
                            "The relay cannot see which mode its table is for: %s. Set app.outbox.relay.mode to start without asking"
                                    .formatted(e.getMessage()),
                            e);
                }
            }
        };
    }

    /// Events acknowledged by the broker since the start.
    public long published() {
        RunningRelay relay = running;
        return relay == null ? 0 : relay.published();
    }

    /// Whether events flow, and if not, why.
    public Health health() {
        RunningRelay relay = running;
        return relay == null
                ? new Health(false, List.of("The relay does not run"))
                : relay.health();
    }

    /// There may be new events.
    void ring() {
        RunningRelay relay = running;
        if (relay != null) {
            relay.ring();
        }
    }

    @Override
    public void stop() {
        RunningRelay relay = running;
        running = null;
        if (relay != null) {
            relay.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running != null;
    }
}
