package io.sluice.listener.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneState;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/// Publishes what lanes do.
///
/// ```java
/// var metrics = new ListenerMetrics(registry, "documents");
/// var listener = Listener.of(source).observe(metrics)….start();
/// metrics.watch(listener);
/// ```
///
/// | meter | tags | |
/// | --- | --- | --- |
/// | `sluice.listener.limit` | listener, lane | slots |
/// | `sluice.listener.in.flight` | listener, lane | slots taken |
/// | `sluice.listener.waiting` | listener, lane | slots taken by messages that wait behind their key |
/// | `sluice.listener.free` | listener, lane | slots that wait for a message |
/// | `sluice.listener.trouble` | listener | 1 when nothing can be received |
/// | `sluice.listener.poll.idle` | listener | seconds for which polls with room have brought nothing |
/// | `sluice.listener.lease.lateness` | listener | seconds by which the renewal of a lease is late |
/// | `sluice.listener.job` | listener, lane, outcome | timer: the job, retries in place included |
/// | `sluice.listener.message` | listener, lane, outcome | timer: from being received to being settled |
/// | `sluice.listener.retries.in.place` | listener, lane | attempts that failed and were made again in their slot |
/// | `sluice.listener.refused` | listener, lane | messages whose lane was full |
/// | `sluice.listener.breaches` | listener, lane | jobs that an executor refused |
/// | `sluice.listener.strays` | listener | messages that belong to no lane, and are dead letters |
///
/// Outcomes: done, retry, deadletter, handback, lost.
///
/// Thread-safe.
public final class ListenerMetrics implements LaneObserver {
    private final MeterRegistry registry;
    private final String name;
    private final List<Gauge> gauges = new ArrayList<>();

    public ListenerMetrics(MeterRegistry registry, String name) {
        this.registry = registry;
        this.name = name;
    }

    /// Registers the gauges of all lanes, in place of those of the listener that was watched before: a registry would go on with the old ones.
    public synchronized void watch(Listener listener) {
        gauges.forEach(registry::remove);
        gauges.clear();
        for (LaneState lane : listener.lanes()) {
            gauge(listener, "limit", lane.lane(), LaneState::limit);
            gauge(listener, "in.flight", lane.lane(), LaneState::inFlight);
            gauge(listener, "waiting", lane.lane(), LaneState::waiting);
            gauge(listener, "free", lane.lane(), LaneState::free);
        }
        seconds(listener, "poll.idle", Listener::idle);
        seconds(listener, "lease.lateness", Listener::leaseLateness);
        gauges.add(
                Gauge.builder(
                                "sluice.listener.trouble",
                                listener,
                                it -> it.trouble() == null ? 0 : 1)
                        .tags("listener", name)
                        .strongReference(true)
                        .register(registry));
    }

    private void seconds(Listener listener, String meter, Function<Listener, Duration> value) {
        gauges.add(
                Gauge.builder(
                                "sluice.listener." + meter,
                                listener,
                                it -> value.apply(it).toNanos() / 1e9)
                        .baseUnit("seconds")
                        .tags("listener", name)
                        .strongReference(true)
                        .register(registry));
    }

    private void gauge(
            Listener listener, String meter, String lane, ToDoubleFunction<LaneState> value) {
        gauges.add(
                Gauge.builder(
                                "sluice.listener." + meter,
                                listener,
                                it ->
                                        it.lanes().stream()
                                                .filter(state -> state.lane().equals(lane))
                                                .mapToDouble(value)
                                                .sum())
                        .tags(tags(lane))
                        .strongReference(true)
                        .register(registry));
    }

    private Tags tags(String lane) {
        return Tags.of("listener", name, "lane", lane);
    }

    @Override
    public void landed(
            String lane, Message message, Settlement verdict, Duration inProcess, Duration job) {
        Tags tags =
                tags(lane)
                        .and(
                                "outcome",
                                verdict.getClass().getSimpleName().toLowerCase(Locale.ROOT));
        registry.timer("sluice.listener.message", tags).record(inProcess);
        if (job.isPositive()) {
            registry.timer("sluice.listener.job", tags).record(job);
        }
    }

    @Override
    public void retriedInPlace(String lane, Message message) {
        registry.counter("sluice.listener.retries.in.place", tags(lane)).increment();
    }

    @Override
    public void stray(Message message) {
        registry.counter("sluice.listener.strays", Tags.of("listener", name)).increment();
    }

    @Override
    public void refused(String lane, Message message) {
        registry.counter("sluice.listener.refused", tags(lane)).increment();
    }

    @Override
    public void breached(String lane, Message message) {
        registry.counter("sluice.listener.breaches", tags(lane)).increment();
    }
}
