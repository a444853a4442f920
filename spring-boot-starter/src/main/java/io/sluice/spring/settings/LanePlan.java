package io.sluice.spring.settings;

import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.failure.FailurePolicy.WhenOrdered;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Order;
import io.sluice.listener.lane.Work;
import io.sluice.listener.lane.WorkerPool;
import io.sluice.listener.limit.AimdLimit;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.limit.GradientLimit;
import io.sluice.listener.limit.Limit;
import io.sluice.listener.limit.PlateauLimit;
import io.sluice.listener.limit.VegasLimit;
import io.sluice.spring.ListenerConfigurationException;
import io.sluice.spring.settings.LaneProperties.LimitKind;
import io.sluice.spring.settings.LaneProperties.ThreadKind;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What follows from annotation and properties for one lane. Whoever has one knows that its settings do not contradict each other.
///
/// | not said | follows |
/// | --- | --- |
/// | `policy` | `fixed` |
/// | `limit` | of a fixed policy, the number of processors; of an adaptive one, a quarter of `greatest` |
/// | `greatest` | the limit; of an adaptive policy eight per processor, at least the limit |
/// | `threads` | `platform` for `plateau-cpu` or with a `pool-size`, otherwise what `spring.threads.virtual.enabled` says |
/// | `pool-size` | `greatest` |
///
/// Immutable.
public record LanePlan(
        String source,
        String lane,
        LimitKind policy,
        int limit,
        int greatest,
        Duration tooSlow,
        ThreadKind threads,
        int poolSize,
        Order order,
        FailurePolicy failures) {
    private static final int PER_PROCESSOR = 8;

    /// @param annotated what the annotation says about the limit, if anything
    /// @param virtual what jobs run on unless somebody says
    public static LanePlan of(
            String source,
            String lane,
            @Nullable Integer annotated,
            LaneProperties said,
            boolean virtual,
            int processors) {
        LimitKind policy = said.policy() == null ? LimitKind.FIXED : said.policy();
        Integer wanted = said.limit() != null ? said.limit() : annotated;
        int greatest =
                said.greatest() != null
                        ? said.greatest()
                        : policy == LimitKind.FIXED
                                ? (wanted == null ? processors : wanted)
                                : Math.max(wanted == null ? 1 : wanted, PER_PROCESSOR * processors);
        int limit =
                wanted != null
                        ? wanted
                        : policy == LimitKind.FIXED
                                ? Math.min(processors, greatest)
                                : Math.max(1, greatest / 4);
        ThreadKind threads = said.threads();
        if (threads == null) {
            boolean own = policy == LimitKind.PLATEAU_CPU || said.poolSize() != null || !virtual;
            threads = own ? ThreadKind.PLATFORM : ThreadKind.VIRTUAL;
        }
        return new LanePlan(
                source,
                lane,
                policy,
                limit,
                greatest,
                said.tooSlow() == null ? Duration.ofSeconds(10) : said.tooSlow(),
                threads,
                said.poolSize() == null ? greatest : said.poolSize(),
                said.order() == null ? Order.NONE : said.order(),
                failures(said));
    }

    private static FailurePolicy failures(LaneProperties said) {
        Backoff standard = Backoff.standard();
        Duration first = said.firstPause() == null ? standard.first() : said.firstPause();
        Duration longest = said.longestPause() == null ? standard.longest() : said.longestPause();
        int attempts = said.attempts() == null ? standard.attempts() : said.attempts();
        if (said.longestPause() == null && longest.compareTo(first) < 0) {
            longest = first;
        }
        FailurePolicy policy =
                FailurePolicy.standard()
                        .otherwise(Backoff.exponential(first, longest, attempts))
                        .whenOrdered(
                                said.whenOrdered() == null ? WhenOrdered.WAIT : said.whenOrdered());
        List<Class<? extends Throwable>> never =
                said.deadLetterOn() == null ? List.of() : said.deadLetterOn();
        for (Class<? extends Throwable> kind : never) {
            policy = policy.deadLetter(kind);
        }
        return policy;
    }

    public LanePlan {
        if (limit < 1) {
            throw wrong(
                    source, lane, "limit=" + limit + " leaves no slot at all.", "Use at least 1.");
        }
        if (greatest < limit) {
            throw wrong(
                    source,
                    lane,
                    "greatest=%d is smaller than %s.limit=%d."
                            .formatted(greatest, name(source, lane), limit),
                    "Raise the first or lower the second.");
        }
        if (threads == ThreadKind.PLATFORM && poolSize < greatest) {
            throw wrong(
                    source,
                    lane,
                    "pool-size=%d is smaller than %s.greatest=%d (the limit, where it is not said): jobs would be refused although they have a slot."
                            .formatted(poolSize, name(source, lane), greatest),
                    "Make the pool at least %d, or the limit at most %d."
                            .formatted(greatest, poolSize));
        }
        if (threads == ThreadKind.VIRTUAL && policy == LimitKind.PLATEAU_CPU) {
            throw wrong(
                    source,
                    lane,
                    "threads=virtual contradicts %s.policy=plateau-cpu, which measures the CPU time of platform threads."
                            .formatted(name(source, lane)),
                    "Use threads=platform, or policy=plateau.");
        }
        if (threads == ThreadKind.VIRTUAL && poolSize != greatest) {
            throw wrong(
                    source,
                    lane,
                    "threads=virtual contradicts %s.pool-size=%d: virtual threads have no pool."
                            .formatted(name(source, lane), poolSize),
                    "Remove one of them.");
        }
    }

    private static ListenerConfigurationException wrong(
            String source, String lane, String what, String action) {
        return new ListenerConfigurationException(name(source, lane) + "." + what, action);
    }

    private static String name(String source, String lane) {
        return ListenerProperties.name(source, "lanes." + lane);
    }

    /// Makes the lane, with threads of its own where it has some.
    public LaneSettings lane(Work work) {
        LaneSettings made =
                LaneSettings.lane(lane, limitOfItsOwn(), work).inOrder(order).onFailure(failures);
        return switch (threads) {
            case VIRTUAL -> made;
            case PLATFORM -> made.on(new WorkerPool(source + "-" + lane, poolSize));
        };
    }

    private Limit limitOfItsOwn() {
        return switch (policy) {
            case FIXED -> new FixedLimit(limit, greatest);
            case PLATEAU_CPU -> new PlateauLimit(PlateauLimit.Settings.cpu(limit, greatest));
            case PLATEAU -> new PlateauLimit(PlateauLimit.Settings.work(limit, greatest));
            case GRADIENT -> new GradientLimit(GradientLimit.Settings.of(limit, greatest));
            case VEGAS -> new VegasLimit(VegasLimit.Settings.of(limit, greatest));
            case AIMD -> new AimdLimit(AimdLimit.Settings.of(limit, greatest, tooSlow));
        };
    }
}
