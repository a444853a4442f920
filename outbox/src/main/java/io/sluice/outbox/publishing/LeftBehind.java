package io.sluice.outbox.publishing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The producers of one relay that were thrown away and have not ended, since their threads stand still.
///
/// What makes one stand still may make the next one do so, and each keeps its buffers and two threads: from a few on no other is made before one of them has ended.
///
/// Thread-safe.
public final class LeftBehind {
    static final int MOST = 3;

    private static final Logger LOG = LoggerFactory.getLogger(LeftBehind.class);

    private final Duration toEnd;
    private final List<Thread> waiting = new ArrayList<>();
    private boolean told;

    /// None yet.
    public LeftBehind() {
        this(Discarded.TO_END);
    }

    /// @param toEnd for how long a producer is waited for when it is thrown away
    LeftBehind(Duration toEnd) {
        this.toEnd = toEnd;
    }

    /// As [Discarded#close].
    public synchronized void close(Producer<byte[], byte[]> producer) {
        Discarded.close(producer, toEnd).ifPresent(waiting::add);
    }

    /// Before a producer is made.
    ///
    /// @throws KafkaException if too many have not ended: events have to wait
    public synchronized void requireFew() {
        waiting.removeIf(each -> !each.isAlive());
        if (waiting.size() < MOST) {
            told = false;
            return;
        }
        String reason =
                "the threads of the last %d producers stand still, and no other is made until one of them ends: a thread dump tells what 'kafka-producer-network-thread' waits for, an interceptor or a metrics reporter as a rule; remove it from the producer's settings, or mend what it waits for; then start the process again"
                        .formatted(waiting.size());
        if (!told) {
            told = true;
            LOG.error("Nothing is published: {}", reason);
        }
        throw new KafkaException(reason);
    }
}
