package io.sluice.listener.kafka;

import io.sluice.listener.kafka.HeldRecords.Held;
import io.sluice.listener.kafka.HeldRecords.Place;
import io.sluice.listener.kafka.HeldRecords.Word;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The thread that owns one share consumer: polls for a record when there is room, renews its lock while it is worked on, and tells how it ended.
///
/// One record at a time: a share consumer fetches nothing new as long as it holds a record whose lock it renews. [KafkaShareSource] has as many of these as
/// there are records at work.
///
/// Owned by its own thread; [#settle], [#stopReceiving] and [#close] may be called from any.
final class ShareLoop {
    private static final Logger log = LoggerFactory.getLogger(ShareLoop.class);
    private static final Duration POLL = Duration.ofMillis(250);

    /// How long to wait for somebody to unpark, at most.
    private static final Duration QUIET = Duration.ofMillis(50);

    /// Locks last 15 s at least, unless somebody has allowed less.
    private static final Duration RENEW_EVERY = Duration.ofSeconds(3);

    /// How long a renewal may take.
    private static final Duration RENEWAL = Duration.ofSeconds(2);

    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);
    private static final Duration DEAD_LETTER_AGAIN = Duration.ofSeconds(10);

    private record Verdict(Message message, Settlement settlement) {}

    private final KafkaSettings settings;
    private final ShareConsumer<byte[], byte[]> consumer;
    private final DeadLetterTopic deadLetters;
    private final Intake intake;
    private final Runnable acquired;
    private final HeldRecords held = new HeldRecords(this::settle);
    private final Queue<Verdict> verdicts = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile long lastPollNanos = System.nanoTime();
    private volatile long waitsSinceNanos;
    private volatile boolean holds;
    private volatile boolean receiving = true;
    private volatile boolean closing;
    private volatile @Nullable String trouble;

    /// @param acquired hears when this loop has a record, so that another one has to look for the next
    ShareLoop(
            KafkaSettings settings,
            ShareConsumer<byte[], byte[]> consumer,
            DeadLetterTopic deadLetters,
            Intake intake,
            Runnable acquired) {
        this.acquired = acquired;
        this.settings = settings;
        this.consumer = consumer;
        this.deadLetters = deadLetters;
        this.intake = intake;
        this.thread =
                Thread.ofPlatform()
                        .name("sluice-share-" + String.join("-", settings.topics()))
                        .unstarted(this::run);
    }

    void start() {
        intake.onRoom(() -> LockSupport.unpark(thread));
        thread.start();
    }

    void stopReceiving() {
        receiving = false;
        LockSupport.unpark(thread);
    }

    void settle(Message message, Settlement settlement) {
        verdicts.add(new Verdict(message, settlement));
        LockSupport.unpark(thread);
    }

    Duration idle() {
        long since = waitsSinceNanos;
        return since == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
    }

    /// Every poll renews all locks.
    Duration lateness() {
        if (!holds) {
            return Duration.ZERO;
        }
        long late = System.nanoTime() - lastPollNanos - RENEW_EVERY.toNanos();
        return Duration.ofNanos(Math.max(0, late));
    }

    @Nullable String trouble() {
        return trouble;
    }

    /// Whether it has a record at the moment.
    boolean holds() {
        return holds;
    }

    void beginClosing() {
        closing = true;
        consumer.wakeup();
        LockSupport.unpark(thread);
    }

    void close(Duration deadline) {
        try {
            if (!thread.join(deadline)) {
                log.warn("The share consumer did not close within {}.", deadline);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        consumer.setAcknowledgementCommitCallback(this::committed);
        consumer.subscribe(settings.topics());
        try {
            while (!closing) {
                try {
                    turn();
                    trouble = null;
                } catch (WakeupException e) {
                    // close() was called
                } catch (InterruptException e) {
                    closing = true;
                    Thread.interrupted();
                } catch (RuntimeException e) {
                    trouble = "Nothing can be received from " + settings.topics() + ": " + e;
                    log.error("{}; goes on in {}", trouble, AFTER_TROUBLE, e);
                    LockSupport.parkNanos(AFTER_TROUBLE.toNanos());
                }
            }
        } finally {
            end();
        }
    }

    private void turn() {
        drain();
        giveUpWhatTakesTooLong();
        holds = !held.all().isEmpty();
        if (!holds) {
            receive();
            return;
        }
        place();
        if (held.hasVerdicts()) {
            held.toAcknowledge().forEach(this::acknowledge);
            consumer.commitAsync();
        } else if (System.nanoTime() - lastPollNanos
                > (held.isRenewing() ? QUIET : RENEW_EVERY).toNanos()) {
            held.toAcknowledge().forEach(this::acknowledge);
            poll(RENEWAL);
        } else {
            LockSupport.parkNanos(QUIET.toNanos());
        }
    }

    /// Polls into room that is reserved for it.
    private void receive() {
        try (Reservation room = intake.reserve(receiving ? 1 : 0)) {
            if (room.size() == 0) {
                waitsSinceNanos = 0;
                LockSupport.parkNanos(QUIET.toNanos());
                return;
            }
            waitsSinceNanos = waitsSinceNanos == 0 ? System.nanoTime() : waitsSinceNanos;
            poll(POLL);
            if (!held.all().isEmpty()) {
                waitsSinceNanos = 0;
                holds = true;
                acquired.run();
                deliver(room, List.copyOf(held.all()));
            }
        }
    }

    /// Hands in what waited for its lane or its next attempt.
    private void place() {
        List<Held> due = held.due(System.nanoTime(), intake::hasRoom);
        if (!due.isEmpty()) {
            try (Reservation room = intake.reserve(due.size())) {
                deliver(room, due.subList(0, room.size()));
            }
        }
    }

    private void deliver(Reservation room, List<Held> records) {
        int left = room.size();
        for (Held each : records) {
            // A broker that brings more than was asked for: the others wait with their locks.
            if (left-- > 0) {
                Message message = message(each);
                each.message = message;
                each.begunNanos = System.nanoTime();
                room.deliver(List.of(message));
            }
        }
        drain();
    }

    private void poll(Duration time) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(time)) {
            held.presented(record, System.nanoTime());
        }
        lastPollNanos = System.nanoTime();
    }

    private void acknowledge(Word word) {
        try {
            consumer.acknowledge(word.record(), word.type());
        } catch (IllegalStateException e) {
            // The client no longer knows it: its lock has gone.
            lost(Place.of(word.record()), e.getMessage());
        }
    }

    /// Called by the client inside of poll and commit.
    private void committed(Map<TopicIdPartition, Set<Long>> offsets, @Nullable Exception failure) {
        if (failure == null) {
            return;
        }
        offsets.forEach(
                (partition, some) ->
                        some.forEach(
                                offset ->
                                        lost(
                                                new Place(
                                                        partition.topic(),
                                                        partition.partition(),
                                                        offset),
                                                failure.toString())));
    }

    private void lost(Place place, @Nullable String why) {
        Message message = held.lost(place);
        log.warn("{} is no longer ours: {}", place, why);
        if (message != null) {
            intake.lost(message, "the broker no longer locks it for us: " + why);
        }
    }

    private void giveUpWhatTakesTooLong() {
        for (Held each : held.olderThan(settings.longestJob().toNanos(), System.nanoTime())) {
            Message message = each.message;
            if (message != null) {
                intake.overdue(message, "its job takes longer than " + settings.longestJob());
            }
        }
    }

    private static Message message(Held each) {
        ConsumerRecord<byte[], byte[]> record = each.record;
        Map<String, String> attributes = new HashMap<>();
        for (Header header : record.headers()) {
            if (header.value() != null) {
                attributes.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
            }
        }
        String partition = record.topic() + "-" + record.partition();
        return new Message(
                partition + "@" + record.offset(),
                record.value() == null ? new byte[0] : record.value(),
                attributes,
                record.key() == null ? null : new String(record.key(), StandardCharsets.UTF_8),
                partition,
                each.attempt,
                each);
    }

    private void drain() {
        for (Verdict verdict = verdicts.poll(); verdict != null; verdict = verdicts.poll()) {
            Held of = (Held) verdict.message().receipt();
            if (verdict.settlement() instanceof Settlement.DeadLetter letter) {
                bury(verdict.message(), of, letter);
            } else {
                held.settled(of, verdict.settlement(), System.nanoTime());
            }
        }
    }

    /// Rejected only when the dead letter is safe; its lock is renewed until then.
    private void bury(Message message, Held of, Settlement.DeadLetter letter) {
        deadLetters.send(
                of.record,
                letter,
                failure -> {
                    if (failure != null) {
                        log.error("The dead letter of {} could not be sent", of.place, failure);
                    }
                    settle(
                            message,
                            failure == null
                                    ? new Settlement.Done()
                                    : new Settlement.HandBack(DEAD_LETTER_AGAIN, "no dead letter"));
                });
    }

    private void end() {
        drain();
        deadLetters.close();
        drain();
        try {
            // A record whose lock is just being renewed can be told about when the client shows it
            // again.
            for (int i = 0; i < 10 && held.isRenewing(); i++) {
                poll(POLL);
            }
            held.releaseAll();
            held.toAcknowledge().forEach(this::acknowledge);
            var unused = consumer.commitSync(Duration.ofSeconds(5));
        } catch (RuntimeException e) {
            log.warn("The last acknowledgements may be missing.", e);
        }
        try {
            consumer.close();
        } catch (RuntimeException e) {
            log.warn("The share consumer did not close well.", e);
        }
    }
}
