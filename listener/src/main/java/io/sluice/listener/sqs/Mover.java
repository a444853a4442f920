package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import java.time.Duration;
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
///                     └─┘ fails: again after a second, five times; then the message itself comes again, ten seconds later
/// ```
/// One thread of its own, so that a queue for dead letters that does not answer holds up no acknowledgement. Dead letters keep their slots meanwhile, which bounds
/// them; how many others there are, [#unbounded] says.
final class Mover {
    private static final Logger log = LoggerFactory.getLogger(Mover.class);
    private static final int ATTEMPTS = 5;
    private static final long AGAIN_MILLIS = 1_000;
    private static final Duration MESSAGE_AGAIN = Duration.ofSeconds(10);

    private record Move(Message message, Copy copy, boolean deadLetter, int attempt) {
        Move again() {
            return new Move(message, copy, deadLetter, attempt + 1);
        }
    }

    private final SqsSettings settings;
    private final Teller teller;
    private final Intake intake;
    private final LinkedBlockingQueue<Move> moves = new LinkedBlockingQueue<>();
    private final AtomicInteger unbounded = new AtomicInteger();
    private final Thread thread;
    private volatile boolean closing;

    Mover(SqsSettings settings, Teller teller, Intake intake) {
        this.settings = settings;
        this.teller = teller;
        this.intake = intake;
        this.thread =
                Thread.ofPlatform()
                        .daemon(true)
                        .name("sluice-moves-" + settings.queue())
                        .unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /// How many messages without a slot wait here.
    int unbounded() {
        return unbounded.get();
    }

    void bury(Message message, Copy copy) {
        moves.add(new Move(message, copy, true, 1));
    }

    void replace(Message message, Copy copy) {
        unbounded.incrementAndGet();
        moves.add(new Move(message, copy, false, 1));
    }

    private void run() {
        try {
            while (!closing || !moves.isEmpty()) {
                Move next = moves.poll(100, TimeUnit.MILLISECONDS);
                if (next != null && !move(next) && !closing) {
                    Thread.sleep(AGAIN_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// @return whether the copy is safe
    private boolean move(Move move) {
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
            if (e.statusCode() / 100 != 4) {
                throw e;
            }
            // Refused, and not only in trouble: perhaps it is too large with our attributes.
            settings.client().sendMessage(move.copy().bare());
            log.warn(
                    "The copy of {} went without what happened to it: {}",
                    move.message(),
                    e.getMessage());
        }
    }

    private void failed(Move move, Throwable why) {
        if (move.attempt() < ATTEMPTS) {
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
        teller.comeAgain(move.message(), closing ? Duration.ZERO : MESSAGE_AGAIN, null);
        ended(move);
        intake.unburied(move.message(), "its dead letter could not be sent: " + why);
    }

    private void ended(Move move) {
        if (!move.deadLetter()) {
            unbounded.decrementAndGet();
        }
    }

    /// Sends what is still to be sent, and ends.
    void close(Duration deadline) {
        closing = true;
        try {
            if (!thread.join(deadline)) {
                log.warn("{} copies were not sent within {}.", moves.size(), deadline);
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
