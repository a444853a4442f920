package io.sluice.log;

import io.sluice.log.AppendResult.Reason;
import io.sluice.log.AppendResult.Rejected;
import io.sluice.log.RecordInspection.Finding;
import io.sluice.log.TopicSettings.TimestampType;
import io.sluice.record.BatchReader;
import io.sluice.record.BatchReader.Flaw;
import io.sluice.record.Compression;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides whether what a producer sent may go into the log. First room on the path of an append. Pure, but for one number in a batch that it puts right.
final class BatchValidator {
    private BatchValidator() {}

    /// Takes the bytes apart; every batch must be whole and its checksum right. Adds them to `batches`.
    static @Nullable Rejected read(ByteBuffer bytes, List<RecordBatch> batches) {
        BatchReader reader = new BatchReader(bytes);
        for (RecordBatch batch = reader.next(); batch != null; batch = reader.next()) {
            batches.add(batch);
        }
        Flaw flaw = reader.flaw();
        if (flaw != null) {
            return new Rejected(
                    flaw == Flaw.UNKNOWN_MAGIC ? Reason.UNSUPPORTED_FORMAT : Reason.CORRUPT_MESSAGE,
                    "At byte "
                            + (reader.position() - bytes.position())
                            + " of the records "
                            + flaw.sentence()
                            + ".");
        }
        return batches.isEmpty() ? invalid("There are no records.") : null;
    }

    /// Checks what the topic and the protocol demand of a client's batches.
    ///
    /// Their records' timestamps count, and not what the header says of them; where its latest differs, it is overwritten, as Apache Kafka does. Indexes,
    /// retention and lookups by time believe it ever after.
    static @Nullable Rejected check(
            List<RecordBatch> batches, TopicSettings settings, long nowMillis) {
        for (RecordBatch batch : batches) {
            Rejected rejected = check(batch, settings, nowMillis);
            if (rejected != null) {
                return rejected;
            }
            if (batch.producerId() != batches.getFirst().producerId()) {
                return invalid("Batches of different producers were sent together.");
            }
        }
        return null;
    }

    /// Checks that a leader's batches continue a follower's log.
    ///
    /// @param gapsAllowed the leader's log may be compacted
    static @Nullable Rejected checkContinues(
            List<RecordBatch> batches, long endOffset, int leaderEpoch, boolean gapsAllowed) {
        long expected = endOffset;
        int epoch = leaderEpoch;
        for (RecordBatch batch : batches) {
            boolean follows =
                    gapsAllowed ? batch.baseOffset() >= expected : batch.baseOffset() == expected;
            if (!follows
                    || batch.leaderEpoch() < epoch
                    || batch.nextOffset() < batch.baseOffset()) {
                return new Rejected(
                        Reason.OFFSETS_DO_NOT_CONTINUE,
                        "The log ends at offset "
                                + expected
                                + " in epoch "
                                + epoch
                                + ", the batch begins at "
                                + batch.baseOffset()
                                + " in epoch "
                                + batch.leaderEpoch()
                                + ".");
            }
            expected = batch.nextOffset();
            epoch = batch.leaderEpoch();
        }
        return null;
    }

    static @Nullable Rejected checkSize(RecordBatch batch, int maxBytes) {
        return batch.sizeInBytes() <= maxBytes
                ? null
                : new Rejected(
                        Reason.MESSAGE_TOO_LARGE,
                        "The batch has "
                                + batch.sizeInBytes()
                                + " bytes, max.message.bytes of the topic is "
                                + maxBytes
                                + ": send less at once, or raise it.");
    }

    private static @Nullable Rejected check(
            RecordBatch batch, TopicSettings settings, long nowMillis) {
        Rejected rejected = checkSize(batch, settings.messages().maxBytes());
        if (rejected == null) {
            rejected = checkHeader(batch);
        }
        return rejected != null ? rejected : checkRecords(batch, settings, nowMillis);
    }

    private static @Nullable Rejected checkRecords(
            RecordBatch batch, TopicSettings settings, long nowMillis) {
        return switch (RecordInspection.of(batch, settings.compaction().enabled())) {
            case Finding.Flawed(String sentence) -> invalid(sentence);
            case Finding.Excessive(String sentence) ->
                    new Rejected(Reason.MESSAGE_TOO_LARGE, sentence);
            case Finding.Sound(long earliest, long latest) -> {
                Rejected rejected =
                        checkTimestamps(batch, earliest, latest, settings.messages(), nowMillis);
                if (rejected == null && latest != batch.maxTimestamp()) {
                    batch.correctMaxTimestamp(latest);
                }
                yield rejected;
            }
        };
    }

    private static @Nullable Rejected checkHeader(RecordBatch batch) {
        if (batch.recordCount() == 0 || batch.recordCount() - 1 != batch.lastOffsetDelta()) {
            return invalid(
                    "The batch claims "
                            + batch.recordCount()
                            + " records and a last offset delta of "
                            + batch.lastOffsetDelta()
                            + ".");
        }
        if (batch.compressionId() > Compression.ZSTD.id()) {
            return new Rejected(
                    Reason.UNSUPPORTED_COMPRESSION,
                    "Compression " + batch.compressionId() + " is unknown; known are 0 to 4.");
        }
        if (batch.isControl()) {
            return invalid("Control batches are written by the broker only.");
        }
        if (batch.deleteHorizonMillis() != RecordBatch.NO_TIMESTAMP) {
            return invalid("A delete horizon is set by compaction only.");
        }
        if (batch.isTransactional()) {
            return invalid("This broker has no transactions; send without a transactional.id.");
        }
        boolean incomplete =
                batch.producerId() < 0 || batch.producerEpoch() < 0 || batch.baseSequence() < 0;
        return batch.hasProducerId() && incomplete
                ? invalid("A batch with a producer id needs an epoch and a sequence number.")
                : null;
    }

    private static @Nullable Rejected checkTimestamps(
            RecordBatch batch,
            long earliest,
            long latest,
            TopicSettings.Messages settings,
            long nowMillis) {
        if (settings.timestampType() == TimestampType.LOG_APPEND_TIME) {
            return null; // Overwritten.
        }
        if (batch.hasAppendTime()) {
            return new Rejected(
                    Reason.INVALID_TIMESTAMP,
                    "A producer must not set the timestamp type LogAppendTime.");
        }
        if (latest > nowMillis && latest - nowMillis > settings.timestampAfterMaxMillis()) {
            return outside(latest, nowMillis, "after", settings.timestampAfterMaxMillis());
        }
        // The difference to a time before the beginning of all times is beyond what a number holds.
        long age = earliest < nowMillis ? nowMillis - earliest : 0;
        if (age < 0 || age > settings.timestampBeforeMaxMillis()) {
            return outside(earliest, nowMillis, "before", settings.timestampBeforeMaxMillis());
        }
        return null;
    }

    private static Rejected outside(long timestamp, long now, String side, long limitMillis) {
        return new Rejected(
                Reason.INVALID_TIMESTAMP,
                "The timestamp "
                        + timestamp
                        + " lies more than "
                        + limitMillis
                        + " ms "
                        + side
                        + " the broker's time "
                        + now
                        + " (message.timestamp."
                        + side
                        + ".max.ms).");
    }

    private static Rejected invalid(String sentence) {
        return new Rejected(Reason.INVALID_RECORD, sentence);
    }
}
