package io.sluice.listener.kafka;

import io.sluice.listener.kafka.HeldRecords.Held;
import io.sluice.listener.kafka.HeldRecords.Place;
import io.sluice.listener.kafka.HeldRecords.Word;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The thread that owns one share consumer: polls for a record when there is room, renews its lock while it is worked on, and tells how it ended.
///
/// One record at a time: a share consumer hands out nothing new as long as it holds a record whose lock it renews. [KafkaShareSource] has as many of these as
/// there are records at work.
///
/// Owned by its own thread; [#settle], [#stopReceiving] and [#close] may be called from any.
final class ShareLoop implements ClientThread.Client {
    private static final Logger log = LoggerFactory.getLogger(ShareLoop.class);
    private static final Duration POLL = Duration.ofMillis(250);

    /// How long to wait for somebody to unpark, at most.
    private static final Duration QUIET = Duration.ofMillis(50);

    /// How long a lock lasts at least, where the broker has not said it yet.
    private static final Duration SHORTEST_LOCK = Duration.ofSeconds(15);

    private final String id;
    private final KafkaSettings settings;
    private final ShareGroup group;
    private final Supplier<ShareConsumer<byte[], byte[]>> consumers;
    private final Intake intake;
    private final Runnable acquired;
    private final HeldRecords held = new HeldRecords(this::settle);
    private final Verdicts verdicts;
    private final Contact contact;
    private final ClientThread thread;

    /// Room for what it looks for. Kept from the first poll until a record is there: a poll that ends with nothing leaves its request behind, and what that brings
    /// later lies locked in the client. Without a poll nobody would renew that lock.
    private @Nullable Reservation search;

    private volatile long lastPollNanos = System.nanoTime();

    /// How long a lock lasts.
    private volatile Duration lock = SHORTEST_LOCK;

    private volatile boolean holds;

    /// Whether it looks for a record into a slot of its own.
    private volatile boolean searches;

    /// Whether it looks for a record though it has no slot for it.
    private volatile boolean scouts;

    private volatile ShareConsumer<byte[], byte[]> consumer;

    /// Whether the client refuses to go on.
    private boolean broken;

    /// @param id its client's
    /// @param group what the brokers do for it
    /// @param consumers makes its client, and another one when that is broken
    /// @param acquired hears when this loop has a record, so that another one has to look for the next
    ShareLoop(
            String id,
            KafkaSettings settings,
            ShareGroup group,
            Supplier<ShareConsumer<byte[], byte[]>> consumers,
            DeadLetterTopic deadLetters,
            Intake intake,
            Runnable acquired) {
        this.id = id;
        this.acquired = acquired;
        this.settings = settings;
        this.group = group;
        this.consumers = consumers;
        this.consumer = consumers.get();
        this.intake = intake;
        this.thread = new ClientThread("sluice-share-", settings.topics(), this);
        this.verdicts = new Verdicts(deadLetters, intake, thread::unpark);
        this.contact = new Contact(settings, () -> consumer.metrics(), System.nanoTime());
    }

    void start() {
        try {
            thread.start(intake);
        } catch (RuntimeException | Error e) {
            consumer.close();
            throw e;
        }
    }

    String id() {
        return id;
    }

    boolean alive() {
        return thread.alive();
    }

    void stopReceiving() {
        thread.stopReceiving();
    }

    void settle(Message message, Settlement settlement) {
        verdicts.add(message, settlement);
        thread.unpark();
    }

    Duration idle() {
        return thread.idle();
    }

    /// Every renewal is followed by a poll.
    Duration lateness() {
        if (!holds) {
            return Duration.ZERO;
        }
        long late = System.nanoTime() - lastPollNanos - renewEvery().toNanos();
        return Duration.ofNanos(Math.max(0, late));
    }

    @Nullable String trouble() {
        return thread.trouble();
    }

    @Override
    public @Nullable String silence() {
        return contact.silence(System.nanoTime());
    }

    /// Whether it has a record at the moment.
    boolean holds() {
        return holds;
    }

    /// Whether it looks for a record, and has a slot for it.
    boolean searches() {
        return searches;
    }

    /// Whether it looks for a record, with a slot for it or without.
    boolean looks() {
        return searches || scouts;
    }

    /// Lets it look for a record though others have all slots that are free: theirs wait in vain, since what there is lies in a partition of which they know nothing.
    void scout() {
        scouts = true;
        thread.unpark();
    }

    void beginClosing(Duration deadline) {
        thread.beginClosing(deadline);
    }

    void close(Duration deadline) {
        thread.awaitEnd(deadline);
    }

    @Override
    public void wakeUp() {
        consumer.wakeup();
    }

    @Override
    public void open() {
        consumer.setAcknowledgementCommitCallback(this::committed);
        consumer.subscribe(settings.topics());
    }

    @Override
    public void turn() {
        drain();
        giveUpWhatTakesTooLong();
        holds = !held.all().isEmpty();
        if (!holds) {
            receive();
            return;
        }
        if (thread.receiving()) { // otherwise it would come back at once, again and again
            place();
        }
        if (held.hasVerdicts()) {
            held.toAcknowledge().forEach(this::acknowledge);
            consumer.commitAsync();
        } else if (held.isRenewing()) {
            poll(Duration.ZERO); // shows again what has been renewed
            parkWhile(held.isRenewing());
        } else if (System.nanoTime() - lastPollNanos > renewEvery().toNanos()) {
            renew();
        } else {
            parkWhile(true);
        }
    }

    /// Not by a poll, though that would renew too: a poll goes on to fetch, and what it fetches stays in the client, behind the renewed ones and with nobody who
    /// renews its lock, for as long as their jobs run.
    private void renew() {
        held.toAcknowledge().forEach(this::acknowledge);
        // A client that gets no answer in time forgets the record, though its lock may be good: so
        // a broker that is busy gets as much time as there is.
        var unused = consumer.commitSync(lock.dividedBy(2));
    }

    private Duration renewEvery() {
        return lock.dividedBy(5);
    }

    private static void parkWhile(boolean nothingToDo) {
        if (nothingToDo) {
            LockSupport.parkNanos(QUIET.toNanos());
        }
    }

    /// Polls into room that is reserved for it.
    private void receive() {
        Reservation room = search == null ? intake.reserve(1) : search;
        boolean looks = room.size() > 0 || scouts;
        if (!thread.receiving() || !looks) {
            closeSearch(room);
            thread.waitsNoMore();
            LockSupport.parkNanos(QUIET.toNanos());
            return;
        }
        search = room;
        searches = room.size() > 0;
        thread.waits();
        poll(POLL);
        if (!held.all().isEmpty()) {
            thread.waitsNoMore();
            holds = true;
            try {
                acquired.run();
                deliver(room, List.copyOf(held.all()).subList(0, 1));
            } finally {
                closeSearch(room);
            }
        }
    }

    private void closeSearch(Reservation room) {
        search = null;
        searches = false;
        scouts = false;
        room.close();
    }

    /// Hands in what waited for its lane or its next attempt. It asks for no room: what others look for may take all of it, for as long as nothing comes.
    private void place() {
        List<Held> due = held.due(System.nanoTime(), intake::hasRoom);
        if (!due.isEmpty()) {
            try (Reservation none = intake.reserve(0)) {
                deliver(none, due);
            }
        }
    }

    /// More than was asked for, from a broker that brings it, waits with its lock until it is due.
    private void deliver(Reservation room, List<Held> records) {
        for (Held each : records) {
            Message message = RecordMessage.of(settings.group(), each.record, each.attempt, each);
            each.message = message;
            each.begunNanos = System.nanoTime();
            try {
                if (group.isLast(each.deliveries)) {
                    bury(message, each);
                } else {
                    room.deliver(List.of(message));
                }
            } catch (RuntimeException | Error e) {
                // Otherwise it would be renewed for ever, for a job that nobody has begun.
                each.message = null;
                throw e;
            }
        }
        drain();
    }

    /// What it holds is still there, and is looked at again in the next round. But a client that has handed out a record which nobody has taken note of, because memory ended in
    /// that moment, refuses every poll from then on: only another one helps. What this one holds goes back with it.
    @Override
    public void recover() {
        if (broken) {
            List.copyOf(held.all()).forEach(each -> lost(each.place, "its client is replaced"));
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

    /// A record whose last delivery this is. If its worker stopped or crashed now, as all the others have, it would be lost: a dead letter keeps it.
    private void bury(Message message, Held last) {
        String why =
                "It was delivered %d times, as often as its share group allows (share.delivery.count.limit), and its job never came to an end: its workers were stopped or killed, or lost its lock."
                        .formatted(last.deliveries);
        log.error("{} becomes a dead letter: {}", message, why);
        verdicts.bury(
                message,
                last.record,
                new Settlement.DeadLetter(new IllegalStateException(why), last.attempt, true));
    }

    private void poll(Duration time) {
        for (ConsumerRecord<byte[], byte[]> record : recordsOf(time)) {
            held.presented(record, System.nanoTime());
        }
        lastPollNanos = System.nanoTime();
        lock = consumer.acquisitionLockTimeoutMs().map(Duration::ofMillis).orElse(lock);
    }

    private ConsumerRecords<byte[], byte[]> recordsOf(Duration time) {
        try {
            return consumer.poll(time);
        } catch (IllegalStateException e) {
            broken = true;
            throw e;
        }
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
                reclaim(message);
            }
        }
    }

    /// One whose verdict has never come, though its slot is free, would be renewed for ever.
    private void reclaim(Message message) {
        if (!intake.has(message)) {
            drain();
            Held of = (Held) message.receipt();
            if (message.equals(of.message) && !verdicts.buries(message)) {
                log.warn(
                        "Nobody has {}, and nobody has said how it ended: it comes again", message);
                apply(message, new Settlement.HandBack(Duration.ZERO, "nobody has it"), of.attempt);
            }
        }
    }

    private void drain() {
        verdicts.drain(this::apply);
    }

    private void apply(Message message, Settlement settlement, int attempt) {
        Held of = (Held) message.receipt();
        if (settlement instanceof Settlement.DeadLetter letter) {
            verdicts.bury(message, of.record, letter); // its lock is renewed until it is safe
        } else {
            held.settled(of, settlement, attempt, System.nanoTime());
        }
    }

    /// The wake-up that ended the last turn hits the next call, if there was none to be woken from.
    private static void evenIfWoken(Runnable call) {
        try {
            call.run();
        } catch (WakeupException e) {
            call.run();
        }
    }

    private void warnOfLoss() {
        for (Held each : held.all()) {
            if (each.verdict == AcknowledgeType.RELEASE && group.isLast(each.deliveries)) {
                log.error(
                        "{} had its last delivery, and its dead letter could not be stored: the broker delivers it no more. It is in its topic as long as retention keeps it.",
                        each.place);
            }
        }
    }

    @Override
    public void end(Duration deadline) {
        Reservation room = search;
        if (room != null) {
            closeSearch(room);
        }
        // The record whose letter it may wait for is the only one it holds, and is released in
        // time.
        verdicts.end(this::apply, deadline.dividedBy(2));
        try {
            // A record whose lock is just being renewed can be told about when the client shows it
            // again.
            for (int i = 0; i < 10 && held.isRenewing(); i++) {
                evenIfWoken(() -> poll(POLL));
            }
            held.releaseAll();
            warnOfLoss();
            held.toAcknowledge().forEach(this::acknowledge);
            evenIfWoken(
                    () -> {
                        var unused = consumer.commitSync(Duration.ofSeconds(5));
                    });
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
