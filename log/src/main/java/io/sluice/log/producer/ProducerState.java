package io.sluice.log.producer;

import java.util.ArrayList;
import java.util.List;

/// A producer as the ledger knows it, for snapshots and `DescribeProducers`. Immutable.
///
/// @param startSequence the first sequence number known in this epoch, -1 before any
/// @param batches the last ones, oldest first
public record ProducerState(
        long producerId,
        short epoch,
        int startSequence,
        long lastAppendMillis,
        List<Batch> batches) {

    public ProducerState {
        batches = List.copyOf(batches);
    }

    /// As many as a client may have in flight.
    public static final int MOST_BATCHES = ProducerEntry.REMEMBERED_BATCHES;

    public record Batch(int lastSequence, int offsetDelta, long lastOffset) {}

    public int lastSequence() {
        return batches.isEmpty() ? -1 : batches.getLast().lastSequence();
    }

    static ProducerState of(ProducerEntry entry) {
        List<Batch> batches = new ArrayList<>(entry.batches);
        for (int i = 0; i < entry.batches; i++) {
            batches.add(
                    new Batch(entry.lastSequences[i], entry.offsetDeltas[i], entry.lastOffsets[i]));
        }
        return new ProducerState(
                entry.producerId,
                entry.epoch,
                entry.startSequence,
                entry.lastAppendMillis,
                batches);
    }

    ProducerEntry toEntry() {
        ProducerEntry entry = new ProducerEntry(producerId, epoch);
        for (Batch batch : batches) {
            entry.add(batch.lastSequence(), batch.offsetDelta(), batch.lastOffset());
        }
        entry.startSequence = startSequence;
        entry.lastAppendMillis = lastAppendMillis;
        return entry;
    }
}
