package io.sluice.outbox;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.sluice.outbox.membership.Membership;
import java.time.Duration;
import java.util.function.ToDoubleFunction;

/// The relay's numbers, through Micrometer. Their names are in the README.
///
/// Thread-safe, as the registry is.
final class RelayMetrics {
    private final MeterRegistry registry;
    private final Tags tags;
    private final Timer latency;

    RelayMetrics(MeterRegistry registry, String topic) {
        this.registry = registry;
        this.tags = Tags.of("topic", topic);
        this.latency =
                Timer.builder("outbox.latency")
                        .description(
                                "From an event's insertion, in wal mode its commit, to the acknowledgement")
                        .tags(tags)
                        .publishPercentileHistogram()
                        .minimumExpectedValue(Duration.ofMillis(1))
                        .maximumExpectedValue(Duration.ofMinutes(5))
                        .register(registry);
    }

    void acknowledged(Duration sinceInsertion) {
        latency.record(sinceInsertion);
    }

    void watch(RelayStatus status, Membership membership, Housekeeping housekeeping) {
        count("outbox.events", "Events acknowledged by the broker", status, RelayStatus::published);
        count("outbox.statements", "Database statements", status, RelayStatus::statements);
        count("outbox.polls", "Looks at the event table", status, RelayStatus::polls);
        count("outbox.polls.empty", "Looks that found nothing", status, RelayStatus::emptyPolls);
        count("outbox.events.parked", "Events refused and parked", status, RelayStatus::parked);
        show(
                "outbox.oldest.seconds",
                "Age of the oldest event that is not published",
                status,
                s -> s.oldestUnpublished().toMillis() / 1_000.0);
        show("outbox.keys.parked", "Aggregates that wait", status, RelayStatus::parkedKeys);
        show("outbox.lanes", "Lanes of this relay", status, s -> s.lanes().size());
        show(
                "outbox.lanes.stopped",
                "Lanes that wait for a setting",
                status,
                s -> s.stopped().size());
        show(
                "outbox.lanes.uncovered",
                "Lanes of all relays that nobody owns",
                membership,
                m -> m.seat().map(seat -> seat.view().uncovered()).orElse(-1));
        show(
                "outbox.partitions.ahead",
                "Partitions that were ready ahead of the writers when last looked, before more were made",
                housekeeping,
                Housekeeping::ahead);
    }

    private <T> void count(String name, String what, T object, ToDoubleFunction<T> number) {
        FunctionCounter.builder(name, object, number)
                .description(what)
                .tags(tags)
                .register(registry);
    }

    private <T> void show(String name, String what, T object, ToDoubleFunction<T> number) {
        Gauge.builder(name, object, number).description(what).tags(tags).register(registry);
    }
}
