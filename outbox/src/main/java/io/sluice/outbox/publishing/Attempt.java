package io.sluice.outbox.publishing;

import io.sluice.outbox.lanes.Numbered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/// One attempt to send a list of events, which it knows by their places: counts acknowledgements and remembers the first failure.
///
/// Thread-safe: a monitor; the sending thread and the producer's thread meet here.
final class Attempt {
    private final BitSet acknowledged = new BitSet();
    private long acknowledgedAtNanos = System.nanoTime();
    private int answered;
    private int awaited = Integer.MAX_VALUE;
    private int firstFailed = Integer.MAX_VALUE;
    private @Nullable Throwable failure;
    private boolean producerSpent;
    private boolean refusedByBroker;

    /// @param left whether the producer had taken the event before it failed
    /// @return whether the producer has to be closed, now
    synchronized boolean answered(int index, @Nullable Throwable exception, boolean left) {
        answered++;
        if (exception == null) {
            acknowledged.set(index);
            acknowledgedAtNanos = System.nanoTime();
        } else {
            failed(index, exception);
            refusedByBroker |= left && !(Refusal.of(exception) instanceof Refusal.Transport);
        }
        if (answered >= awaited) {
            notifyAll(); // Not for each: whoever waits would be woken thousands of times.
        }
        // Refused for itself before it left: the producer can go on. All else makes the producer
        // unfit.
        boolean spent =
                exception != null && (left || !(Refusal.of(exception) instanceof Refusal.OfRecord));
        boolean close = spent && !producerSpent && left;
        producerSpent |= spent;
        return close;
    }

    /// The producer takes no more events, and did not take the one at `index`.
    synchronized void spent(int index, Throwable exception) {
        producerSpent = true;
        if (failure == null) {
            failed(index, exception);
        }
    }

    synchronized boolean isProducerSpent() {
        return producerSpent;
    }

    synchronized boolean hasFailed() {
        return failure != null;
    }

    /// Whether the broker was there and said no, which has closed the producer.
    synchronized boolean isRefusedByBroker() {
        return refusedByBroker;
    }

    /// Waits until `count` events are answered. A producer answers for each within its time-outs, with a failure if need be, as long as its thread lives: one that
    /// does not is spent, and that is nobody's fault but its own.
    ///
    /// @param longest when nobody will answer any more
    /// @return false when `goOn` said no before that, or the time was over
    synchronized boolean await(int count, BooleanSupplier goOn, Duration longest)
            throws InterruptedException {
        awaited = count;
        long began = System.nanoTime();
        while (answered < count) {
            if (!goOn.getAsBoolean()) {
                return false;
            }
            if (System.nanoTime() - began > longest.toNanos()) {
                spent(
                        acknowledged.nextClearBit(0),
                        new TimeoutException(
                                "the producer has not answered for %d of %d events within %d ms: its thread has ended, or stands still"
                                        .formatted(count - answered, count, longest.toMillis())));
                return false;
            }
            wait(Duration.ofMillis(100).toMillis());
        }
        return true;
    }

    /// @param events those that were sent, in their order
    synchronized Outcome outcome(List<Numbered> events) {
        List<Numbered> done = new ArrayList<>(acknowledged.cardinality());
        acknowledged.stream().forEach(index -> done.add(events.get(index)));
        Throwable why = failure;
        return new Outcome(
                done,
                why == null
                        ? Optional.empty()
                        : Optional.of(
                                new Outcome.Refused(events.get(firstFailed), Refusal.of(why))),
                acknowledgedAtNanos);
    }

    /// A batch fails as a whole, and all but the guilty record hear that another one was: the guilty one's words count.
    private void failed(int index, Throwable exception) {
        boolean says = !(Refusal.of(exception) instanceof Refusal.Transport);
        boolean said = failure != null && !(Refusal.of(failure) instanceof Refusal.Transport);
        if (failure == null || (says && (!said || index < firstFailed))) {
            firstFailed = index;
            failure = exception;
        }
    }
}
