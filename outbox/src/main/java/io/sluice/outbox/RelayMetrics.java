package io.sluice.outbox;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.sluice.outbox.membership.Membership;
import io.sluice.outbox.partitions.Housekeeping;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// A relay's numbers, through Micrometer, under the same names in every mode. They are in the README.
///
/// They are there from [#watch] to [#close]: a relay that is started again takes the place of the one before. Relays of one registry are told apart by
/// their tags, also those that were given the same name.
///
/// Thread-safe, as the registry is; watching and closing are up to whoever starts and closes the relay.
public final class RelayMetrics implements AutoCloseable {
    private static final String EVENTS = "outbox.events";
    private static final String STATEMENTS = "Database statements of the publishing thread";
    private static final String POLLS = "Looks at the event table";
    private static final String EMPTY_POLLS = "Looks that found nothing";
    private static final String OLDEST = "Age of the oldest event that is not published";
    private static final String PARKED = "Events refused and parked";
    private static final String PARKED_KEYS = "Aggregates that wait";
    private static final String LANES = "Lanes of this relay";
    private static final String UNCOVERED = "Lanes of all relays that nobody owns";

    /// Two that look for a name at the same time would both find it free.
    private static final Object NAMING = new Object();

    private final MeterRegistry registry;
    private final Tags outbox;
    private final String relay;
    private final List<Meter> meters = new ArrayList<>();
    private Tags tags = Tags.empty();
    private volatile @Nullable Timer latency;

    /// @param relay how the relay is called
    public RelayMetrics(MeterRegistry registry, OutboxTable table, String topic, String relay) {
        this.registry = registry;
        this.outbox = Tags.of("table", table.name(), "topic", topic);
        this.relay = relay;
    }

    public void acknowledged(Duration sinceInsertion) {
        Timer timer = latency;
        if (timer != null) {
            timer.record(sinceInsertion);
        }
    }

    void watch(RelayStatus status, Membership membership, Housekeeping housekeeping) {
        begin(status, RelayStatus::published);
        count("outbox.statements", STATEMENTS, status, RelayStatus::statements);
        count("outbox.polls", POLLS, status, RelayStatus::polls);
        count("outbox.polls.empty", EMPTY_POLLS, status, RelayStatus::emptyPolls);
        count("outbox.events.parked", PARKED, status, RelayStatus::parked);
        show("outbox.oldest.seconds", OLDEST, status, s -> seconds(s.oldestUnpublished()));
        show("outbox.keys.parked", PARKED_KEYS, status, RelayStatus::parkedKeys);
        show("outbox.lanes", LANES, status, s -> s.lanes().size());
        show(
                "outbox.lanes.stopped",
                "Lanes that wait for a setting",
                status,
                s -> s.stopped().size());
        show(
                "outbox.lanes.uncovered",
                UNCOVERED,
                membership,
                m -> m.seat().map(seat -> seat.view().uncovered()).orElse(-1));
        show(
                "outbox.partitions.ahead",
                "Partitions that were ready ahead of the writers when last looked, before more were made",
                housekeeping,
                Housekeeping::ahead);
    }

    /// What compat and set mode have in common.
    ///
    /// @param relay whose numbers they are
    /// @param statements of its publishing thread
    /// @param oldest age of the oldest event that it has not published
    public <T> void watch(
            T relay, RelayCounts counts, CountedSessions statements, Function<T, Duration> oldest) {
        begin(counts, RelayCounts::published);
        count("outbox.statements", STATEMENTS, statements, CountedSessions::executed);
        count("outbox.polls", POLLS, counts, RelayCounts::polls);
        count("outbox.polls.empty", EMPTY_POLLS, counts, RelayCounts::emptyPolls);
        show("outbox.oldest.seconds", OLDEST, relay, r -> seconds(oldest.apply(r)));
    }

    /// What a mode that parks has besides.
    public void watchParking(RelayCounts counts) {
        count("outbox.events.parked", PARKED, counts, RelayCounts::parkedSoFar);
        show("outbox.keys.parked", PARKED_KEYS, counts, RelayCounts::parkedKeys);
    }

    /// What a mode with lanes has besides.
    ///
    /// @param uncovered lanes of all relays that nobody owns; negative if nobody could be asked
    public <T> void watchLanes(T relay, ToDoubleFunction<T> owned, ToDoubleFunction<T> uncovered) {
        show("outbox.lanes", LANES, relay, owned);
        show("outbox.lanes.uncovered", UNCOVERED, relay, uncovered);
    }

    /// Compat mode's share of the work.
    public <T> void watchParts(T relay, ToDoubleFunction<T> owned, ToDoubleFunction<T> uncovered) {
        show("outbox.parts", "Parts that this instance works for", relay, owned);
        show("outbox.parts.uncovered", "Parts that no instance works for", relay, uncovered);
    }

    private <T> void begin(T object, ToDoubleFunction<T> published) {
        synchronized (NAMING) {
            tags = outbox.and("relay", relay);
            for (int next = 2; registry.find(EVENTS).tags(tags).meter() != null; next++) {
                tags = outbox.and("relay", relay + "-" + next);
            }
            count(EVENTS, "Events acknowledged by the broker", object, published);
        }
        Timer timer =
                Timer.builder("outbox.latency")
                        .description(
                                "From an event's insertion, in wal mode its commit, to the acknowledgement")
                        .tags(tags)
                        .publishPercentileHistogram()
                        .minimumExpectedValue(Duration.ofMillis(1))
                        .maximumExpectedValue(Duration.ofMinutes(5))
                        .register(registry);
        meters.add(timer);
        latency = timer;
    }

    private <T> void count(String name, String what, T object, ToDoubleFunction<T> number) {
        meters.add(
                FunctionCounter.builder(name, object, number)
                        .description(what)
                        .tags(tags)
                        .register(registry));
    }

    private <T> void show(String name, String what, T object, ToDoubleFunction<T> number) {
        meters.add(
                Gauge.builder(name, object, number)
                        .description(what)
                        .tags(tags)
                        .register(registry));
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1_000.0;
    }

    @Override
    public void close() {
        meters.forEach(registry::remove);
        meters.clear();
    }
}
