package io.sluice.log.compaction;

import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Decides which records of a batch stay, and rewrites the batch when some do not. Pure.
///
/// A record stays unless a later one has its key. A tombstone stays until its batch's delete horizon (KIP-534), which is set the first time a
/// compaction meets it. An empty batch stays when it is one of its producer's last, which may still be sent again: a restart knows them by their headers. Control batches, and batches
/// that do not open, are left alone.
final class RecordFilter {
    private final OffsetMap latest;
    private final long mapEnd;
    private final long startOffset;
    private final long nowMillis;
    private final long deleteRetentionMillis;
    private final Map<Long, Set<Long>> recentOffsets;

    /// @param mapEnd the map knows nothing of records at or behind this offset
    /// @param startOffset records before it were deleted by request
    /// @param recentOffsets the last offset of each of a producer's last batches, by producer id
    RecordFilter(
            OffsetMap latest,
            long mapEnd,
            long startOffset,
            long nowMillis,
            long deleteRetentionMillis,
            Map<Long, Set<Long>> recentOffsets) {
        this.latest = latest;
        this.mapEnd = mapEnd;
        this.startOffset = startOffset;
        this.nowMillis = nowMillis;
        this.deleteRetentionMillis = deleteRetentionMillis;
        this.recentOffsets = recentOffsets;
    }

    /// What is left of the batch: itself, a rewritten one, or null.
    @Nullable RecordBatch filter(RecordBatch batch) {
        if (batch.isControl() || batch.baseOffset() >= mapEnd) {
            return batch;
        }
        List<LogRecord> records;
        try {
            records = RecordReader.readAll(batch);
        } catch (MalformedBatch _) {
            return batch;
        }
        BatchBuilder rewritten = new BatchBuilder().likeHeaderOf(batch);
        int kept = 0;
        boolean tombstones = false;
        for (LogRecord record : records) {
            if (stays(record, batch)) {
                rewritten.add(record);
                tombstones |= record.value() == null;
                kept++;
            }
        }
        boolean setsHorizon = tombstones && batch.deleteHorizonMillis() == RecordBatch.NO_TIMESTAMP;
        if (kept == records.size() && !setsHorizon && kept > 0) {
            return batch;
        }
        if (kept == 0) {
            return isRecentOfProducer(batch) ? RecordBatch.at(rewritten.build(), 0) : null;
        }
        if (setsHorizon) {
            rewritten.deleteHorizonMillis(nowMillis + deleteRetentionMillis);
        }
        return RecordBatch.at(rewritten.build(), 0);
    }

    private boolean stays(LogRecord record, RecordBatch batch) {
        if (record.offset() >= mapEnd) {
            return true;
        }
        if (record.offset() < startOffset || record.key() == null) {
            return false;
        }
        if (record.offset() < latest.find(record.key())) {
            return false;
        }
        long horizon = batch.deleteHorizonMillis();
        boolean expired = horizon != RecordBatch.NO_TIMESTAMP && nowMillis >= horizon;
        return record.value() != null || !expired;
    }

    private boolean isRecentOfProducer(RecordBatch batch) {
        return recentOffsets
                .getOrDefault(batch.producerId(), Set.of())
                .contains(batch.lastOffset());
    }
}
