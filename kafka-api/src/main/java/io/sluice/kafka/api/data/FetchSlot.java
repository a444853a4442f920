package io.sluice.kafka.api.data;

import io.sluice.controller.PartitionPlan;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchResponse.EpochEndOffset;
import io.sluice.log.TopicSettings;
import io.sluice.partition.Partition;
import io.sluice.partition.Partition.Wait;
import io.sluice.partition.Unavailable;
import io.sluice.record.Records;
import org.jspecify.annotations.Nullable;

/// One partition's place in a fetch under way: where to read, and what was found. Owned by its connection.
///
/// Consumers read what is committed ([ConsumerSlot]), followers all there is ([ReplicaSlot]).
abstract class FetchSlot {
    private static final EpochEndOffset NOT_DIVERGING = EpochEndOffset.builder().build();

    private final FetchTarget target;
    private final String topic;
    private final @Nullable Partition partition;
    private ErrorCode error;
    private @Nullable Records records;
    private long highWatermark = -1;
    private long startOffset = -1;

    FetchSlot(FetchTarget target, String topic, @Nullable Partition partition, ErrorCode error) {
        this.target = target;
        this.topic = topic;
        this.partition = partition;
        this.error = error;
    }

    static FetchSlot refused(FetchTarget target, String topic, ErrorCode error) {
        return new FetchSlot(target, topic, null, error) {
            @Override
            boolean isWorthReading() {
                return false;
            }

            @Override
            Reply<?> read(int maxBytes, boolean atLeastOneBatch, Mailbox home) {
                throw new IllegalStateException("there is nothing to read of " + topic);
            }

            @Override
            Wait await(Mailbox home, Runnable wake) {
                return () -> {};
            }
        };
    }

    /// False when nothing can be there, as far as one can tell without asking the owner.
    abstract boolean isWorthReading();

    /// Reads, and keeps what was found.
    abstract Reply<?> read(int maxBytes, boolean atLeastOneBatch, Mailbox home);

    /// Wakes when another look is worth while.
    abstract Wait await(Mailbox home, Runnable wake);

    /// There is something to say that should not wait for records.
    boolean isUrgent() {
        return error != ErrorCode.NONE;
    }

    /// It was refused with the same words just before, and the client did not wait for anything. Kafka's consumers do not, for as long as what they know of the cluster has not changed.
    boolean isRefusedAgain() {
        return error != ErrorCode.NONE && target.isRefusedAlready(error);
    }

    /// Where the follower's history leaves the leader's.
    EpochEndOffset diverging() {
        return NOT_DIVERGING;
    }

    /// Another replica that the client should read from, or -1.
    int preferredReplica() {
        return PartitionPlan.NONE;
    }

    FetchTarget target() {
        return target;
    }

    /// Its name, also where the client says an id; empty when there is no such topic.
    String topic() {
        return topic;
    }

    @Nullable Partition partition() {
        return partition;
    }

    boolean favoursThroughput() {
        return partition == null || partition.profile() == TopicSettings.Profile.THROUGHPUT;
    }

    ErrorCode error() {
        return error;
    }

    void found(Records taken, long start, long watermark) {
        records = taken;
        startOffset = start;
        highWatermark = watermark;
    }

    void outOfRange(long start, long watermark) {
        error = ErrorCode.OFFSET_OUT_OF_RANGE;
        startOffset = start;
        highWatermark = watermark;
    }

    void failed(Unavailable why) {
        error = DataErrors.codeOf(why);
    }

    void refuse(ErrorCode why) {
        drop();
        error = why;
    }

    void damaged() {
        error = ErrorCode.KAFKA_STORAGE_ERROR;
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

    /// As it was read, or -1: what lies behind it is new.
    long highWatermarkRead() {
        return highWatermark;
    }

    long startOffset() {
        return partition != null && startOffset < 0 ? partition.startOffsetSeen() : startOffset;
    }
}
