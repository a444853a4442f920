package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.thread.SteadyThread;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.sqs.model.SqsException;

/// Sends copies of messages: to the dead letters, or to the end of their own queue. A message is done only when its copy is safe; until then its lease is renewed.
///
/// ```
///  bury, replace ──▶ sent ──▶ done, and the lane hears that it is buried
///                     │ ▲
///                     └─┘ fails: again after a second, five times; then the message itself comes again, ten seconds later.
///                         One that would not come again, but be moved by its queue without its cause: until it is sent
/// ```
/// One thread of its own, so that a queue for dead letters that does not answer holds up neither acknowledgements nor retries, which have another. Most dead letters keep their slots meanwhile, which
/// bounds them; how many others there are, [#unbounded] says.
final class Mover {
    private static final Logger log = LoggerFactory.getLogger(Mover.class);
    private static final int ATTEMPTS = 5;
    private static final long AGAIN_MILLIS = 1_000;
    private static final Duration MESSAGE_AGAIN = Duration.ofSeconds(10);

    private static final int TOO_LARGE = 413;

    /// What a queue answers when a message is too large or has an attribute too many. Throttling, a missing key or permission are faults of the sender too, by their
    /// status, but pass, and are no reason to leave out why a message is dead.
    private static final Set<String> MISFITS =
            Set.of(
                    "InvalidParameterValue",
                    "InvalidMessageContents",
                    "InvalidAttributeName",
                    "InvalidAttributeValue",
                    "MessageTooLong");

    /// @param last whether its queue would not deliver the message again
    /// @param misfit what to do with the message when its copy does not fit; none: the copy goes without its attributes
    private record Move(
            Message message,
            Copy copy,
            boolean hasSlot,
            boolean last,
            @Nullable Runnable misfit,
            int attempt) {
        Move again() {
            return new Move(message, copy, hasSlot, last, misfit, attempt + 1);
        }
    }

    private final SqsSettings settings;
    private final Teller teller;
    private final Intake intake;
    private final LinkedBlockingQueue<Move> moves = new LinkedBlockingQueue<>();

    /// What has not ended, the one that is being sent included.
    private final Map<Message, Move> open = new ConcurrentHashMap<>();

    private final AtomicInteger unbounded = new AtomicInteger();
    private final SteadyThread thread;
    private volatile boolean closing;

    /// Why the last one could not be sent; empty: it could.
    private volatile String why = "";

    /// Begun, and not known to have ended: what failed in between. Owned by the thread.
    private @Nullable Move halfDone;

    /// @param of for its thread's name: what it sends
    Mover(String of, SqsSettings settings, Teller teller, Intake intake) {
        this.settings = settings;
        this.teller = teller;
        this.intake = intake;
        this.thread =
                new SteadyThread(
                        "sluice-" + of + "-" + settings.queue(),
                        "A copy did not end well, and its message comes again",
                        this::round);
    }

    void start() {
        thread.start();
    }

    /// How many messages without a slot wait here.
    int unbounded() {
        return unbounded.get();
    }

    /// Why they wait, in brackets; empty when nothing has failed.
    String why() {
        return why;
    }

    /// Whether a copy of this message is on its way.
    boolean has(Message message) {
        return open.containsKey(message);
    }

    /// The copy of a message that keeps its slot until it is safe.
    ///
    /// @param last whether its queue would not deliver the message again
    void bury(Message message, Copy copy, boolean last) {
        begin(new Move(message, copy, true, last, null, 1));
    }

    /// The copy of a message that has no slot.
    ///
    /// @param last whether its queue would not deliver the message again
    void replace(Message message, Copy copy, boolean last) {
        begin(new Move(message, copy, false, last, null, 1));
    }

    /// The copy of a message that has no slot, and is worth nothing without its attributes.
    ///
    /// @param last whether its queue would not deliver the message again
    /// @param misfit what becomes of the message when its copy does not fit
    void replace(Message message, Copy copy, boolean last, Runnable misfit) {
        begin(new Move(message, copy, false, last, misfit, 1));
    }

    private void begin(Move move) {
        open.put(move.message(), move);
        if (!move.hasSlot()) {
            unbounded.incrementAndGet();
        }
        try {
            moves.add(move);
        } catch (Error e) {
            // Out of memory: it is not on its way, and must not be waited for.
            var unused = ended(move);
            throw e;
        }
    }

    Thread thread() {
        return thread.thread();
    }

    /// Whatever goes wrong costs this move, as soon as there is memory to give it back: a dead letter that nobody remembers would keep its slot for ever.
    private boolean round() throws InterruptedException {
        Move before = halfDone;
        if (before != null) {
            giveBack(before, MESSAGE_AGAIN, "its copy did not end well");
            halfDone = null;
        }
        Move next = moves.poll(100, TimeUnit.MILLISECONDS);
        if (next != null) {
            halfDone = next;
            boolean safe = move(next);
            halfDone = null;
            if (!safe && !closing) {
                Thread.sleep(AGAIN_MILLIS);
            }
        }
        return !closing || !moves.isEmpty();
    }

    /// @return whether the copy is safe
    private boolean move(Move move) {
        if (!open.containsKey(move.message())) {
            return true; // given back meanwhile
        }
        try {
            if (!send(move)) {
                return true;
            }
        } catch (RuntimeException | Error e) {
            failed(move, e);
            return false;
        }
        why = "";
        teller.done(move.message());
        ended(move);
        intake.buried(move.message());
        return true;
    }

    /// @return whether it was sent; otherwise something else has become of the message
    private boolean send(Move move) {
        try {
            settings.client().sendMessage(move.copy().full());
        } catch (SqsException e) {
            if (!isMisfit(e)) {
                throw e;
            }
            Runnable instead = move.misfit();
            if (instead != null) {
                log.warn("The copy of {} does not fit: {}", move.message(), e.getMessage());
                instead.run();
                ended(move);
                return false;
            }
            // Perhaps only with our attributes.
            settings.client().sendMessage(move.copy().bare());
            log.warn(
                    "The copy of {} went without what happened to it: {}",
                    move.message(),
                    e.getMessage());
        }
        return true;
    }

    private static boolean isMisfit(SqsException e) {
        var details = e.awsErrorDetails();
        String code = details == null || details.errorCode() == null ? "" : details.errorCode();
        return e.statusCode() == TOO_LARGE || MISFITS.contains(code.replaceFirst("Exception$", ""));
    }

    private void failed(Move move, Throwable failure) {
        why = " (" + failure + ")";
        if (move.attempt() < ATTEMPTS || (move.last() && !closing)) {
            log.warn("The copy of {} could not be sent: {}", move.message(), failure.toString());
            moves.add(move.again());
            return;
        }
        log.error(
                "The copy of {} could not be sent, it will be delivered again: {}",
                move.message(),
                failure.toString());
        // Those of its group that go back with it stay behind it: a FIFO queue delivers none of
        // them
        // while it is away.
        giveBack(
                move,
                closing ? Duration.ZERO : MESSAGE_AGAIN,
                "its dead letter could not be sent: " + failure);
    }

    /// Its message comes again, when its lease ends if not before. Once more is as good as once.
    private void giveBack(Move move, Duration delay, String why) {
        try {
            if (ended(move)) {
                teller.comeAgain(move.message(), delay, null);
            }
        } finally {
            intake.unburied(move.message(), why);
        }
    }

    /// @return whether it had not ended before
    private boolean ended(Move move) {
        boolean first = open.remove(move.message()) != null;
        if (first && !move.hasSlot()) {
            unbounded.decrementAndGet();
        }
        return first;
    }

    /// Sends what is still to be sent, and ends. What is not sent in time goes back, so that it is in flight to nobody.
    void close(Duration deadline) {
        closing = true;
        try {
            if (!thread.join(deadline)) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<Move> left = List.copyOf(open.values());
        if (!left.isEmpty()) {
            log.warn(
                    "{} copies were not sent within {}; their messages come again.",
                    left.size(),
                    deadline);
            left.forEach(this::giveBackAtTheEnd);
        }
    }

    /// One that fails must not keep the others.
    private void giveBackAtTheEnd(Move move) {
        try {
            giveBack(move, Duration.ZERO, "the listener stops");
        } catch (RuntimeException | Error e) {
            log.error("{} comes again only when its lease ends", move.message(), e);
        }
    }
}
