package io.sluice.outbox.spring.actuate;

import io.sluice.outbox.spring.EmbeddedRelay;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/// Down when a lane has had no relay for more than 10 s, when database or broker cannot be reached, or when a lane has stopped; with
/// sentences that say why. Up with a sentence when relays disagree on topic or guarantee.
///
/// Thread-safe.
final class OutboxHealth implements HealthIndicator {
    private final EmbeddedRelay relay;

    OutboxHealth(EmbeddedRelay relay) {
        this.relay = relay;
    }

    @Override
    public Health health() {
        io.sluice.outbox.Health now = relay.health();
        Health.Builder health = now.up() ? Health.up() : Health.down();
        if (!now.reasons().isEmpty()) {
            health.withDetail("reasons", now.reasons());
        }
        return health.withDetail("published", relay.published()).build();
    }
}
