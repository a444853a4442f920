package io.sluice.listener.kafka;

import io.sluice.listener.kafka.HeldRecords.Place;
import io.sluice.listener.kafka.HeldRecords.Word;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One member of a share group: Kafka's client, and what it must not be asked at the wrong moment.
///
/// ```
///  look ──▶ a record ──▶ renew ──▶ asked ──▶ confirmed ──▶ shown again ──▶ renew …
///                          │                    └ refused: lost
///                          └ tell: ACCEPT, REJECT, RELEASE
/// ```
/// Each poll that finds nothing in the client makes it fetch, and what it fetches stays there, locked, until a later poll. While a record is held, that would be behind the held one, with nobody who renews
/// its lock for as long as the job runs. Hence
///
/// - looking is a long poll: the next one could send a second request just when the first brings its record,
/// - a lock is renewed without a poll, and the poll that shows its record again comes when the broker has confirmed it: then it fetches nothing,
/// - a record that may have lain in the client for long has its lock renewed before anybody begins with it.
///
/// But a poll asks once only, and goes on asking only as long as it is answered with nothing. Where all that it gets are gaps (the marks of transactions, what compaction has taken), it waits for its end and asks for nothing: so polls are
/// short where that happens.
///
/// Owned by the loop's thread, but for [#wakeUp], [#metrics], [#lateness].
final class ShareClient {
    private static final Logger log = LoggerFactory.getLogger(ShareClient.class);

    /// How long a lock lasts, where the broker has not said it yet.
    private static final Duration SHORTEST_LOCK = Duration.ofSeconds(15);

    /// How long to wait for answers at the end.
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

    private static final Duration PAUSE = Duration.ofMillis(50);

    /// For a record. A stop wakes it.
    private static final Duration LOOK = Duration.ofSeconds(2);

    /// Where gaps were found.
    private static final Duration SHORT_LOOK = Duration.ofMillis(50);

    /// For how many looks that is remembered.
    private static final int REMEMBERED = 200;

    /// Requests that a look has at least under way one after the other, unless it has stopped asking: each is answered within half a second, if only with nothing.
    private static final int ASKS = 2;

    private static final String ASKED = "fetch-total";

    private final List<String> topics;
    private final Supplier<ShareConsumer<byte[], byte[]>> consumers;
    private final HeldRecords held;
    private final BiConsumer<Place, String> lost;
    private volatile ShareConsumer<byte[], byte[]> consumer;
    private volatile Duration lock = SHORTEST_LOCK;

    /// When the locks of what is held began last, as far as is known.
    private volatile long lockedNanos = System.nanoTime();

    /// When it last looked. What it asked for then may have come at any time since.
    private long lookedNanos = System.nanoTime();

    /// Short looks that are left.
    private int shortLooks;

    /// Whether only another client helps.
    private boolean broken;

    /// @param consumers makes its client, and another one when that is broken
    /// @param held what the client has handed out
    /// @param lost hears which record is no longer ours, and why
    ShareClient(
            List<String> topics,
            Supplier<ShareConsumer<byte[], byte[]>> consumers,
            HeldRecords held,
            BiConsumer<Place, String> lost) {
        this.topics = topics;
        this.consumers = consumers;
        this.held = held;
        this.lost = lost;
        this.consumer = consumers.get();
    }

    void open() {
        consumer.setAcknowledgementCommitCallback(this::answered);
        consumer.subscribe(topics);
    }

    /// Waits for a record. Not while one is held.
    ///
    /// @return whether what it has found may have lain here, locked, for longer than half of its lock
    boolean look() {
        boolean isShort = shortLooks > 0;
        long before = lookedNanos;
        double asked = asked();
        poll(isShort ? SHORT_LOOK : LOOK);
        if (isShort) {
            shortLooks--;
        } else if (held.all().isEmpty() && asked() - asked < ASKS) {
            shortLooks = asked() > asked ? REMEMBERED : 0; // else it is not a member yet
        }
        lookedNanos = lockedNanos;
        return lookedNanos - before > LOOK.plus(lock.dividedBy(2)).toNanos();
    }

    private double asked() {
        double sum = 0;
        for (Map.Entry<MetricName, ? extends Metric> metric : consumer.metrics().entrySet()) {
            if (metric.getKey().name().equals(ASKED)
                    && metric.getValue().metricValue() instanceof Number number) {
                sum += number.doubleValue();
            }
        }
        return sum;
    }

    /// Says how jobs ended, and renews the locks of the others.
    void tell() {
        held.toAcknowledge().forEach(this::acknowledge);
        consumer.commitAsync();
    }

    /// Hears what the broker has answered.
    void listen() {
        consumer.commitAsync(); // has nothing to say, but makes the client tell what it has heard
        if (held.isRenewing() && System.nanoTime() - lockedNanos > lock.toNanos()) {
            broken = true;
            throw new IllegalStateException(
                    "no broker has confirmed within %s that it renews a lock; the client is replaced"
                            .formatted(lock));
        }
        if (held.isConfirmed()) {
            poll(Duration.ZERO); // shows it again, and does not fetch
        }
    }

    private void poll(Duration patience) {
        for (ConsumerRecord<byte[], byte[]> record : recordsOf(patience)) {
            held.presented(record, System.nanoTime());
        }
        lockedNanos = System.nanoTime();
        lock = consumer.acquisitionLockTimeoutMs().map(Duration::ofMillis).orElse(lock);
    }

    private ConsumerRecords<byte[], byte[]> recordsOf(Duration patience) {
        try {
            return consumer.poll(patience);
        } catch (WakeupException
                | InterruptException
                | RetriableException
                | TopicAuthorizationException e) {
            throw e; // The client goes on after these.
        } catch (RuntimeException e) {
            broken = true;
            throw e;
        }
    }

    boolean isRenewalDue() {
        return System.nanoTime() - lockedNanos > renewEvery().toNanos();
    }

    private Duration renewEvery() {
        return lock.dividedBy(5);
    }

    /// How much later than it should a lock that is held is renewed.
    Duration lateness() {
        long late = System.nanoTime() - lockedNanos - renewEvery().toNanos();
        return Duration.ofNanos(Math.max(0, late));
    }

    private void acknowledge(Word word) {
        try {
            consumer.acknowledge(word.record(), word.type());
        } catch (IllegalStateException e) {
            // The client no longer knows it: its lock has gone.
            lost.accept(Place.of(word.record()), String.valueOf(e.getMessage()));
        }
    }

    /// Called by the client inside of polls and commits.
    private void answered(Map<TopicIdPartition, Set<Long>> offsets, @Nullable Exception failure) {
        offsets.forEach(
                (partition, some) ->
                        some.forEach(
                                offset ->
                                        answered(
                                                new Place(
                                                        partition.topic(),
                                                        partition.partition(),
                                                        offset),
                                                failure)));
    }

    private void answered(Place place, @Nullable Exception failure) {
        if (failure == null) {
            held.confirmed(place);
        } else {
            lost.accept(place, failure.toString());
        }
    }

    /// A client that has handed out a record which nobody has taken note of, because memory ended in that moment, refuses every poll from then on; one that its group has refused says so once, and never asks again; and one whose renewal is
    /// never answered never shows its record again. What it holds goes back with it.
    void replaceIfBroken() {
        if (broken) {
            List.copyOf(held.all())
                    .forEach(each -> lost.accept(each.place, "its client is replaced"));
            try {
                consumer.close(Duration.ZERO);
            } catch (RuntimeException e) {
                log.warn("The share consumer that is replaced did not close well.", e);
            }
            consumer = consumers.get();
            open();
            broken = false;
        }
    }

    void wakeUp() {
        consumer.wakeup();
    }

    Map<MetricName, ? extends Metric> metrics() {
        return consumer.metrics();
    }

    /// A record whose lock is just being renewed can be told about when the client shows it again.
    void awaitRenewals() {
        long end = System.nanoTime() + LAST_ANSWERS.toNanos();
        while (held.isRenewing() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(PAUSE.toNanos());
            evenIfWoken(this::listen);
        }
    }

    /// Says what there is to say, and waits until it is heard.
    void tellLast() {
        held.toAcknowledge().forEach(this::acknowledge);
        evenIfWoken(
                () -> {
                    var unused = consumer.commitSync(LAST_ANSWERS);
                });
    }

    /// The wake-up that ended the last turn hits the next call, if there was none to be woken from.
    private static void evenIfWoken(Runnable call) {
        try {
            call.run();
        } catch (WakeupException e) {
            call.run();
        }
    }

    void close() {
        try {
            consumer.close();
        } catch (RuntimeException e) {
            log.warn("The share consumer did not close well.", e);
        }
    }
}
