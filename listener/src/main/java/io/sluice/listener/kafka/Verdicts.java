package io.sluice.listener.kafka;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What became of messages, on the way from the threads that know to the thread that owns the client. A dead letter makes a detour: the message counts as done
/// only when the letter is safe.
///
/// Thread-safe, but for [#drain], which belongs to the client's thread.
final class Verdicts {
    private static final Logger log = LoggerFactory.getLogger(Verdicts.class);
    private static final Duration DEAD_LETTER_AGAIN = Duration.ofSeconds(10);
    private static final int MOST_SLOTLESS = 20;

    private record Verdict(Message message, Settlement settlement, int attempt) {}

    /// Hears verdicts on the client's thread.
    interface Taker {
        /// @param attempt the how-manieth attempt the message ended with: more than it was delivered with when it was tried again in its slot
        void take(Message message, Settlement settlement, int attempt);
    }

    private final Queue<Verdict> queue = new ConcurrentLinkedQueue<>();
    private final DeadLetterTopic deadLetters;
    private final Intake intake;
    private final Runnable unpark;
    private final AtomicInteger slotless = new AtomicInteger();

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
        add(message, settlement, ended ? message.attempt() : intake.attemptAt(message));
    }

    private void add(Message message, Settlement settlement, int attempt) {
        queue.add(new Verdict(message, settlement, attempt));
    }

    void drain(Taker taker) {
        for (Verdict verdict = queue.poll(); verdict != null; verdict = queue.poll()) {
            taker.take(verdict.message(), verdict.settlement(), verdict.attempt());
        }
    }

    /// Whether so many dead letters without a slot are on their way that no more may be received: nothing else bounds them.
    boolean isFull() {
        return slotless.get() >= MOST_SLOTLESS;
    }

    /// Answers with a verdict of its own.
    void bury(
            Message message, ConsumerRecord<byte[], byte[]> record, Settlement.DeadLetter letter) {
        int counts = letter.slotless() ? 1 : 0;
        slotless.addAndGet(counts);
        deadLetters.send(
                record,
                letter,
                failure -> {
                    slotless.addAndGet(-counts);
                    // First the client's thread, then the lane: when the key is free, the loop can
                    // know whom the next record must not overtake.
                    if (failure == null) {
                        add(message, new Settlement.Done());
                        intake.buried(message);
                    } else {
                        String why = "its dead letter could not be sent: " + failure;
                        log.error("{} comes again in {}: {}", message, DEAD_LETTER_AGAIN, why);
                        add(
                                message,
                                new Settlement.HandBack(DEAD_LETTER_AGAIN, why),
                                letter.attempts());
                        intake.unburied(message, why);
                    }
                    unpark.run();
                });
    }

    /// Whatever is on its way is there afterwards, or will not be.
    void end(Taker taker, Duration patience) {
        drain(taker);
        deadLetters.close(patience);
        drain(taker);
    }
}
