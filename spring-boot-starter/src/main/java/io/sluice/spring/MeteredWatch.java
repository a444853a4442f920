package io.sluice.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.metrics.ListenerMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Publishes the figures of all listeners to Micrometer.
///
/// Thread-safe.
final class MeteredWatch implements ListenerWatch {
    private final MeterRegistry registry;
    private final Map<String, ListenerMetrics> metrics = new ConcurrentHashMap<>();

    MeteredWatch(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public LaneObserver observer(String source) {
        return of(source);
    }

    @Override
    public void started(String source, Listener listener) {
        of(source).watch(listener);
    }

    private ListenerMetrics of(String source) {
        return metrics.computeIfAbsent(source, name -> new ListenerMetrics(registry, name));
    }
}
