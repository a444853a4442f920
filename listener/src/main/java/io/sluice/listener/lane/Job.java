package io.sluice.listener.lane;

import io.sluice.listener.message.Message;
import org.jspecify.annotations.Nullable;

/// One attempt at a message, as its [Work] sees it.
///
/// Thread-safe: the work may hand it to threads of its own.
public final class Job {
    private final Flight flight;
    private final int attempt;

    Job(Flight flight, int attempt) {
        this.flight = flight;
        this.attempt = attempt;
    }

    public Message message() {
        return flight.message;
    }

    /// From 1; the message's deliveries and the attempts in place together.
    public int attempt() {
        return attempt;
    }

    /// How much work this message is (pages, bytes), measured against others of its lane. An adaptive limit then counts work instead of messages.
    public void size(double size) {
        if (!(size > 0) || Double.isInfinite(size)) {
            throw new IllegalArgumentException(
                    "The size of a job is a number above 0, not " + size);
        }
        flight.size = size;
    }

    /// Whether the result is no longer wanted: the lease is lost, or the listener's patience at shutdown. The thread is interrupted too.
    public boolean isCancelled() {
        return flight.cancelled != null;
    }

    /// Why it is cancelled, if it is.
    public @Nullable String cancelled() {
        return flight.cancelled;
    }

    /// For the middle of long computations that never block.
    public void requireWanted() throws InterruptedException {
        String why = flight.cancelled;
        if (why != null) {
            throw new InterruptedException("Job for " + flight.message + " was cancelled: " + why);
        }
    }
}
