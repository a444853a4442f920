package io.sluice.listener.kafka;

import io.sluice.listener.kafka.PartitionProgress.When;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The thread that owns the consumer: reserves room, polls, delivers, takes note of verdicts, commits, rebalances.
///
/// A poll brings one record. What nobody has room for stays in `fetched`, as it would in the client's own fetch
/// buffer: not begun, not counted as received, dropped without harm at a rebalance. Meanwhile the partitions are paused, and the thread sleeps until there is room.
///
/// Owned by its own thread; [#settle], [#stopReceiving] and [#close] may be called from any.
final class ConsumerLoop implements ClientThread.Client, ConsumerRebalanceListener {
    private static final Logger log = LoggerFactory.getLogger(ConsumerLoop.class);

    /// How long a poll waits for records, and the longest silence towards the group.
    private static final Duration POLL = Duration.ofMillis(250);

    /// Also where a stop has less time: what is not committed is done again.
    private static final Duration LAST_COMMIT = Duration.ofSeconds(10);

    /// The source's handle of a message.
    private record Receipt(
            PartitionProgress progress,
            ConsumerRecord<byte[], byte[]> record,
            @Nullable String order) {}

    private final KafkaSettings settings;
    private final Consumer<byte[], byte[]> consumer;
    private final Intake intake;
    private final ClientThread thread;
    private final Verdicts verdicts;
    private final Contact contact;
    private final Map<TopicPartition, PartitionProgress> partitions = new HashMap<>();
    private final Commits commits;
    private final Newcomers newcomers;
    private final ReadingPlaces places;

    /// With the time at which each was handed in.
    private final Map<Message, Long> inFlight = new HashMap<>();

    private final ArrayDeque<ConsumerRecord<byte[], byte[]>> fetched = new ArrayDeque<>();

    private long lastPollNanos = System.nanoTime();

    ConsumerLoop(
            KafkaSettings settings,
            Consumer<byte[], byte[]> consumer,
            DeadLetterTopic deadLetters,
            Intake intake) {
        this.settings = settings;
        this.consumer = consumer;
        this.intake = intake;
        this.thread = new ClientThread("sluice-", settings.topics(), this);
        this.verdicts = new Verdicts(deadLetters, intake, thread::unpark);
        this.contact = new Contact(settings, consumer::metrics, System.nanoTime());
        this.commits = new Commits(consumer, partitions, settings.commitEvery());
        this.newcomers = new Newcomers(consumer);
        this.places = new ReadingPlaces(settings, consumer, partitions, intake::hasRoom);
    }

    void start() {
        thread.start(intake);
    }

    void stopReceiving() {
        thread.stopReceiving();
    }

    void settle(Message message, Settlement settlement) {
        verdicts.add(message, settlement);
        if (thread.closing()) {
            thread.unpark();
        }
    }

    Duration idle() {
        return thread.idle();
    }

    @Nullable String trouble() {
        return thread.trouble();
    }

    @Override
    public @Nullable String silence() {
        long now = System.nanoTime();
        String why = contact.silence(now);
        why = why == null ? newcomers.silence() : why;
        return why == null ? verdicts.silence(now) : why;
    }

    void close(Duration deadline) {
        thread.beginClosing(deadline);
        thread.awaitEnd(deadline);
    }

    @Override
    public void wakeUp() {
        consumer.wakeup();
    }

    @Override
    public void open() {
        consumer.subscribe(settings.topics(), this);
    }

    /// One round: what has ended, what can be committed, what there is room for.
    @Override
    public void turn() {
        drain();
        takeOver();
        giveUpWhatTakesTooLong();
        if (commits.due()) {
            noteAttempts();
            commits.soon();
        }
        boolean receives = thread.receiving() && !verdicts.isFull();
        try (Reservation room = receives ? intake.reserve(Integer.MAX_VALUE) : null) {
            int left = room == null ? 0 : room.size();
            left -= room == null ? 0 : deliver(room, left);
            if (room != null && fetched.isEmpty() && left > 0) {
                thread.waits();
                read(room, left);
                return;
            }
        }
        waitForRoom();
    }

    /// What has come to us is read as soon as it is known how often others have tried it.
    private void takeOver() {
        Map<TopicPartition, PartitionProgress> known = newcomers.known();
        if (!known.isEmpty()) {
            partitions.putAll(known);
            places.leave();
        }
    }

    /// Waits for records, and then takes what the client has fetched already, never more than there is room for.
    private void read(Reservation room, int most) {
        places.choose(System.nanoTime());
        int left = most;
        Duration patience = pollTime();
        while (left > 0 && places.stays() && !verdicts.isFull()) {
            places.polled(poll(patience));
            left -= deliver(room, left);
            patience = Duration.ZERO;
        }
    }

    /// Until somebody unparks, but never so long that the group takes us for dead.
    private void waitForRoom() {
        if (System.nanoTime() - lastPollNanos > POLL.toNanos()) {
            consumer.pause(consumer.assignment());
            boolean unused = poll(Duration.ZERO);
            places.leave();
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

    /// @return whether it brought something
    private boolean poll(Duration time) {
        lastPollNanos = System.nanoTime();
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(time)) {
            noticeReset(record);
            places.seen(partitionOf(record), record.offset());
            fetched.add(record);
            thread.waitsNoMore();
        }
        return !fetched.isEmpty();
    }

    /// What was fetched may have been lost half-way, and a later record must not be begun in its place.
    @Override
    public void recover() {
        fetched.clear();
        places.startOver();
    }

    /// The broker no longer has what we were reading (retention, a topic made anew): what we know about the partition is no longer about it.
    private void noticeReset(ConsumerRecord<byte[], byte[]> record) {
        TopicPartition partition = partitionOf(record);
        PartitionProgress progress = partitions.get(partition);
        if (progress != null && record.offset() < progress.front() && !places.isBack(partition)) {
            log.warn(
                    "{} goes on at {}, before {} where it was.",
                    partition,
                    record.offset(),
                    progress.front());
            abandon(List.of(partition), "the partition was reset");
            partitions.put(partition, new PartitionProgress(record.offset(), new TreeMap<>()));
        }
    }

    /// @return how many messages were handed in
    private int deliver(Reservation room, int most) {
        int delivered = 0;
        while (delivered < most && !fetched.isEmpty() && !verdicts.isFull()) {
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
        int attempt = progress.attemptAt(record.offset());
        String order =
                intake.orderOf(
                        RecordMessage.of(
                                settings.group(),
                                record,
                                attempt,
                                new Receipt(progress, record, null)));
        Message message =
                RecordMessage.of(
                        settings.group(), record, attempt, new Receipt(progress, record, order));
        long comebacks;
        do {
            // Who went back before this number was read is known after the drain; who goes back
            // later changes the number, and this record has to look again whom it must not
            // overtake.
            comebacks = intake.comebacks();
            drain();
            var blocker = progress.blocker(order, record.offset());
            if (blocker != null) {
                progress.defer(record.offset(), blocker.when(), false, order);
                return false;
            }
        } while (!room.deliver(message, comebacks));
        progress.begin(record.offset());
        inFlight.put(message, System.nanoTime());
        // A refusal has to be known before the next record, which might be of the same order.
        drain();
        return true;
    }

    private void drain() {
        verdicts.drain(this::apply);
    }

    private void apply(Message message, Settlement settlement, int attempt) {
        inFlight.remove(message);
        Receipt receipt = (Receipt) message.receipt();
        PartitionProgress progress = receipt.progress();
        if (progress.gone()) {
            // Its new owner buries it, if it comes to that.
            intake.unburied(message, "its partition went to another member of the group");
            return;
        }
        long offset = receipt.record().offset();
        progress.attempting(offset, attempt);
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
            case Settlement.DeadLetter letter -> verdicts.bury(message, receipt.record(), letter);
        }
    }

    /// Attempts in place, which nobody else has told us of.
    private void noteAttempts() {
        for (Message message : inFlight.keySet()) {
            Receipt receipt = (Receipt) message.receipt();
            receipt.progress().attempting(receipt.record().offset(), intake.attemptAt(message));
        }
    }

    private void giveUpWhatTakesTooLong() {
        long bound = System.nanoTime() - settings.longestJob().toNanos();
        List<Message> old =
                inFlight.entrySet().stream()
                        .filter(entry -> entry.getValue() - bound < 0)
                        .map(Map.Entry::getKey)
                        .toList();
        if (!old.isEmpty()) {
            String why = "its job takes longer than " + settings.longestJob();
            old.forEach(message -> intake.overdue(message, why));
            reclaim(old.stream().filter(message -> !intake.has(message)).toList());
        }
    }

    /// Whose verdict has never come, though their slots are free: whatever failed at their end must not hold up the commit for ever.
    ///
    /// @param left without a slot; before it was free, their verdicts had been told, or never will be
    private void reclaim(List<Message> left) {
        drain();
        for (Message message : left) {
            if (inFlight.containsKey(message)) {
                log.warn(
                        "Nobody has {}, and nobody has said how it ended: it comes again", message);
                apply(
                        message,
                        new Settlement.HandBack(Duration.ZERO, "nobody has it"),
                        message.attempt());
            }
        }
    }

    // Rebalances, called by the consumer inside poll and close

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        newcomers.arrived(assigned);
    }

    /// Jobs get time to end, so that the new owner does not do them again.
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        long end = System.nanoTime() + settings.jobsAtRevoke().toNanos();
        drain();
        while (isWorkingOn(revoked) && System.nanoTime() - end < 0 && !thread.closing()) {
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            drain();
        }
        noteAttempts();
        commits.now(revoked, settings.commitAtRevoke());
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

    private void abandon(Collection<TopicPartition> some, String why) {
        fetched.removeIf(record -> some.contains(partitionOf(record)));
        for (TopicPartition partition : some) {
            PartitionProgress progress = partitions.remove(partition);
            commits.forget(partition);
            newcomers.left(partition);
            places.forget(partition);
            if (progress == null) {
                continue;
            }
            progress.leave();
            List.copyOf(inFlight.keySet()).stream()
                    .filter(message -> ((Receipt) message.receipt()).progress().equals(progress))
                    .forEach(message -> intake.lost(message, why));
        }
    }

    @Override
    public void end(Duration deadline) {
        // First what is known: letters that nobody takes may take up the time.
        drain();
        commits.now(List.copyOf(partitions.keySet()), LAST_COMMIT);
        verdicts.end(this::apply, deadline.dividedBy(2));
        commits.now(List.copyOf(partitions.keySet()), LAST_COMMIT);
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
