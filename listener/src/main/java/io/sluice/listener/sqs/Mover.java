package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
    private record Move(Message message, Copy copy, boolean hasSlot, boolean last, int attempt) {
        Move again() {
            return new Move(message, copy, hasSlot, last, attempt + 1);
        }
    }

    private final SqsSettings settings;
    private final Teller teller;
    private final Intake intake;
    private final LinkedBlockingQueue<Move> moves = new LinkedBlockingQueue<>();

    /// What has not ended, the one that is being sent included.
    private final Map<Message, Move> open = new ConcurrentHashMap<>();

    private final AtomicInteger unbounded = new AtomicInteger();
    private final Thread thread;
    private volatile boolean closing;

    /// @param of for its thread's name: what it sends
    Mover(String of, SqsSettings settings, Teller teller, Intake intake) {
        this.settings = settings;
        this.teller = teller;
        this.intake = intake;
        this.thread =
                Thread.ofPlatform()
                        .daemon(true)
                        .name("sluice-" + of + "-" + settings.queue())
                        .unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /// How many messages without a slot wait here.
    int unbounded() {
        return unbounded.get();
    }

    /// Whether a copy of this message is on its way.
    boolean has(Message message) {
        return open.containsKey(message);
    }

    /// The copy of a message that keeps its slot until it is safe.
    ///
    /// @param last whether its queue would not deliver the message again
    void bury(Message message, Copy copy, boolean last) {
        begin(new Move(message, copy, true, last, 1));
    }

    /// The copy of a message that has no slot.
    ///
    /// @param last whether its queue would not deliver the message again
    void replace(Message message, Copy copy, boolean last) {
        begin(new Move(message, copy, false, last, 1));
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

    private void run() {
        try {
            while (!closing || !moves.isEmpty()) {
                Move next = moves.poll(100, TimeUnit.MILLISECONDS);
                if (next != null && !moveOrGiveUp(next) && !closing) {
                    Thread.sleep(AGAIN_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whatever goes wrong costs this move: without the thread every dead letter would keep its slot for ever.
    private boolean moveOrGiveUp(Move move) {
        try {
            return move(move);
        } catch (RuntimeException | Error e) {
            log.error("The end of the copy of {} could not be told", move.message(), e);
            giveBack(move, MESSAGE_AGAIN, "its copy did not end well: " + e);
            return false;
        }
    }

    /// @return whether the copy is safe
    private boolean move(Move move) {
        if (!open.containsKey(move.message())) {
            return true; // given back meanwhile
        }
        try {
            send(move);
        } catch (RuntimeException | Error e) {
            failed(move, e);
            return false;
        }
        teller.done(move.message());
        ended(move);
        intake.buried(move.message());
        return true;
    }

    private void send(Move move) {
        try {
            settings.client().sendMessage(move.copy().full());
        } catch (SqsException e) {
            if (!isMisfit(e)) {
                throw e;
            }
            // Perhaps only with our attributes.
            settings.client().sendMessage(move.copy().bare());
            log.warn(
                    "The copy of {} went without what happened to it: {}",
                    move.message(),
                    e.getMessage());
        }
    }

    private static boolean isMisfit(SqsException e) {
        var details = e.awsErrorDetails();
        String code = details == null || details.errorCode() == null ? "" : details.errorCode();
        return e.statusCode() == TOO_LARGE || MISFITS.contains(code.replaceFirst("Exception$", ""));
    }

    private void failed(Move move, Throwable why) {
        if (move.attempt() < ATTEMPTS || (move.last() && !closing)) {
            log.warn("The copy of {} could not be sent: {}", move.message(), why.toString());
            moves.add(move.again());
            return;
        }
        log.error(
                "The copy of {} could not be sent, it will be delivered again: {}",
                move.message(),
                why.toString());
        // Those of its group that go back with it stay behind it: a FIFO queue delivers none of
        // them
        // while it is away.
        giveBack(
                move,
                closing ? Duration.ZERO : MESSAGE_AGAIN,
                "its dead letter could not be sent: " + why);
    }

    /// Its message comes again. Never throws.
    private void giveBack(Move move, Duration delay, String why) {
        try {
            if (ended(move)) {
                teller.comeAgain(move.message(), delay, null);
            }
        } catch (RuntimeException | Error e) {
            log.error("{} comes again only when its lease ends", move.message(), e);
        }
        try {
            intake.unburied(move.message(), why);
        } catch (RuntimeException | Error e) {
            log.error("The lane could not take note that {} comes again", move.message(), e);
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
            left.forEach(move -> giveBack(move, Duration.ZERO, "the listener stops"));
        }
    }
}
