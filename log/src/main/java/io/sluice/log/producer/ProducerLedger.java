package io.sluice.log.producer;

import io.sluice.log.producer.ProducerVerdict.AlreadyAppended;
import io.sluice.log.producer.ProducerVerdict.AppendedLongAgo;
import io.sluice.log.producer.ProducerVerdict.Cause;
import io.sluice.log.producer.ProducerVerdict.InOrder;
import io.sluice.log.producer.ProducerVerdict.Refused;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Knows each producer's last batches, so that a batch that is sent again is recognised and a gap is refused.
///
/// [#check] changes nothing; [#record] cannot fail. Costs nothing until the first idempotent producer appears. Owned by its shard.
public final class ProducerLedger {
    private @Nullable Map<Long, ProducerEntry> producers;

    /// Most partitions have one producer at a time: saves the look-up.
    private @Nullable ProducerEntry latest;

    /// May these be appended, one behind the other? They are of one producer, or of none.
    public ProducerVerdict check(List<RecordBatch> batches) {
        ProducerVerdict first = check(batches.getFirst());
        if (first instanceof Refused) {
            return first;
        }
        for (int i = 1; i < batches.size() && batches.getFirst().hasProducerId(); i++) {
            RecordBatch before = batches.get(i - 1);
            RecordBatch batch = batches.get(i);
            if (batch.producerEpoch() != before.producerEpoch()
                    || batch.baseSequence() != Sequences.next(before.lastSequence())) {
                return outOfOrder(batch, Sequences.next(before.lastSequence()));
            }
            if (!(first instanceof InOrder)) {
                ProducerVerdict both = both(first, check(batch));
                if (both == null) {
                    return outOfOrder(batch, Sequences.next(batch.lastSequence()));
                }
                first = both;
            }
        }
        return first;
    }

    /// What is to be said of two batches, of which the first is there; null when the second is not there as well.
    private static @Nullable ProducerVerdict both(ProducerVerdict first, ProducerVerdict second) {
        if (second instanceof AppendedLongAgo) {
            return first instanceof AppendedLongAgo ? first : null;
        }
        if (!(second instanceof AlreadyAppended(long _, long nextOffset))) {
            return null;
        }
        return first instanceof AlreadyAppended(long baseOffset, long _)
                ? new AlreadyAppended(baseOffset, nextOffset)
                : new AppendedLongAgo(nextOffset, "These were appended long ago.");
    }

    /// May this batch be appended?
    ProducerVerdict check(RecordBatch batch) {
        ProducerEntry entry = batch.hasProducerId() ? find(batch.producerId()) : null;
        if (entry == null) {
            // A producer that was never seen, or whose records were all deleted, goes on with any
            // number (KIP-360).
            return ProducerVerdict.IN_ORDER;
        }
        if (batch.producerEpoch() < entry.epoch) {
            return new Refused(
                    Cause.STALE_EPOCH,
                    "Producer "
                            + entry.producerId
                            + " has the epoch "
                            + batch.producerEpoch()
                            + ", a newer instance with epoch "
                            + entry.epoch
                            + " has written since.");
        }
        int last =
                batch.producerEpoch() > entry.epoch
                        ? RecordBatch.NO_SEQUENCE
                        : entry.lastSequence();
        if (batch.baseSequence() == Sequences.next(last)) {
            return ProducerVerdict.IN_ORDER;
        }
        return batch.producerEpoch() == entry.epoch
                ? judgeRepeated(entry, batch)
                : outOfOrder(batch, 0);
    }

    private static ProducerVerdict judgeRepeated(ProducerEntry entry, RecordBatch batch) {
        for (int i = entry.batches - 1; i >= 0; i--) {
            if (entry.lastSequences[i] == batch.lastSequence()
                    && entry.firstSequence(i) == batch.baseSequence()) {
                return new AlreadyAppended(entry.baseOffset(i), entry.lastOffsets[i] + 1);
            }
        }
        if (entry.batches > 0) {
            int known = Sequences.distance(entry.startSequence, entry.firstSequence(0));
            int asked = Sequences.distance(entry.startSequence, batch.lastSequence());
            if (asked < known && asked >= batch.lastOffsetDelta()) {
                return new AppendedLongAgo(
                        entry.baseOffset(0),
                        "Sequence "
                                + batch.baseSequence()
                                + " of producer "
                                + entry.producerId
                                + " was appended long ago.");
            }
        }
        return outOfOrder(batch, Sequences.next(entry.lastSequence()));
    }

    private static Refused outOfOrder(RecordBatch batch, int expected) {
        return new Refused(
                Cause.OUT_OF_ORDER,
                "Producer "
                        + batch.producerId()
                        + " sent sequence "
                        + batch.baseSequence()
                        + " where "
                        + expected
                        + " was expected.");
    }

    /// A batch is in the log now, with its offsets.
    public void record(RecordBatch batch, long appendMillis) {
        if (!batch.hasProducerId()) {
            return;
        }
        ProducerEntry entry = find(batch.producerId());
        if (entry == null) {
            entry = new ProducerEntry(batch.producerId(), batch.producerEpoch());
            put(entry);
        } else if (batch.producerEpoch() > entry.epoch) {
            entry.beginEpoch(batch.producerEpoch());
        }
        entry.lastAppendMillis = appendMillis;
        if (!batch.isControl() && batch.baseSequence() != RecordBatch.NO_SEQUENCE) {
            entry.add(batch.lastSequence(), batch.lastOffsetDelta(), batch.lastOffset());
        }
    }

    public int count() {
        return producers == null ? 0 : producers.size();
    }

    /// Forgets producers that have not appended since. Returns how many.
    public int expire(long beforeMillis) {
        if (producers == null) {
            return 0;
        }
        int before = producers.size();
        producers.values().removeIf(entry -> entry.lastAppendMillis < beforeMillis);
        latest = null;
        return before - count();
    }

    public void forgetAll() {
        producers = null;
        latest = null;
    }

    /// Everything known, in the order of ids.
    public List<ProducerState> describe() {
        List<ProducerState> all = new ArrayList<>(count());
        if (producers != null) {
            for (ProducerEntry entry : producers.values()) {
                all.add(ProducerState.of(entry));
            }
            all.sort(Comparator.comparingLong(ProducerState::producerId));
        }
        return all;
    }

    public static ProducerLedger of(List<ProducerState> states) {
        ProducerLedger ledger = new ProducerLedger();
        states.forEach(state -> ledger.put(state.toEntry()));
        return ledger;
    }

    private @Nullable ProducerEntry find(long producerId) {
        ProducerEntry hit = latest;
        if (hit != null && hit.producerId == producerId) {
            return hit;
        }
        if (producers == null) {
            return null;
        }
        ProducerEntry found = producers.get(producerId);
        if (found != null) {
            latest = found;
        }
        return found;
    }

    private void put(ProducerEntry entry) {
        if (producers == null) {
            producers = new HashMap<>();
        }
        producers.put(entry.producerId, entry);
        latest = entry;
    }
}
