package io.sluice.listener.lane;

import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the source how messages ended, and the observer what happened. Whatever they do wrong ends here, so that no slot depends on it.
///
/// Thread-safe if they are; called without a lock.
final class Reporter {
    private static final Logger log = LoggerFactory.getLogger(Reporter.class);

    private final BiConsumer<Message, Settlement> source;
    private final LaneObserver observer;

    Reporter(BiConsumer<Message, Settlement> source, LaneObserver observer) {
        this.source = source;
        this.observer = observer;
    }

    /// @return whether the source has taken note
    boolean settle(Message message, Settlement verdict) {
        try {
            source.accept(message, verdict);
            return true;
        } catch (RuntimeException | Error e) {
            say(
                    () ->
                            log.error(
                                    "The source could not take note of how {} ended ({})",
                                    message,
                                    verdict,
                                    e));
            return false;
        }
    }

    void landed(Flight flight, long nowNanos, boolean ran) {
        Settlement verdict = flight.verdict;
        if (verdict != null) {
            observe(
                    () ->
                            observer.landed(
                                    flight.lane.settings().name(),
                                    flight.message,
                                    verdict,
                                    Duration.ofNanos(nowNanos - flight.receivedNanos),
                                    ran
                                            ? Duration.ofNanos(
                                                    flight.endedNanos - flight.startedNanos)
                                            : Duration.ZERO));
        }
    }

    void stray(Message message) {
        observe(() -> observer.stray(message));
    }

    void refused(Flight flight) {
        observe(() -> observer.refused(flight.lane.settings().name(), flight.message));
    }

    /// An attempt has failed, and the next one follows in the same slot.
    void retriedInPlace(Flight flight) {
        observe(() -> observer.retriedInPlace(flight.lane.settings().name(), flight.message));
    }

    void endedBadly(Flight flight, Throwable cause) {
        say(
                () ->
                        log.error(
                                "Something failed at the end of {}; if it still has its slot, that comes back within a second or so",
                                flight.message,
                                cause));
    }

    void breached(Flight flight, Throwable cause) {
        String lane = flight.lane.settings().name();
        log.error(
                "Lane {}: its executor refused {}, though it has a slot ({}). The executor is smaller than the lane's limit, or shared; make"
                        + " it at least as large, or use a WorkerPool of the lane's own.",
                lane,
                flight.message.id(),
                cause.toString());
        observe(() -> observer.breached(lane, flight.message));
    }

    private static void observe(Runnable event) {
        try {
            event.run();
        } catch (Throwable e) {
            say(() -> log.warn("An observer failed", e));
        }
    }

    private static void say(Runnable entry) {
        try {
            entry.run();
        } catch (RuntimeException | Error e) {
            // There is not even memory for that.
        }
    }
}
