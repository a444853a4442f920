package io.sluice.simulation.log;

import io.sluice.env.Clock;
import io.sluice.log.PartitionLog;
import io.sluice.log.TopicSettings;
import io.sluice.record.LogRecord;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// In a compacted log a record is missing only when a later one has the same key, or when it is an old tombstone; offsets ascend.
record CompactionKeepsTheLatest(LogModel model, TopicSettings.Compaction settings, Clock clock)
        implements LogInvariant {
    /// The scenario sets the wall clock back by at most this much.
    private static final long CLOCK_SLACK_MILLIS = 3_600_000;

    @Override
    public void served(long fromOffset, List<RecordBatch> batches) {
        require(
                batches.getFirst().nextOffset() > fromOffset,
                "asked for " + fromOffset + ", got " + batches.getFirst());
        for (int i = 1; i < batches.size(); i++) {
            require(
                    batches.get(i).baseOffset() >= batches.get(i - 1).nextOffset(),
                    batches.get(i) + " follows " + batches.get(i - 1));
        }
    }

    @Override
    public void audited(PartitionLog log, List<RecordBatch> batches) {
        Set<Long> present = new HashSet<>();
        for (RecordBatch batch : batches) {
            RecordReader.open(batch).forEachRemaining(record -> present.add(record.offset()));
        }
        Map<ByteBuffer, Long> latest = new HashMap<>();
        for (ModelBatch batch : model.batches()) {
            for (LogRecord record : batch.records()) {
                latest.put(record.key(), record.offset());
            }
        }
        for (ModelBatch batch : model.batches()) {
            if (batch.nextOffset() > log.startOffset()
                    && !model.isDamaged(log, batch.baseOffset())) {
                for (LogRecord record : batch.records()) {
                    boolean mayBeMissing =
                            record.offset() < model.highestStart()
                                    || isSuperseded(record, latest)
                                    || isOldTombstone(record);
                    require(
                            mayBeMissing || present.contains(record.offset()),
                            "offset " + record.offset() + " of " + log + " is missing");
                }
            }
        }
    }

    private boolean isSuperseded(LogRecord record, Map<ByteBuffer, Long> latest) {
        Long last = latest.get(record.key());
        boolean young =
                settings.minLagMillis() > CLOCK_SLACK_MILLIS
                        && clock.wallMillis() - record.timestamp()
                                < settings.minLagMillis() - CLOCK_SLACK_MILLIS;
        return !young && last != null && last > record.offset();
    }

    private boolean isOldTombstone(LogRecord record) {
        return record.value() == null
                && clock.wallMillis() + CLOCK_SLACK_MILLIS - record.timestamp()
                        >= settings.deleteRetentionMillis();
    }
}
