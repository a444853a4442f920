package io.sluice.env;

import io.sluice.record.Invariant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// An answer that comes later, exactly once.
///
/// Owned by the thread that waits for it: it is completed there ([#completeOn] crosses over) and its listeners run
/// there, at once when it is complete already. Failure is for the world failing or a bug; what a client can cause is a value.
public final class Reply<T> {
    private final List<Consumer<Reply<T>>> listeners = new ArrayList<>(1);
    private boolean done;
    private @Nullable T value;
    private @Nullable Throwable failure;

    public static <T> Reply<T> of(T value) {
        Reply<T> reply = new Reply<>();
        reply.complete(value);
        return reply;
    }

    public static <T> Reply<T> failed(Throwable failure) {
        Reply<T> reply = new Reply<>();
        reply.fail(failure);
        return reply;
    }

    public void complete(T result) {
        value = result;
        finish();
    }

    public void fail(Throwable cause) {
        failure = cause;
        finish();
    }

    /// Completes from another thread, by way of the waiting owner's mailbox. What its listeners throw is that owner's affair, even on the same thread.
    public void completeOn(Mailbox home, T result) {
        Crossing.tell(home, "Taking in an answer", () -> complete(result));
    }

    /// Fails from another thread, by way of the waiting owner's mailbox.
    public void failOn(Mailbox home, Throwable cause) {
        Crossing.tell(home, "Taking in a failure", () -> fail(cause));
    }

    public boolean isDone() {
        return done;
    }

    public boolean isFailed() {
        return failure != null;
    }

    /// The value of a reply that has succeeded; throws when it is open or failed.
    @SuppressWarnings("NullAway") // A completed reply holds whatever was given, possibly null for
    // Reply<Void>.
    public T value() {
        if (!done || failure != null) {
            throw new IllegalStateException("reply has no value: " + this, failure);
        }
        return value;
    }

    public @Nullable Throwable failure() {
        return failure;
    }

    /// Calls back once, when the reply is complete or failed.
    public void whenDone(Consumer<Reply<T>> listener) {
        if (done) {
            listener.accept(this);
        } else {
            listeners.add(listener);
        }
    }

    /// Calls back with the value; a failure goes to `onFailure`.
    public void then(Consumer<T> onValue, Consumer<Throwable> onFailure) {
        whenDone(
                reply -> {
                    Throwable cause = reply.failure();
                    if (cause == null) {
                        onValue.accept(reply.value());
                    } else {
                        onFailure.accept(cause);
                    }
                });
    }

    /// The same answer in another form. An exception of the function fails the mapped reply.
    public <R> Reply<R> map(Function<T, R> function) {
        return flatMap(result -> of(function.apply(result)));
    }

    /// One answer after the other. An exception of the function fails the reply, and so does a violated invariant: whoever waits must hear of it.
    public <R> Reply<R> flatMap(Function<T, Reply<R>> function) {
        Reply<R> mapped = new Reply<>();
        then(
                result -> {
                    Reply<R> next;
                    try {
                        next = function.apply(result);
                    } catch (RuntimeException | Invariant.Violation e) {
                        next = failed(e);
                    }
                    next.then(mapped::complete, mapped::fail);
                },
                mapped::fail);
        return mapped;
    }

    /// Complete when all are, in their order; fails with the first failure, after all are done.
    public static <T> Reply<List<T>> all(List<Reply<T>> parts) {
        Reply<List<T>> whole = new Reply<>();
        if (parts.isEmpty()) {
            whole.complete(List.of());
            return whole;
        }
        int[] open = {parts.size()};
        for (Reply<T> part : parts) {
            part.whenDone(
                    _ -> {
                        open[0]--;
                        if (open[0] == 0) {
                            gather(parts, whole);
                        }
                    });
        }
        return whole;
    }

    private static <T> void gather(List<Reply<T>> parts, Reply<List<T>> whole) {
        List<T> values = new ArrayList<>(parts.size());
        for (Reply<T> part : parts) {
            Throwable cause = part.failure();
            if (cause != null) {
                whole.fail(cause);
                return;
            }
            values.add(part.value());
        }
        whole.complete(values);
    }

    private void finish() {
        if (done) {
            throw new IllegalStateException("reply was answered twice: " + this);
        }
        done = true;
        for (Consumer<Reply<T>> listener : listeners) {
            listener.accept(this);
        }
        listeners.clear();
    }

    @Override
    public String toString() {
        return done ? "Reply[" + (failure == null ? value : failure) + "]" : "Reply[open]";
    }
}
