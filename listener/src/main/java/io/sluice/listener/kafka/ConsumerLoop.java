package io.sluice.listener.kafka;

import io.sluice.listener.kafka.PartitionProgress.When;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The thread that owns the consumer: reserves room, polls, delivers, takes note of verdicts, commits, rebalances.
///
/// Records that a poll brought and nobody has room for stay in `fetched`, as they would in the client's own fetch buffer: not begun, not counted as
/// received, dropped without harm at a rebalance. Meanwhile the partitions are paused, and the thread sleeps until there is room.
///
/// Owned by its own thread; [#settle], [#stopReceiving] and [#close] may be called from any.
final class ConsumerLoop implements ConsumerRebalanceListener {
    private static final Logger log = LoggerFactory.getLogger(ConsumerLoop.class);

    /// How long a poll waits for records, and the longest silence towards the group.
    private static final Duration POLL = Duration.ofMillis(250);

    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);
    private static final Duration DEAD_LETTER_AGAIN = Duration.ofSeconds(10);

    /// The source's handle of a message.
    private record Receipt(
            PartitionProgress progress,
            ConsumerRecord<byte[], byte[]> record,
            @Nullable String order) {}

    /// What became of a message, on its way to the loop's thread.
    private record Verdict(Message message, Settlement settlement) {}

    private final KafkaSettings settings;
    private final Consumer<byte[], byte[]> consumer;
    private final DeadLetterTopic deadLetters;
    private final Intake intake;
    private final Thread thread;
    private final Queue<Verdict> verdicts = new ConcurrentLinkedQueue<>();
    private final Map<TopicPartition, PartitionProgress> partitions = new HashMap<>();
    private final Map<TopicPartition, Long> committed = new HashMap<>();

    /// With the time at which each was handed in.
    private final Map<Message, Long> inFlight = new HashMap<>();

    /// Partitions whose consumer stands at a deferred record instead of the front.
    private final Set<TopicPartition> readingBack = new HashSet<>();

    private final ArrayDeque<ConsumerRecord<byte[], byte[]>> fetched = new ArrayDeque<>();
    private long lastPollNanos = System.nanoTime();
    private long lastCommitNanos = System.nanoTime();
    private volatile boolean receiving = true;
    private volatile boolean closing;
    private volatile @Nullable String trouble;

    /// Since when polls that had room have brought nothing; 0: they bring something, or there is no room.
    private volatile long waitsSinceNanos;

    ConsumerLoop(
            KafkaSettings settings,
            Consumer<byte[], byte[]> consumer,
            DeadLetterTopic deadLetters,
            Intake intake) {
        this.settings = settings;
        this.consumer = consumer;
        this.deadLetters = deadLetters;
        this.intake = intake;
        this.thread =
                Thread.ofPlatform()
                        .name("sluice-" + String.join("-", settings.topics()))
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
        if (closing) {
            LockSupport.unpark(thread);
        }
    }

    Duration idle() {
        long since = waitsSinceNanos;
        return since == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
    }

    @Nullable String trouble() {
        return trouble;
    }

    void close(Duration deadline) {
        closing = true;
        consumer.wakeup();
        LockSupport.unpark(thread);
        try {
            if (!thread.join(deadline)) {
                log.warn(
                        "The consumer did not close within {}; its last commit may be missing.",
                        deadline);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        consumer.subscribe(settings.topics(), this);
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

    /// One round: what has ended, what can be committed, what there is room for.
    private void turn() {
        drain();
        giveUpWhatTakesTooLong();
        commitWhenDue();
        try (Reservation room = receiving ? intake.reserve(Integer.MAX_VALUE) : null) {
            int left = room == null ? 0 : room.size();
            left -= room == null ? 0 : deliver(room, left);
            if (fetched.isEmpty() && left > 0) {
                chooseWhereToRead();
                waitsSinceNanos = waitsSinceNanos == 0 ? System.nanoTime() : waitsSinceNanos;
                poll(pollTime());
                if (room != null) {
                    deliver(room, left);
                }
                return;
            }
        }
        waitForRoom();
    }

    /// Until somebody unparks, but never so long that the group takes us for dead.
    private void waitForRoom() {
        if (System.nanoTime() - lastPollNanos > POLL.toNanos()) {
            consumer.pause(consumer.assignment());
            poll(Duration.ZERO);
        } else {
            LockSupport.parkNanos(POLL.toNanos() / 5);
        }
    }

    private Duration pollTime() {
        long now = System.nanoTime();
        long nanos = POLL.toNanos();
        for (PartitionProgress progress : partitions.values()) {
            nanos = Math.min(nanos, progress.nanosUntilDue(now));
        }
        return Duration.ofNanos(nanos);
    }

    private void poll(Duration time) {
        lastPollNanos = System.nanoTime();
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(time)) {
            noticeReset(record);
            fetched.add(record);
            waitsSinceNanos = 0;
        }
    }

    /// The broker no longer has what we were reading (retention, a topic made anew): what we know about the partition is no longer about it.
    private void noticeReset(ConsumerRecord<byte[], byte[]> record) {
        TopicPartition partition = partitionOf(record);
        PartitionProgress progress = partitions.get(partition);
        if (progress != null
                && record.offset() < progress.front()
                && !readingBack.contains(partition)) {
            log.warn(
                    "{} goes on at {}, before {} where it was.",
                    partition,
                    record.offset(),
                    progress.front());
            abandon(List.of(partition), "the partition was reset");
            partitions.put(partition, new PartitionProgress());
        }
    }

    /// Reads on at the front, or where a deferred record is due: in turns, so that neither waits for the other.
    private void chooseWhereToRead() {
        long now = System.nanoTime();
        List<TopicPartition> resumed = new ArrayList<>();
        List<TopicPartition> paused = new ArrayList<>();
        partitions.forEach(
                (partition, progress) -> {
                    boolean full = progress.deferred() >= settings.mostDeferred();
                    boolean wasBack = readingBack.remove(partition);
                    long due = wasBack && !full ? -1 : progress.firstDue(now, intake::hasRoom);
                    if (due >= 0) {
                        consumer.seek(partition, due);
                        readingBack.add(partition);
                    } else if (wasBack) {
                        consumer.seek(partition, progress.front());
                    }
                    (due < 0 && full ? paused : resumed).add(partition);
                });
        consumer.resume(resumed);
        consumer.pause(paused);
    }

    /// @return how many messages were handed in
    private int deliver(Reservation room, int most) {
        int delivered = 0;
        while (delivered < most && !fetched.isEmpty()) {
            ConsumerRecord<byte[], byte[]> record = fetched.removeFirst();
            PartitionProgress progress = partitions.get(partitionOf(record));
            if (progress != null
                    && progress.wants(record.offset(), System.nanoTime(), intake::hasRoom)) {
                delivered += deliver(room, record, progress) ? 1 : 0;
            }
        }
        return delivered;
    }

    private boolean deliver(
            Reservation room, ConsumerRecord<byte[], byte[]> record, PartitionProgress progress) {
        drain(); // Of an earlier one of the same order, if it comes again.
        Message first = message(record, progress, 1, null);
        String order = intake.orderOf(first);
        var blocker = progress.blocker(order, record.offset());
        if (blocker != null) {
            progress.defer(record.offset(), blocker.when(), false, order);
            return false;
        }
        int attempt = progress.begin(record.offset());
        Message message = message(record, progress, attempt, order);
        inFlight.put(message, System.nanoTime());
        room.deliver(List.of(message));
        // A refusal has to be known before the next record, which might be of the same order.
        drain();
        return true;
    }

    private static Message message(
            ConsumerRecord<byte[], byte[]> record,
            PartitionProgress progress,
            int attempt,
            @Nullable String order) {
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
                attempt,
                new Receipt(progress, record, order));
    }

    private void drain() {
        for (Verdict verdict = verdicts.poll(); verdict != null; verdict = verdicts.poll()) {
            apply(verdict.message(), verdict.settlement());
        }
    }

    private void apply(Message message, Settlement settlement) {
        inFlight.remove(message);
        Receipt receipt = (Receipt) message.receipt();
        PartitionProgress progress = receipt.progress();
        if (progress.gone()) {
            return;
        }
        long offset = receipt.record().offset();
        long now = System.nanoTime();
        switch (settlement) {
            case Settlement.Done done -> progress.done(offset);
            case Settlement.Retry retry ->
                    progress.defer(
                            offset,
                            new When(now + retry.delay().toNanos()),
                            true,
                            retry.inOrder() ? receipt.order() : null);
            case Settlement.HandBack back ->
                    progress.defer(
                            offset,
                            new When(now + back.delay().toNanos(), back.fullLane()),
                            false,
                            receipt.order());
            case Settlement.Lost lost ->
                    progress.defer(offset, new When(now), false, receipt.order());
            case Settlement.DeadLetter letter -> bury(message, receipt, letter);
        }
    }

    private void giveUpWhatTakesTooLong() {
        long bound = System.nanoTime() - settings.longestJob().toNanos();
        inFlight.entrySet().stream()
                .filter(entry -> entry.getValue() - bound < 0)
                .map(Map.Entry::getKey)
                .toList()
                .forEach(
                        message ->
                                intake.overdue(
                                        message,
                                        "its job takes longer than " + settings.longestJob()));
    }

    /// Done only when the dead letter is safe.
    private void bury(Message message, Receipt receipt, Settlement.DeadLetter letter) {
        deadLetters.send(
                receipt.record(),
                letter,
                failure -> {
                    if (failure == null) {
                        verdicts.add(new Verdict(message, new Settlement.Done()));
                    } else {
                        log.error(
                                "The dead letter of {} could not be sent",
                                receipt.record(),
                                failure);
                        verdicts.add(
                                new Verdict(
                                        message,
                                        new Settlement.HandBack(
                                                DEAD_LETTER_AGAIN, "no dead letter")));
                    }
                    LockSupport.unpark(thread);
                });
    }

    private void commitWhenDue() {
        if (System.nanoTime() - lastCommitNanos < settings.commitEvery().toNanos()) {
            return;
        }
        lastCommitNanos = System.nanoTime();
        Map<TopicPartition, OffsetAndMetadata> offsets = progressOf(partitions.keySet());
        if (!offsets.isEmpty()) {
            consumer.commitAsync(
                    offsets,
                    (done, failure) -> {
                        if (failure != null) {
                            log.warn("The commit of {} has to wait: {}", done, failure.toString());
                            done.keySet().forEach(committed::remove);
                        }
                    });
        }
    }

    /// What has not been committed yet; counts as committed from now on.
    private Map<TopicPartition, OffsetAndMetadata> progressOf(Collection<TopicPartition> some) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition partition : some) {
            PartitionProgress progress = partitions.get(partition);
            long offset = progress == null ? -1 : progress.committable();
            if (offset >= 0 && !Long.valueOf(offset).equals(committed.put(partition, offset))) {
                offsets.put(partition, new OffsetAndMetadata(offset));
            }
        }
        return offsets;
    }

    // Rebalances, called by the consumer inside poll and close

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        assigned.forEach(partition -> partitions.put(partition, new PartitionProgress()));
    }

    /// Jobs get time to end, so that the new owner does not do them again.
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        long end = System.nanoTime() + settings.revokePatience().toNanos();
        drain();
        while (isWorkingOn(revoked) && System.nanoTime() - end < 0 && !closing) {
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            drain();
        }
        commitNow(revoked);
        abandon(revoked, "its partition went to another member of the group");
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
        abandon(lost, "its partition went to another member of the group");
    }

    private boolean isWorkingOn(Collection<TopicPartition> some) {
        return some.stream()
                .map(partitions::get)
                .anyMatch(progress -> progress != null && progress.inFlight() > 0);
    }

    private void commitNow(Collection<TopicPartition> some) {
        Map<TopicPartition, OffsetAndMetadata> offsets = progressOf(some);
        if (offsets.isEmpty()) {
            return;
        }
        try {
            try {
                consumer.commitSync(offsets);
            } catch (WakeupException e) {
                consumer.commitSync(offsets); // the wake-up of close() is used up now
            }
        } catch (RuntimeException e) {
            log.warn("The commit of {} failed; what it covers will be done again.", offsets, e);
        }
    }

    private void abandon(Collection<TopicPartition> some, String why) {
        fetched.removeIf(record -> some.contains(partitionOf(record)));
        for (TopicPartition partition : some) {
            PartitionProgress progress = partitions.remove(partition);
            committed.remove(partition);
            readingBack.remove(partition);
            if (progress == null) {
                continue;
            }
            progress.leave();
            List.copyOf(inFlight.keySet()).stream()
                    .filter(message -> ((Receipt) message.receipt()).progress().equals(progress))
                    .forEach(message -> intake.lost(message, why));
        }
    }

    private void end() {
        drain();
        deadLetters.close();
        drain();
        commitNow(List.copyOf(partitions.keySet()));
        try {
            consumer.close();
        } catch (RuntimeException e) {
            log.warn("The consumer did not close well.", e);
        }
    }

    private static TopicPartition partitionOf(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }
}
