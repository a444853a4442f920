package io.sluice.listener.kafka;

import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/// The records of a share group that are ours for the time being: worked on, or waiting for a lane or for their next attempt.
///
/// ```
///  acquired ──▶ WORKING ──done──▶ ACCEPT
///     │ no room     │ ──dead letter is safe──▶ REJECT
///     ▼             ▼ failed, lane full
///   PARKED ◀────────┘                 RELEASE ◀── the listener stops
/// ```
/// The broker counts each delivery, and archives a record after a few: giving one back just because a lane is full would soon lose it. So it
/// stays here, with its lock renewed, until there is room. Nobody works on its last delivery ([ShareGroup]), which a stop or a crash would make the end of it.
///
/// Owned by the consumer's thread. Time comes in with the call.
final class HeldRecords {
    /// Where a record is.
    record Place(String topic, int partition, long offset) {
        static Place of(ConsumerRecord<?, ?> record) {
            return new Place(record.topic(), record.partition(), record.offset());
        }
    }

    /// A record that is ours.
    static final class Held {
        final Place place;
        final ConsumerRecord<byte[], byte[]> record;

        /// When its job began.
        long begunNanos;

        int attempt;

        /// How often the broker has delivered it, this time included.
        final int deliveries;

        /// The job at work on it; none while it is parked.
        @Nullable Message message;

        /// When it may go to a lane again.
        long dueNanos;

        @Nullable String awaitsLane;

        /// What to tell the broker at the next opportunity; none: renew.
        @Nullable AcknowledgeType verdict;

        /// Whether the client lets us acknowledge it now: it has been returned by a poll since the last time.
        boolean presented = true;

        /// Whether its lock may have ended before it came to us: nobody begins with it before it is renewed.
        boolean doubtful;

        /// Whether the broker has confirmed that its lock is renewed, and the client has not shown it again yet.
        boolean confirmed;

        /// Hears how its job ended.
        final Owner owner;

        Held(ConsumerRecord<byte[], byte[]> record, long nowNanos, Owner owner) {
            this.owner = owner;
            this.place = Place.of(record);
            this.record = record;
            this.begunNanos = nowNanos;
            this.dueNanos = nowNanos;
            this.deliveries = record.deliveryCount().map(Short::intValue).orElse(1);
            this.attempt = deliveries;
        }

        boolean parked() {
            return message == null && verdict == null && !doubtful;
        }
    }

    /// Who holds a record.
    @FunctionalInterface
    interface Owner {
        void settle(Message message, Settlement settlement);
    }

    private final Map<Place, Held> held = new HashMap<>();
    private final Owner owner;

    HeldRecords(Owner owner) {
        this.owner = owner;
    }

    /// A poll has returned it: ours already, and may be acknowledged again, or new.
    ///
    /// @return whether it is new
    boolean presented(ConsumerRecord<byte[], byte[]> record, long nowNanos) {
        Held known = held.get(Place.of(record));
        if (known != null) {
            known.presented = true;
            known.confirmed = false;
            known.doubtful = false;
            return false;
        }
        held.put(Place.of(record), new Held(record, nowNanos, owner));
        return true;
    }

    /// Parked ones that may go to a lane now. One that found its lane full has no appointment: it is here, and would only be refused once more.
    List<Held> due(long nowNanos, Predicate<String> room) {
        List<Held> due = new ArrayList<>();
        for (Held each : held.values()) {
            String lane = each.awaitsLane;
            if (each.parked() && (lane == null ? nowNanos - each.dueNanos >= 0 : room.test(lane))) {
                due.add(each);
            }
        }
        due.sort((a, b) -> Long.compare(a.place.offset(), b.place.offset()));
        return due;
    }

    /// Whether the client has not shown a record again since its lock was renewed.
    boolean isRenewing() {
        return held.values().stream().anyMatch(each -> !each.presented);
    }

    /// The broker has renewed its lock.
    void confirmed(Place place) {
        Held of = held.get(place);
        if (of != null) {
            of.confirmed = !of.presented;
        }
    }

    /// Whether every renewal has been confirmed, and the client shows what it was for at the next poll.
    boolean isConfirmed() {
        return isRenewing()
                && held.values().stream().allMatch(each -> each.presented || each.confirmed);
    }

    /// How a job ended. Nothing, when the record is no longer ours.
    ///
    /// @param attempt the one it ended with
    void settled(Held of, Settlement settlement, int attempt, long nowNanos) {
        if (held.get(of.place) != of) {
            return;
        }
        of.message = null;
        of.attempt = Math.max(of.attempt, attempt);
        switch (settlement) {
            case Settlement.Done done -> of.verdict = AcknowledgeType.ACCEPT;
            case Settlement.DeadLetter letter -> of.verdict = AcknowledgeType.REJECT;
            case Settlement.Lost lost -> held.remove(of.place);
            case Settlement.Retry retry -> {
                of.attempt++;
                park(of, nowNanos + retry.delay().toNanos(), null);
            }
            case Settlement.HandBack back ->
                    park(of, nowNanos + back.delay().toNanos(), back.fullLane());
        }
    }

    private static void park(Held of, long dueNanos, @Nullable String lane) {
        of.dueNanos = dueNanos;
        of.awaitsLane = lane;
    }

    /// What to say about a record.
    record Word(ConsumerRecord<byte[], byte[]> record, AcknowledgeType type) {}

    /// Everything that a poll has returned has to be acknowledged before the next one: with its verdict, or by renewing its lock.
    ///
    /// @return what to say about each; those with a verdict are no longer held
    List<Word> toAcknowledge() {
        List<Word> words = new ArrayList<>();
        for (Held each : List.copyOf(held.values())) {
            if (each.presented) {
                words.add(
                        new Word(
                                each.record,
                                each.verdict == null ? AcknowledgeType.RENEW : each.verdict));
                each.presented = false;
                if (each.verdict != null) {
                    held.remove(each.place);
                }
            }
        }
        return words;
    }

    /// Whether something could be told now.
    boolean hasVerdicts() {
        return held.values().stream().anyMatch(each -> each.presented && each.verdict != null);
    }

    /// The broker has given it to somebody else.
    ///
    /// @return the job that was at work on it, if any
    @Nullable Message lost(Place place) {
        Held gone = held.remove(place);
        return gone == null ? null : gone.message;
    }

    /// Those whose job has taken longer than this.
    List<Held> olderThan(long nanos, long nowNanos) {
        return held.values().stream()
                .filter(each -> each.message != null && nowNanos - each.begunNanos >= nanos)
                .toList();
    }

    /// The listener stops: what has no verdict goes back.
    void releaseAll() {
        for (Held each : held.values()) {
            if (each.verdict == null) {
                each.verdict = AcknowledgeType.RELEASE;
            }
        }
    }

    Collection<Held> all() {
        return held.values();
    }
}
