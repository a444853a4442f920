package io.sluice.listener.kafka;

import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
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

    private record Verdict(Message message, Settlement settlement) {}

    private final Queue<Verdict> queue = new ConcurrentLinkedQueue<>();
    private final DeadLetterTopic deadLetters;
    private final Runnable unpark;

    /// @param unpark what wakes the client's thread when a letter is safe
    Verdicts(DeadLetterTopic deadLetters, Runnable unpark) {
        this.deadLetters = deadLetters;
        this.unpark = unpark;
    }

    void add(Message message, Settlement settlement) {
        queue.add(new Verdict(message, settlement));
    }

    void drain(BiConsumer<Message, Settlement> taker) {
        for (Verdict verdict = queue.poll(); verdict != null; verdict = queue.poll()) {
            taker.accept(verdict.message(), verdict.settlement());
        }
    }

    /// Answers with a verdict of its own.
    void bury(
            Message message, ConsumerRecord<byte[], byte[]> record, Settlement.DeadLetter letter) {
        deadLetters.send(
                record,
                letter,
                failure -> {
                    if (failure != null) {
                        log.error("The dead letter of {} could not be sent", message, failure);
                    }
                    add(
                            message,
                            failure == null
                                    ? new Settlement.Done()
                                    : new Settlement.HandBack(DEAD_LETTER_AGAIN, "no dead letter"));
                    unpark.run();
                });
    }

    /// Whatever is on its way is there afterwards.
    void end(BiConsumer<Message, Settlement> taker) {
        drain(taker);
        deadLetters.close();
        drain(taker);
    }
}
