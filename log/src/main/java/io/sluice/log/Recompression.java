package io.sluice.log;

import io.sluice.record.BatchBuilder;
import io.sluice.record.Compression;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Stores batches as the topic's `compression.type` wants them, when that is not what the producer chose. Pure.
///
/// The one append path that makes batches anew; topics have it only by their own wish.
final class Recompression {
    private Recompression() {}

    static boolean isNeeded(List<RecordBatch> batches, Compression target) {
        for (RecordBatch batch : batches) {
            if (batch.compressionId() != target.id()) {
                return true;
            }
        }
        return false;
    }

    /// One buffer with all batches. Throws [io.sluice.record.MalformedBatch] when one does not decode.
    static ByteBuffer apply(List<RecordBatch> batches, Compression target) {
        List<ByteBuffer> rewritten = new ArrayList<>(batches.size());
        int total = 0;
        for (RecordBatch batch : batches) {
            BatchBuilder builder = new BatchBuilder().likeHeaderOf(batch).compression(target);
            RecordReader.open(batch).forEachRemaining(builder::add);
            ByteBuffer bytes = builder.build();
            total += bytes.remaining();
            rewritten.add(bytes);
        }
        if (rewritten.size() == 1) {
            return rewritten.getFirst();
        }
        ByteBuffer all = ByteBuffer.allocate(total);
        rewritten.forEach(all::put);
        return all.flip();
    }
}
