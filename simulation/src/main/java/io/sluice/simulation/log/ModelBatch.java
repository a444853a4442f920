package io.sluice.simulation.log;

import io.sluice.record.LogRecord;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.nio.ByteBuffer;
import java.util.List;

/// A batch as it went into the log, offsets and all. Immutable.
///
/// @param bytes nobody moves or changes them
record ModelBatch(ByteBuffer bytes) {
    /// Copies what the log was given, after it has assigned the offsets.
    static ModelBatch copyOf(ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining());
        copy.put(bytes.duplicate());
        return new ModelBatch(copy.flip());
    }

    RecordBatch header() {
        return RecordBatch.at(bytes, 0);
    }

    long baseOffset() {
        return header().baseOffset();
    }

    long nextOffset() {
        return header().nextOffset();
    }

    /// Taken out of the batch each time, because most batches are never looked into.
    List<LogRecord> records() {
        return RecordReader.readAll(header());
    }

    boolean sameSequence(RecordBatch other) {
        RecordBatch own = header();
        return own.hasProducerId()
                && own.producerId() == other.producerId()
                && own.producerEpoch() == other.producerEpoch()
                && own.baseSequence() == other.baseSequence();
    }

    @Override
    public String toString() {
        return header().toString();
    }
}
