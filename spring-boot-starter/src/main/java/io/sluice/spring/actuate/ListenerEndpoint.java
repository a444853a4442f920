package io.sluice.spring.actuate;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneState;
import io.sluice.spring.Listeners;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/// Shows what lanes are doing, and changes their limits while they run.
///
/// | | |
/// | --- | --- |
/// | `GET /actuator/sluicelisteners` | all listeners |
/// | `GET /actuator/sluicelisteners/documents` | one |
/// | `POST /actuator/sluicelisteners/documents/label` with `{"limit": 4}` | a new limit; an adaptive one goes on from there |
///
/// Thread-safe.
@Endpoint(id = "sluicelisteners")
public final class ListenerEndpoint {
    /// A listener as it is shown.
    ///
    /// @param trouble why nothing can be received, if so
    public record Shown(@Nullable String trouble, List<LaneState> lanes) {
        static Shown of(Listener listener) {
            return new Shown(listener.trouble(), listener.lanes());
        }
    }

    private final Listeners listeners;

    ListenerEndpoint(Listeners listeners) {
        this.listeners = listeners;
    }

    @ReadOperation
    public Map<String, Shown> all() {
        Map<String, Shown> all = new TreeMap<>();
        listeners.running().forEach((source, listener) -> all.put(source, Shown.of(listener)));
        return all;
    }

    /// Nothing (404) when there is no such listener.
    @ReadOperation
    public @Nullable Shown one(@Selector String source) {
        Listener listener = listeners.running().get(source);
        return listener == null ? null : Shown.of(listener);
    }

    @WriteOperation
    public Shown limit(@Selector String source, @Selector String lane, int limit) {
        Listener listener = listeners.require(source);
        listener.limit(lane, limit);
        return Shown.of(listener);
    }
}
