package io.sluice.listener.lane;

import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.failure.FailurePolicy.Decision;
import io.sluice.listener.failure.FailurePolicy.WhenOrdered;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a flight's work on a thread of its lane, again in place where order demands it, and says how it ended. Never throws.
///
/// Owned by the thread that runs it.
final class JobRun {
    private static final Logger log = LoggerFactory.getLogger(JobRun.class);

    private final Flight flight;
    private final LaneSettings lane;
    private final Pause pause;
    private final Runnable failedInPlace;

    /// Waits between two attempts in place.
    @FunctionalInterface
    interface Pause {
        void sleep(Duration duration) throws InterruptedException;
    }

    /// @param failedInPlace hears of each attempt after which the next one follows in place
    JobRun(Flight flight, Pause pause, Runnable failedInPlace) {
        this.flight = flight;
        this.lane = flight.lane.settings();
        this.pause = pause;
        this.failedInPlace = failedInPlace;
    }

    Settlement run() {
        for (int attempt = flight.message.attempt(); ; attempt++) {
            Settlement outcome = attempt(attempt);
            if (!(outcome instanceof Settlement.Retry again) || !inPlace()) {
                return outcome;
            }
            failedInPlace.run();
            try {
                pause.sleep(again.delay());
            } catch (InterruptedException e) {
                // Cancelled while it waited. Whoever did that has found the verdict; this one is
                // for the case that it was an accident.
                return new Settlement.HandBack(again.delay(), "interrupted between two attempts");
            }
        }
    }

    /// Whether those behind it have to wait until it is done.
    private boolean inPlace() {
        return flight.orderKey != null && lane.failures().whenOrdered() == WhenOrdered.WAIT;
    }

    private Settlement attempt(int attempt) {
        flight.attempt = attempt;
        try {
            lane.work().on(new Job(flight, attempt));
            return new Settlement.Done();
        } catch (Throwable failure) {
            return failed(failure, attempt);
        }
    }

    private Settlement failed(Throwable failure, int attempt) {
        if (flight.cancelled != null) {
            return new Settlement.Lost("cancelled: " + flight.cancelled);
        }
        return verdict(flight, failure, attempt, false);
    }

    /// What becomes of a message whose job does not end. One that has only waited behind its key is not to blame.
    static Settlement tooLong(Flight flight, String why) {
        if (flight.state == Flight.State.WAITING) {
            return new Settlement.HandBack(Duration.ZERO, why);
        }
        FailurePolicy policy = flight.lane.settings().failures();
        boolean inOrder = flight.orderKey != null && policy.whenOrdered() == WhenOrdered.WAIT;
        return verdict(flight, new TimeoutException(why), flight.attempt, inOrder);
    }

    /// An exception that throws when it is asked what it is could neither be logged nor become a dead letter's cause: its message would come again and again.
    static Throwable speakable(Throwable failure) {
        try {
            String unused = failure.getMessage(); // nothing is a fair answer to this one
            return failure.toString() != null ? failure : unknown(failure);
        } catch (RuntimeException | Error e) {
            return unknown(failure);
        }
    }

    private static IllegalStateException unknown(Throwable failure) {
        return new IllegalStateException(
                failure.getClass().getName() + ", which does not say what it is");
    }

    private static Settlement verdict(
            Flight flight, Throwable failure, int attempt, boolean inOrder) {
        LaneSettings lane = flight.lane.settings();
        double chance = ThreadLocalRandom.current().nextDouble();
        Throwable cause = speakable(failure);
        return switch (lane.failures().decide(failure, attempt, chance)) {
            case Decision.Again(var delay) -> {
                log.warn(
                        "Lane {}: attempt {} at {} failed, again in {}: {}",
                        lane.name(),
                        attempt,
                        flight.message.id(),
                        delay,
                        cause.toString());
                yield new Settlement.Retry(delay, cause, inOrder);
            }
            case Decision.DeadLetter() -> {
                log.error(
                        "Lane {}: {} becomes a dead letter after attempt {}",
                        lane.name(),
                        flight.message.id(),
                        attempt,
                        cause);
                yield new Settlement.DeadLetter(cause, attempt);
            }
        };
    }
}
