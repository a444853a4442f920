package io.sluice.simulation.log;

import io.sluice.log.OffsetLookup;
import io.sluice.record.LogRecord;
import org.jspecify.annotations.Nullable;

/// A look-up by time finds the first record that is not older.
record LookupsFindTheFirst(LogModel model) implements LogInvariant {
    /// @param end the log's end when the look-up was made
    void found(long timestamp, long start, long end, OffsetLookup.@Nullable Found found) {
        LogRecord expected = first(timestamp, start, end);
        require(
                expected == null
                        ? found == null
                        : found != null
                                && found.offset() == expected.offset()
                                && found.timestamp() == expected.timestamp(),
                "looked for " + timestamp + ", found " + found + " instead of " + expected);
    }

    private @Nullable LogRecord first(long timestamp, long start, long end) {
        for (ModelBatch batch : model.batches()) {
            if (batch.nextOffset() <= start
                    || batch.baseOffset() >= end
                    || batch.header().maxTimestamp() < timestamp) {
                continue;
            }
            for (LogRecord record : batch.records()) {
                if (record.offset() >= start && record.timestamp() >= timestamp) {
                    return record;
                }
            }
        }
        return null;
    }
}
