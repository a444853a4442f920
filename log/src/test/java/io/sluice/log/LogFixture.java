package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskException;
import io.sluice.env.FileSlice;
import io.sluice.log.AppendResult.Appended;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.recovery.RecoveryReport;
import io.sluice.log.segment.LogFolder;
import io.sluice.record.BatchBuilder;
import io.sluice.record.BatchReader;
import io.sluice.record.LogRecord;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A log on a [CrashDisk], driven as a shard would: flushes and verifications run at once.
final class LogFixture {
    static final String FOLDER = "topics/orders-0";

    final CrashDisk disk;
    final ManualClock clock = new ManualClock();
    TopicSettings settings;
    PartitionLog log;
    RecoveryReport report;

    LogFixture() {
        this(TopicSettings.defaults());
    }

    LogFixture(TopicSettings settings) {
        this(formatted(), settings, null);
    }

    LogFixture(CrashDisk disk, TopicSettings settings, @Nullable RecoveryPoint known) {
        this.disk = disk;
        this.settings = settings;
        PartitionLog.Opened opened =
                PartitionLog.open(new LogFolder(disk, FOLDER), clock, settings, known);
        log = opened.log();
        report = opened.report();
    }

    private static CrashDisk formatted() {
        CrashDisk disk = new CrashDisk();
        disk.createDirectory("topics");
        disk.syncDirectory("");
        return disk;
    }

    /// The process is gone; what is on disk is opened again.
    LogFixture reopen(@Nullable RecoveryPoint known) {
        return new LogFixture(disk.copy(), settings, known);
    }

    static ByteBuffer batch(String... values) {
        BatchBuilder builder = new BatchBuilder();
        for (String value : values) {
            builder.add(LogRecord.of(ManualClock.START_MILLIS, "key", value));
        }
        return builder.build();
    }

    Appended append(String... values) {
        return append(batch(values));
    }

    Appended append(ByteBuffer bytes) {
        AppendResult result = log.append(bytes, 0);
        assertThat(result).isInstanceOf(Appended.class);
        return (Appended) result;
    }

    void flush() {
        Flush flush = log.beginFlush();
        if (flush == null) {
            return;
        }
        try {
            flush.run();
        } catch (DiskException e) {
            log.failFlush(e);
            return;
        }
        log.completeFlush(flush);
    }

    ReadResult read(long fromOffset, int maxBytes) {
        while (true) {
            ReadResult result = log.read(fromOffset, maxBytes, Long.MAX_VALUE, true);
            if (!(result instanceof ReadResult.NeedsVerification(var task))) {
                return result;
            }
            task.run();
            log.completeVerification(task);
        }
    }

    OffsetLookup.@Nullable Found lookup(long timestamp) {
        return log.lookupNotBefore(timestamp).run();
    }

    /// The values of everything readable from the offset on, across segments.
    List<String> valuesFrom(long offset) {
        List<String> values = new ArrayList<>();
        long next = offset;
        while (read(next, 1 << 20) instanceof ReadResult.Found(FileSlice slice)) {
            for (RecordBatch batch : batches(slice)) {
                for (LogRecord record : RecordReader.readAll(batch)) {
                    if (record.offset() >= offset) {
                        values.add(text(record.value()));
                    }
                }
                next = batch.nextOffset();
            }
            slice.release();
        }
        return values;
    }

    List<String> values() {
        return valuesFrom(log.startOffset());
    }

    static List<RecordBatch> batches(FileSlice slice) {
        List<RecordBatch> batches = new ArrayList<>();
        BatchReader reader = new BatchReader(slice.read());
        for (RecordBatch batch = reader.next(); batch != null; batch = reader.next()) {
            batches.add(batch);
        }
        assertThat(reader.flaw()).isNull();
        return batches;
    }

    static String text(@Nullable ByteBuffer bytes) {
        return bytes == null ? "null" : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    String logFile(long base) {
        return FOLDER + "/" + String.format("%020d.log", base);
    }

    String indexFile(long base) {
        return FOLDER + "/" + String.format("%020d.index", base);
    }
}
