package io.sluice.listener;

import io.sluice.listener.guard.Guards;
import io.sluice.listener.lane.Classifier;
import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.LaneState;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.lane.Order;
import io.sluice.listener.limit.CalibratingLimit;
import io.sluice.listener.limit.Curve;
import io.sluice.listener.limit.Limit;
import io.sluice.listener.message.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes messages from one source into lanes, as many as it can work on, and no more.
///
/// ```java
/// var listener = Listener.of(source)
///         .lane(LaneSettings.lane("label", new FixedLimit(3), job -> label(job.message())).on(new WorkerPool("label", 3)))
///         .lane(LaneSettings.lane("failed", new FixedLimit(10), job -> markFailed(job.message())))
///         .classify(Classifier.byAttribute("type", "label"))
///         .start();
/// …
/// listener.stop(Duration.ofSeconds(30));
/// ```
/// ```
///  start ──▶ RUNNING ──stop──▶ STOPPING (jobs end, or go back at the deadline) ──▶ STOPPED
/// ```
/// Thread-safe.
public final class Listener implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Listener.class);
    private static final Duration STOP = Duration.ofSeconds(30);

    /// Of the time to stop, what is left for telling the source how everything ended.
    private static final double SHARE_FOR_TELLING = 0.2;

    private enum State {
        RUNNING,
        STOPPING,
        STOPPED
    }

    private final Source source;
    private final Lanes lanes;
    private final LimitDriver limits;
    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

    /// Those that run, by lane.
    private final Map<String, CalibratingLimit> calibrations = new ConcurrentHashMap<>();

    private Listener(Source source, Lanes lanes, Guards guards) {
        this.source = source;
        this.lanes = lanes;
        this.limits = new LimitDriver(lanes, guards);
    }

    public static Builder of(Source source) {
        return new Builder(source);
    }

    /// What each lane is doing, and in a sentence why it takes no more.
    public List<LaneState> lanes() {
        return lanes.states();
    }

    /// In a sentence, why the source cannot be received from; none when all is well.
    public @Nullable String trouble() {
        return source.trouble();
    }

    /// How long the source has brought nothing although there is room.
    public Duration idle() {
        return source.idle();
    }

    /// How late leases are renewed; see [Source#leaseLateness].
    public Duration leaseLateness() {
        return source.leaseLateness();
    }

    /// Changes how many jobs a lane runs at once. An adaptive limit goes on from there.
    public void limit(String lane, int limit) {
        lanes.limit(lane, limit);
    }

    /// Runs a lane with 1, 2, 3 … jobs at once, on real messages, and says which number is right. Afterwards the lane has its own limit again.
    ///
    /// The lane needs a backlog for as long as it takes; without one a measurement waits for it.
    public Curve calibrate(String lane, CalibratingLimit through) throws InterruptedException {
        if (calibrations.putIfAbsent(lane, through) != null) {
            throw new IllegalStateException("Lane " + lane + " is being calibrated already.");
        }
        try {
            if (state.get() != State.RUNNING) {
                throw new IllegalStateException(
                        "Lane " + lane + " cannot be calibrated: the listener stops.");
            }
            Limit own = lanes.limit(lane, through);
            try {
                return through.result().get();
            } finally {
                lanes.limit(lane, own);
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "Lane " + lane + " could not be calibrated.", e.getCause());
        } finally {
            calibrations.remove(lane);
        }
    }

    /// [#stop] with half a minute.
    @Override
    public void close() {
        stop(STOP);
    }

    /// Receives no more, lets jobs end, hands back what does not end in time, and tells the source about everything.
    ///
    /// @return whether every job could end; otherwise the messages of the others have been handed back
    public boolean stop(Duration deadline) {
        if (!state.compareAndSet(State.RUNNING, State.STOPPING)) {
            return true;
        }
        long end = System.nanoTime() + deadline.toNanos();
        var stops = new IllegalStateException("The listener stops.");
        calibrations.values().forEach(through -> through.result().completeExceptionally(stops));
        source.stopReceiving();
        limits.close();
        lanes.stop();
        boolean landed =
                awaitJobs(Duration.ofNanos((long) (deadline.toNanos() * (1 - SHARE_FOR_TELLING))));
        if (!landed) {
            log.warn(
                    "{}: some jobs did not end in time, their messages go back: {}",
                    source.name(),
                    lanes.states());
            lanes.abandon("the listener stopped and its deadline has passed");
        }
        source.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        state.set(State.STOPPED);
        return landed;
    }

    private boolean awaitJobs(Duration patience) {
        try {
            return lanes.awaitLanded(patience);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// Collects what a listener is made of.
    ///
    /// Owned by the thread that builds.
    public static final class Builder {
        private final Source source;
        private final List<LaneSettings> lanes = new ArrayList<>();
        private @Nullable Classifier classifier;
        private LaneObserver observer = LaneObserver.NONE;
        private Guards guards = Guards.ofThisProcess();

        private Builder(Source source) {
            this.source = source;
        }

        public Builder lane(LaneSettings lane) {
            lanes.add(lane);
            return this;
        }

        /// Needed as soon as there are two lanes.
        public Builder classify(Classifier newClassifier) {
            classifier = newClassifier;
            return this;
        }

        public Builder observe(LaneObserver newObserver) {
            observer = newObserver;
            return this;
        }

        /// When adaptive limits go down because the machine is at its end.
        public Builder guards(Guards newGuards) {
            guards = newGuards;
            return this;
        }

        /// @throws IllegalArgumentException when the lanes want what there is not
        public Listener start() {
            requirePossibleLanes();
            remarks().forEach(remark -> log.warn("{}: {}.", source.name(), remark));
            Classifier chosen = classifier;
            if (chosen == null) {
                if (lanes.size() > 1) {
                    throw new IllegalArgumentException(
                            "With %d lanes somebody has to say which message belongs to which: call classify(…)."
                                    .formatted(lanes.size()));
                }
                chosen = message -> lanes.getFirst().name();
            }
            var listener =
                    new Listener(
                            source, new Lanes(lanes, chosen, source::settle, observer), guards);
            source.start(listener.lanes);
            listener.limits.start();
            return listener;
        }

        /// What will not be as somebody may expect it.
        List<String> remarks() {
            List<String> remarks = new ArrayList<>();
            String several = lanes.size() > 1 ? source.remarkOnSeveralLanes() : null;
            if (several != null) {
                remarks.add(several);
            }
            long greatest = lanes.stream().mapToLong(lane -> lane.limit().greatest()).sum();
            if (greatest > source.mostAtWork()) {
                remarks.add(
                        "its lanes may grow to %d slots together, but only %d of its messages can be worked on at once"
                                .formatted(greatest, source.mostAtWork()));
            }
            return remarks;
        }

        private void requirePossibleLanes() {
            int slots = 0;
            for (LaneSettings lane : lanes) {
                slots += lane.limit().current();
                if (lane.order() != Order.NONE && !source.keepsOrder()) {
                    throw new IllegalArgumentException(
                            "Lane %s wants order %s, but %s has no order that it could keep. Use Order.NONE, or another source."
                                    .formatted(lane.name(), lane.order(), source.name()));
                }
            }
            if (slots > source.mostAtWork()) {
                throw new IllegalArgumentException(
                        "The lanes have %d slots together, but only %d messages of %s can be worked on at once. Lower the limits, or use another source."
                                .formatted(slots, source.mostAtWork(), source.name()));
            }
        }
    }
}
