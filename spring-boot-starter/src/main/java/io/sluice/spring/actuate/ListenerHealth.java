package io.sluice.spring.actuate;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneState;
import io.sluice.spring.Listeners;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/// Down when a source cannot be received from, with the sentence that says why; otherwise up, with a sentence per lane.
///
/// A full lane is healthy: it does what it is there for.
///
/// Thread-safe.
final class ListenerHealth implements HealthIndicator {
    private final Listeners listeners;

    ListenerHealth(Listeners listeners) {
        this.listeners = listeners;
    }

    @Override
    public Health health() {
        Health.Builder health = Health.up();
        Map<String, Listener> sorted = new TreeMap<>(listeners.running());
        sorted.forEach(
                (source, listener) -> {
                    String trouble = listener.trouble();
                    if (trouble == null) {
                        List<String> sentences =
                                listener.lanes().stream().map(LaneState::sentence).toList();
                        health.withDetail(source, sentences);
                    } else {
                        health.down().withDetail(source, trouble);
                    }
                });
        return health.build();
    }
}
