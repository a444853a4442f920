package io.sluice.listener.kafka;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What became of messages, on the way from the threads that know to the thread that owns the client. A dead letter makes a detour: the message counts as done
/// only when the letter is safe.
///
/// ```
///  add ──▶ waiting ──▶ taken: forgotten
///             ▲  └─ a dead letter: on its way ──▶ safe, or never will be ──▶ taken: forgotten
///             └─ taking it failed
/// ```
/// What cannot be taken for want of memory is still here, and taken in the next round.
///
/// Thread-safe, but for [#drain], [#bury] and [#silence], which belong to the client's thread.
final class Verdicts {
    private static final Logger log = LoggerFactory.getLogger(Verdicts.class);
    private static final Duration DEAD_LETTER_AGAIN = Duration.ofSeconds(10);
    private static final int MOST_SLOTLESS = 20;

    /// Shorter ones are nobody's trouble.
    private static final Duration STANDSTILL = Duration.ofSeconds(5);

    private record Verdict(Message message, Settlement settlement, int attempt) {}

    /// Hears verdicts on the client's thread.
    interface Taker {
        /// @param attempt the how-manieth attempt the message ended with: more than it was delivered with when it was tried again in its slot
        void take(Message message, Settlement settlement, int attempt);
    }

    private final Queue<Verdict> queue = new ConcurrentLinkedQueue<>();
    private final Map<Message, Burial> burials = new ConcurrentHashMap<>();
    private final DeadLetterTopic deadLetters;
    private final Intake intake;
    private final Runnable unpark;

    /// Since when there are too many; 0: there are not.
    private long fullSinceNanos;

    /// What the last letter that could not be sent failed with.
    private volatile @Nullable Throwable lastFailure;

    /// @param intake hears what has become of dead letters
    /// @param unpark what wakes the client's thread when a letter is safe
    Verdicts(DeadLetterTopic deadLetters, Intake intake, Runnable unpark) {
        this.deadLetters = deadLetters;
        this.intake = intake;
        this.unpark = unpark;
    }

    /// Asks for its attempt at once: when it is drained, its slot may be somebody else's.
    void add(Message message, Settlement settlement) {
        boolean ended = settlement instanceof Settlement.Done;
        queue.add(
                new Verdict(
                        message,
                        settlement,
                        ended ? message.attempt() : intake.attemptAt(message)));
    }

    void drain(Taker taker) {
        for (Verdict verdict = queue.peek(); verdict != null; verdict = queue.peek()) {
            taker.take(verdict.message(), verdict.settlement(), verdict.attempt());
            queue.remove();
        }
        for (var each = burials.values().iterator(); each.hasNext(); ) {
            Burial burial = each.next();
            if (burial.ended) {
                burial.take(taker);
                each.remove();
            }
        }
    }

    /// Whether the message's dead letter is on its way.
    boolean buries(Message message) {
        return burials.containsKey(message);
    }

    /// Whether so many dead letters without a slot are on their way that no more may be received: nothing else bounds them.
    boolean isFull() {
        return slotless() >= MOST_SLOTLESS;
    }

    private long slotless() {
        return burials.isEmpty()
                ? 0
                : burials.values().stream().filter(burial -> burial.letter.slotless()).count();
    }

    /// In a few words, that nothing is received because of them.
    @Nullable String silence(long nowNanos) {
        long letters = slotless();
        if (letters < MOST_SLOTLESS / 2) {
            fullSinceNanos = 0;
        } else if (letters >= MOST_SLOTLESS && fullSinceNanos == 0) {
            fullSinceNanos = nowNanos;
        }
        if (fullSinceNanos == 0 || nowNanos - fullSinceNanos < STANDSTILL.toNanos()) {
            return null;
        }
        Throwable why = lastFailure;
        return letters
                + " dead letters without a slot are not stored"
                + (why == null ? ", their topic does not answer" : ": " + why);
    }

    /// Answers with a verdict of its own.
    void bury(
            Message message, ConsumerRecord<byte[], byte[]> record, Settlement.DeadLetter letter) {
        var burial = new Burial(message, letter);
        burials.put(message, burial);
        deadLetters.send(record, letter, burial);
    }

    /// A dead letter on its way.
    private final class Burial implements Consumer<@Nullable Throwable> {
        final Message message;
        final Settlement.DeadLetter letter;
        private @Nullable Throwable failure;

        /// Written last.
        volatile boolean ended;

        Burial(Message message, Settlement.DeadLetter letter) {
            this.message = message;
            this.letter = letter;
        }

        /// On a thread of the producer's, where nobody hears what is thrown: so first what needs no memory.
        @Override
        public void accept(@Nullable Throwable newFailure) {
            failure = newFailure;
            lastFailure = newFailure;
            // First the client's thread, then the lane: when the key is free, the loop can know
            // whom the next record must not overtake.
            ended = true;
            unpark.run();
            tellLane();
        }

        /// On the client's thread. Said once more, it is the same.
        void take(Taker taker) {
            if (failure == null) {
                taker.take(message, new Settlement.Done(), message.attempt());
            } else {
                log.error("{} comes again in {}: {}", message, DEAD_LETTER_AGAIN, why());
                taker.take(
                        message,
                        new Settlement.HandBack(DEAD_LETTER_AGAIN, why()),
                        letter.attempts());
            }
            tellLane();
        }

        private void tellLane() {
            if (failure == null) {
                intake.buried(message);
            } else {
                intake.unburied(message, why());
            }
        }

        private String why() {
            return "its dead letter could not be sent: " + failure;
        }
    }

    /// Whatever is on its way is there afterwards, or will not be.
    void end(Taker taker, Duration patience) {
        drain(taker);
        deadLetters.close(patience);
        drain(taker);
    }
}
