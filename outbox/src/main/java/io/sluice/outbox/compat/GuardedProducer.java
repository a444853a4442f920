package io.sluice.outbox.compat;

import io.sluice.outbox.publishing.LeftBehind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A producer that sends nothing more once its session is gone.
///
/// The session's locks say whose the events are. Without it somebody else has the part, waits for [Parts#ORPHANED], and sends what is in hand here; this producer
/// has to be gone by then, however long its own answers take.
///
/// To ask a session keeps it: where the thread that sends stands still, in an interceptor for example, nobody else would ever get the part. So it is given up, and the
/// database ends it, when a batch takes longer than any may.
///
/// Used by one thread, which leaves the session alone between [#begin] and [#end]; looks after it from one of its own meanwhile.
final class GuardedProducer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedProducer.class);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration ANSWER = Duration.ofSeconds(2); // With the look: below ORPHANED.

    private final Connection session;
    private final Producer<byte[], byte[]> producer;
    private final LeftBehind leftBehind;
    private final Duration longest;
    private final ScheduledThreadPoolExecutor looking;
    private @Nullable ScheduledFuture<?> looks;
    private long beganNanos;
    private volatile boolean lost;

    /// @param longest for a batch
    GuardedProducer(
            Connection session,
            Producer<byte[], byte[]> producer,
            LeftBehind leftBehind,
            Duration longest) {
        this.session = session;
        this.producer = producer;
        this.leftBehind = leftBehind;
        this.longest = longest;
        this.looking =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name("outbox-session").daemon().factory());
        looking.setRemoveOnCancelPolicy(true);
    }

    Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        return producer.send(record, callback);
    }

    /// A batch is about to be sent.
    synchronized void begin() {
        beganNanos = System.nanoTime();
        looks =
                looking.scheduleWithFixedDelay(
                        this::look, LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// The session is the other thread's again: nobody is asking it any more.
    synchronized void end() {
        if (looks != null) {
            looks.cancel(false);
            looks = null;
        }
    }

    /// Then what it has not answered for was thrown away with it.
    boolean isLost() {
        return lost;
    }

    private synchronized void look() {
        boolean isOverdue = System.nanoTime() - beganNanos > longest.toNanos();
        if (looks != null && (isOverdue || !isThere(session))) {
            if (isOverdue) {
                LOG.error(
                        "A batch has been on its way for more than {} s: others get the part, since the thread that sends stands still. A thread dump tells what 'outbox-compat' waits for, an interceptor of the producer as a rule",
                        longest.toSeconds());
            }
            end();
            lost = true; // Before anybody hears of it through an answer.
            leftBehind.close(producer);
        }
    }

    /// Whether the session is answered. Where that cannot be told, because a pool throws an exception of its own or memory is short, it counts as gone: to find no answer
    /// must not end the looking, or an instance without locks would go on sending.
    static boolean isThere(Connection session) {
        try {
            return session.isValid((int) ANSWER.toSeconds());
        } catch (SQLException | RuntimeException | OutOfMemoryError e) {
            LOG.debug("The session cannot be asked", e);
            return false;
        }
    }

    /// Before the session's end, or others would have its locks while something is on its way.
    @Override
    public void close() {
        looking.shutdownNow();
        if (!lost) {
            leftBehind.close(producer);
        }
    }
}
