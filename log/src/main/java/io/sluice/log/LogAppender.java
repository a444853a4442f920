package io.sluice.log;

import io.sluice.env.Clock;
import io.sluice.log.AppendResult.Appended;
import io.sluice.log.AppendResult.Duplicate;
import io.sluice.log.AppendResult.DuplicateOfOld;
import io.sluice.log.AppendResult.Reason;
import io.sluice.log.AppendResult.Rejected;
import io.sluice.log.producer.ProducerLedger;
import io.sluice.log.producer.ProducerVerdict;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.log.state.LogSnapshot;
import io.sluice.record.Compression;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Leads batches into the log: validated, checked against their producer, given offset and epoch, written, remembered. Owned by its shard.
final class LogAppender {
    private final Clock clock;
    private final LogWriter writer;
    private final ProducerLedger ledger;
    private final LeaderEpochs epochs;

    LogAppender(Clock clock, LogWriter writer, ProducerLedger ledger, LeaderEpochs epochs) {
        this.clock = clock;
        this.writer = writer;
        this.ledger = ledger;
        this.epochs = epochs;
    }

    /// @param leaderEpoch not taken when it is older than the log's: epochs never go back (KIP-101)
    AppendResult append(ByteBuffer bytes, int leaderEpoch, TopicSettings settings, long logStart) {
        long nowMillis = clock.wallMillis();
        int epoch = Math.max(leaderEpoch, epochs.latest());
        List<RecordBatch> batches = new ArrayList<>(1);
        Rejected rejected = BatchValidator.read(bytes, batches);
        if (rejected == null) {
            rejected = BatchValidator.check(batches, settings, nowMillis);
        }
        if (rejected != null) {
            return rejected;
        }
        return switch (ledger.check(batches)) {
            case ProducerVerdict.InOrder() ->
                    appendChecked(bytes, batches, new Target(epoch, nowMillis, settings, logStart));
            case ProducerVerdict.AlreadyAppended(long baseOffset, long nextOffset) ->
                    new Duplicate(baseOffset, nextOffset, -1, logStart);
            case ProducerVerdict.AppendedLongAgo(long nextOffset, String sentence) ->
                    new DuplicateOfOld(nextOffset, sentence);
            case ProducerVerdict.Refused(ProducerVerdict.Cause cause, String sentence) ->
                    new Rejected(reason(cause), sentence);
        };
    }

    /// What all batches of a call share.
    private record Target(
            int leaderEpoch, long nowMillis, TopicSettings settings, long logStartOffset) {}

    private AppendResult appendChecked(ByteBuffer bytes, List<RecordBatch> batches, Target target) {
        TopicSettings.Messages messages = target.settings().messages();
        Compression compression = messages.compression().target();
        if (compression != null && Recompression.isNeeded(batches, compression)) {
            return appendRecompressed(batches, compression, target);
        }
        boolean stamp = messages.timestampType() == TopicSettings.TimestampType.LOG_APPEND_TIME;
        long baseOffset = writer.endOffset();
        long nextOffset = baseOffset;
        for (RecordBatch batch : batches) {
            batch.assign(nextOffset, target.leaderEpoch());
            if (stamp) {
                batch.stampAppendTime(target.nowMillis());
            }
            nextOffset = batch.nextOffset();
        }
        Rejected rejected = write(bytes, batches, target.nowMillis(), target.settings());
        return rejected != null
                ? rejected
                : new Appended(
                        baseOffset,
                        nextOffset,
                        stamp ? target.nowMillis() : RecordBatch.NO_TIMESTAMP,
                        target.logStartOffset());
    }

    private AppendResult appendRecompressed(
            List<RecordBatch> batches, Compression compression, Target target) {
        List<RecordBatch> rewritten = new ArrayList<>(batches.size());
        try {
            ByteBuffer bytes = Recompression.apply(batches, compression);
            Rejected rejected = BatchValidator.read(bytes, rewritten);
            int maxBytes = target.settings().messages().maxBytes();
            for (int i = 0; i < rewritten.size() && rejected == null; i++) {
                rejected = BatchValidator.checkSize(rewritten.get(i), maxBytes);
            }
            return rejected != null ? rejected : appendChecked(bytes, rewritten, target);
        } catch (MalformedBatch e) {
            return new Rejected(Reason.INVALID_RECORD, String.valueOf(e.getMessage()));
        }
    }

    AppendResult appendAsFollower(ByteBuffer bytes, TopicSettings settings, long logStart) {
        List<RecordBatch> batches = new ArrayList<>();
        Rejected rejected = BatchValidator.read(bytes, batches);
        if (rejected == null) {
            rejected =
                    BatchValidator.checkContinues(
                            batches,
                            writer.endOffset(),
                            epochs.latest(),
                            settings.compaction().enabled());
        }
        if (rejected == null) {
            rejected = write(bytes, batches, clock.wallMillis(), settings);
        }
        return rejected != null
                ? rejected
                : new Appended(
                        batches.getFirst().baseOffset(),
                        writer.endOffset(),
                        RecordBatch.NO_TIMESTAMP,
                        logStart);
    }

    private @Nullable Rejected write(
            ByteBuffer bytes, List<RecordBatch> batches, long nowMillis, TopicSettings settings) {
        Rejected rejected = writer.write(bytes, batches, nowMillis, settings, this::snapshot);
        if (rejected == null) {
            for (RecordBatch batch : batches) {
                ledger.record(batch, nowMillis);
                epochs.note(batch.leaderEpoch(), batch.baseOffset());
            }
        }
        return rejected;
    }

    /// The state at the log's present end.
    LogSnapshot snapshot() {
        return new LogSnapshot(writer.endOffset(), epochs.entries(), ledger.describe());
    }

    private static Reason reason(ProducerVerdict.Cause cause) {
        return switch (cause) {
            case OUT_OF_ORDER -> Reason.OUT_OF_ORDER_SEQUENCE;
            case STALE_EPOCH -> Reason.STALE_PRODUCER_EPOCH;
        };
    }
}
