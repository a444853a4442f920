package io.sluice.kafka.api.data;

import io.sluice.controller.ClusterView;
import io.sluice.controller.TopicPlan;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.ReadOutcome;
import io.sluice.record.PartitionId;
import io.sluice.record.Records;
import org.jspecify.annotations.Nullable;

/// One partition's place in a fetch under way: where to read, and what was found. Owned by its connection.
final class FetchSlot {
    private static final short BY_TOPIC_ID = 13;

    private final FetchTarget target;
    private final @Nullable Partition partition;
    private ErrorCode error;
    private @Nullable Records records;
    private long highWatermark = -1;
    private long startOffset = -1;

    private FetchSlot(FetchTarget target, @Nullable Partition partition, ErrorCode error) {
        this.target = target;
        this.partition = partition;
        this.error = error;
    }

    static FetchSlot of(
            FetchTarget target, short version, PartitionDirectory partitions, ClusterView view) {
        String topic = target.topic();
        if (version >= BY_TOPIC_ID) {
            TopicPlan plan = view.findTopic(target.topicId());
            if (plan == null) {
                return new FetchSlot(target, null, ErrorCode.UNKNOWN_TOPIC_ID);
            }
            topic = plan.name();
        }
        Partition partition = partitions.find(new PartitionId(topic, target.partition()));
        if (partition == null) {
            return new FetchSlot(target, null, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        }
        return new FetchSlot(
                target,
                partition,
                LeaderEpochs.check(target.leaderEpoch(), partition.leaderEpoch()));
    }

    FetchTarget target() {
        return target;
    }

    @Nullable Partition partition() {
        return partition;
    }

    ErrorCode error() {
        return error;
    }

    boolean isReadable() {
        return partition != null && error == ErrorCode.NONE;
    }

    /// Nothing can be there, as far as one can tell without asking the owner.
    boolean isCaughtUp() {
        Partition from = partition;
        return from != null && from.isCaughtUpAt(target.fetchOffset());
    }

    void take(ReadOutcome outcome) {
        switch (outcome) {
            case ReadOutcome.Found(Records found, long start, long watermark) -> {
                records = found;
                startOffset = start;
                highWatermark = watermark;
            }
            case ReadOutcome.OutOfRange(long start, long watermark) -> {
                error = ErrorCode.OFFSET_OUT_OF_RANGE;
                startOffset = start;
                highWatermark = watermark;
            }
            case ReadOutcome.Damaged _ -> error = ErrorCode.KAFKA_STORAGE_ERROR;
            case ReadOutcome.Failed(var why, _) -> error = DataErrors.codeOf(why);
        }
    }

    /// A bug kept the partition from answering.
    void fail() {
        error = ErrorCode.UNKNOWN_SERVER_ERROR;
    }

    /// Gives back what was read, to read again.
    void drop() {
        if (records != null) {
            records.release();
            records = null;
        }
    }

    /// Whatever moves the watermark beyond this is worth another look.
    long newsAfter() {
        return Math.max(target.fetchOffset(), highWatermark);
    }

    int sizeInBytes() {
        return records == null ? 0 : records.sizeInBytes();
    }

    Records records() {
        return records == null ? Records.EMPTY : records;
    }

    long highWatermark() {
        return partition != null && highWatermark < 0
                ? partition.highWatermarkSeen()
                : highWatermark;
    }

    long startOffset() {
        return partition != null && startOffset < 0 ? partition.startOffsetSeen() : startOffset;
    }
}
