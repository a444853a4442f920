package io.sluice.outbox.publishing;

import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A producer that is thrown away with all that it still holds, which is not sent.
///
/// To close one waits for its thread, however short the time that it is given; and that thread may stand still, in an interceptor or behind a disk that does not answer.
/// Whoever throws it away because of that must not stand still with it.
///
/// Used by whoever has used the producer; waits on a thread of its own.
public final class Discarded {
    private static final Logger LOG = LoggerFactory.getLogger(Discarded.class);
    static final Duration TO_END = Duration.ofSeconds(3);

    private Discarded() {}

    /// It sends nothing more when this returns, unless its thread stands still. If that goes on one day, what it has in hand may leave: a repetition.
    public static void close(Producer<byte[], byte[]> producer) {
        var unused = close(producer, TO_END);
    }

    /// @return who still waits for it, where its thread stands still
    static Optional<Thread> close(Producer<byte[], byte[]> producer, Duration toEnd) {
        Thread closing =
                Thread.ofPlatform()
                        .name("outbox-discard")
                        .daemon()
                        .unstarted(() -> closeNow(producer));
        try {
            closing.start();
        } catch (OutOfMemoryError e) { // No room for a thread is why it is thrown away, perhaps.
            closeNow(producer);
            return Optional.empty();
        }
        try {
            if (!closing.join(toEnd)) {
                LOG.warn(
                        "The thread of a producer stands still and is left behind. A thread dump tells what it waits for");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.of(closing).filter(Thread::isAlive);
    }

    private static void closeNow(Producer<byte[], byte[]> producer) {
        try {
            producer.close(Duration.ZERO);
        } catch (KafkaException | IllegalStateException e) {
            LOG.debug("The producer has not ended well", e);
        }
    }
}
