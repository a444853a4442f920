package io.sluice.log.producer;

import io.sluice.record.RecordBatch;

/// One producer's epoch and last five batches: as many as a client may have in flight. Owned by its ledger.
final class ProducerEntry {
    static final int REMEMBERED_BATCHES = 5;

    final long producerId;
    short epoch;

    /// The first sequence number accepted in this epoch: nothing before it is known to be in the log.
    int startSequence = RecordBatch.NO_SEQUENCE;

    long lastAppendMillis;

    final int[] lastSequences = new int[REMEMBERED_BATCHES];
    final int[] offsetDeltas = new int[REMEMBERED_BATCHES];
    final long[] lastOffsets = new long[REMEMBERED_BATCHES];
    int batches;

    ProducerEntry(long producerId, short epoch) {
        this.producerId = producerId;
        this.epoch = epoch;
    }

    void beginEpoch(short newEpoch) {
        epoch = newEpoch;
        startSequence = RecordBatch.NO_SEQUENCE;
        batches = 0;
    }

    void add(int lastSequence, int offsetDelta, long lastOffset) {
        if (startSequence == RecordBatch.NO_SEQUENCE) {
            startSequence = Sequences.minus(lastSequence, offsetDelta);
        }
        if (batches == REMEMBERED_BATCHES) {
            System.arraycopy(lastSequences, 1, lastSequences, 0, batches - 1);
            System.arraycopy(offsetDeltas, 1, offsetDeltas, 0, batches - 1);
            System.arraycopy(lastOffsets, 1, lastOffsets, 0, batches - 1);
            batches--;
        }
        lastSequences[batches] = lastSequence;
        offsetDeltas[batches] = offsetDelta;
        lastOffsets[batches] = lastOffset;
        batches++;
    }

    int lastSequence() {
        return batches == 0 ? RecordBatch.NO_SEQUENCE : lastSequences[batches - 1];
    }

    int firstSequence(int batch) {
        return Sequences.minus(lastSequences[batch], offsetDeltas[batch]);
    }

    long baseOffset(int batch) {
        return lastOffsets[batch] - offsetDeltas[batch];
    }
}
