package io.sluice.listener.kafka;

import io.sluice.listener.kafka.HeldRecords.Held;
import io.sluice.listener.kafka.HeldRecords.Place;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ShareConsumer;
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

    /// How long to wait for somebody to unpark, at most.
    private static final Duration QUIET = Duration.ofMillis(50);

    private final String id;
    private final KafkaSettings settings;
    private final ShareGroup group;
    private final Intake intake;
    private final Runnable acquired;
    private final HeldRecords held = new HeldRecords(this::settle);
    private final ShareClient client;
    private final Verdicts verdicts;
    private final Contact contact;
    private final ClientThread thread;

    /// Room for what it looks for. Kept until a record is there: what has been asked for comes some day, and lies locked in the client if nobody polls.
    private @Nullable Reservation search;

    private volatile boolean holds;

    /// Whether it looks for a record into a slot of its own.
    private volatile boolean searches;

    /// Whether it looks for a record though it has no slot for it.
    private volatile boolean scouts;

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
        this.intake = intake;
        this.client = new ShareClient(settings.topics(), consumers, held, this::lost);
        this.thread = new ClientThread("sluice-share-", settings.topics(), this);
        this.verdicts = new Verdicts(deadLetters, intake, thread::unpark);
        this.contact = new Contact(settings, client::metrics, System.nanoTime());
    }

    void start() {
        try {
            thread.start(intake);
        } catch (RuntimeException | Error e) {
            client.close();
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
        if (looks()) {
            client.wakeUp();
        }
    }

    void settle(Message message, Settlement settlement) {
        verdicts.add(message, settlement);
        thread.unpark();
    }

    Duration idle() {
        return thread.idle();
    }

    Duration lateness() {
        return holds ? client.lateness() : Duration.ZERO;
    }

    /// It may look for a while, so somebody else has to see whether anybody answers it.
    void watch() {
        thread.watch();
    }

    @Nullable String trouble() {
        return thread.trouble();
    }

    @Override
    public @Nullable String silence() {
        long now = System.nanoTime();
        if (!holds && !looks()) {
            contact.rest(now); // it has nothing to ask, and perhaps never joined
            return null;
        }
        return contact.silence(now);
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

    /// Whether it does nothing, though it may be the only one that is told what lies in some partition.
    boolean dozes() {
        return alive() && !holds && !looks();
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
        client.wakeUp();
    }

    @Override
    public void open() {
        client.open();
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
        if (held.isRenewing()) {
            client.listen();
            parkWhile(held.isRenewing());
        } else if (held.hasVerdicts() || client.isRenewalDue()) {
            client.tell();
        } else {
            parkWhile(true);
        }
    }

    private static void parkWhile(boolean nothingToDo) {
        if (nothingToDo) {
            LockSupport.parkNanos(QUIET.toNanos());
        }
    }

    /// Looks for a record into room that is reserved for it.
    private void receive() {
        Reservation room = search == null ? intake.reserve(1) : search;
        search = room;
        searches = room.size() > 0; // from now on a stop wakes it
        if (!thread.receiving()) {
            thread.end(); // what it has asked for in vain goes to others, as soon as the client
            // is closed
            return;
        }
        if (!looks()) {
            closeSearch(room);
            thread.waitsNoMore();
            LockSupport.parkNanos(QUIET.toNanos());
            return;
        }
        thread.waits();
        boolean old = client.look();
        if (!held.all().isEmpty()) {
            thread.waitsNoMore();
            holds = true;
            try {
                acquired.run();
                if (old) {
                    held.all().forEach(each -> each.doubtful = true);
                    client.tell();
                } else {
                    deliver(room, List.copyOf(held.all()).subList(0, 1));
                }
            } finally {
                boolean scouted = room.size() == 0;
                closeSearch(room);
                scouts = scouted; // where this one lay there may be more
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

    /// What it holds is still there, and is looked at again in the next round.
    @Override
    public void recover() {
        client.replaceIfBroken();
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

    private void lost(Place place, String why) {
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
            client.awaitRenewals();
            held.releaseAll();
            warnOfLoss();
            client.tellLast();
        } catch (RuntimeException e) {
            log.warn("The last acknowledgements may be missing.", e);
        }
        client.close();
    }
}
