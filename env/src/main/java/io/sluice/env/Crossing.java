package io.sluice.env;

import io.sluice.record.Invariant;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The way to another owner, or to a later turn of the same one, on which no exception is lost: whoever waits is told, and the mailbox on which it happened hears of it.
///
/// A mailbox reports what its work throws and goes on with the next; it does not know that somebody waits for this work, or that it was to be done again later. So whoever hands over
/// work for which somebody waits does it here. A [DiskException] is the world's failure and goes to those who wait; every other exception, and a violated [Invariant], is a bug, and is reported,
/// too. Errors of the machine are nobody's to handle. Has no state.
public final class Crossing {
    private Crossing() {}

    /// Asks over there; the answer, or what went wrong, comes home.
    ///
    /// @param what is asked, for the report of a bug
    public static <T> Reply<T> ask(
            Mailbox there, Mailbox home, String what, Supplier<Reply<T>> question) {
        Reply<T> reply = new Reply<>();
        there.run(
                () ->
                        answer(there, what, question)
                                .then(
                                        value -> reply.completeOn(home, value),
                                        failure -> reply.failOn(home, failure)));
        return reply;
    }

    private static <T> Reply<T> answer(Mailbox there, String what, Supplier<Reply<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException | Invariant.Violation failure) {
            reportBug(there, what, failure);
            return Reply.failed(failure);
        }
    }

    /// Has something done over there for which nobody waits. A bug in it does not reach whoever is on that thread already.
    public static void tell(Mailbox there, String what, Runnable news) {
        there.run(() -> alone(there, what, news));
    }

    /// One of several pieces of work on the owner's thread: a bug ends this one, and the others go on.
    public static void alone(Mailbox here, String what, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Invariant.Violation failure) {
            report(here, what, failure);
        }
    }

    /// A step for which somebody waits; `failed` hears of what it throws.
    public static void step(Mailbox here, String what, Runnable work, Consumer<Throwable> failed) {
        try {
            work.run();
        } catch (RuntimeException | Invariant.Violation failure) {
            reportBug(here, what, failure);
            failed.accept(failure);
        }
    }

    /// Takes in an answer; `failed` hears of a failure, and of what the taking in throws.
    public static <T> void land(
            Reply<T> reply,
            Mailbox here,
            String what,
            Consumer<T> taken,
            Consumer<Throwable> failed) {
        reply.then(value -> step(here, what, () -> taken.accept(value), failed), failed);
    }

    private static void reportBug(Mailbox here, String what, Throwable failure) {
        if (!(failure instanceof DiskException)) {
            report(here, what, failure);
        }
    }

    /// To whom every bug on this mailbox is reported, in a turn of its own.
    private static void report(Mailbox here, String what, Throwable failure) {
        here.post(
                () -> {
                    throw new Unfinished(what, failure);
                });
    }

    /// What was not done, and why.
    public static final class Unfinished extends RuntimeException {
        Unfinished(String what, Throwable cause) {
            super(what + " was not finished: " + cause, cause);
        }
    }
}
