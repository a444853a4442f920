package io.sluice.kafka.api.data;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchResponse.EpochEndOffset;
import io.sluice.partition.Partition;
import io.sluice.partition.Partition.Wait;
import io.sluice.partition.ReplicaFetch;
import io.sluice.partition.ReplicaReadOutcome;
import io.sluice.record.Records;

/// What a follower copies of one partition: all there is, committed or not. Asking tells the leader what is safe there. Owned by its connection.
final class ReplicaSlot extends FetchSlot {
    private final Partition partition;
    private final FetchedBy.Replica replica;
    private final boolean tellsWatermark;
    private EpochEndOffset diverging = super.diverging();

    /// @param tellsWatermark the follower is to hear of a new watermark at once, since clients read from it
    ReplicaSlot(
            FetchTarget target,
            String topic,
            Partition partition,
            FetchedBy.Replica replica,
            boolean tellsWatermark) {
        super(target, topic, partition, ErrorCode.NONE);
        this.partition = partition;
        this.replica = replica;
        this.tellsWatermark = tellsWatermark;
    }

    /// The leader has to hear of it, whether there is anything to read or not.
    @Override
    boolean isWorthReading() {
        return error() == ErrorCode.NONE;
    }

    @Override
    Reply<?> read(int maxBytes, boolean atLeastOneBatch, Mailbox home) {
        ReplicaFetch fetch =
                new ReplicaFetch(
                        replica.broker(),
                        replica.epoch(),
                        target().leaderEpoch(),
                        target().fetchOffset(),
                        target().lastFetchedEpoch(),
                        maxBytes,
                        atLeastOneBatch);
        return partition.readAsReplica(fetch, home).map(this::take);
    }

    private boolean take(ReplicaReadOutcome outcome) {
        switch (outcome) {
            case ReplicaReadOutcome.Found(Records records, long start, long watermark) ->
                    found(records, start, watermark);
            case ReplicaReadOutcome.Diverged(int epoch, long end, long start, long watermark) -> {
                diverging = new EpochEndOffset(epoch, end);
                found(Records.EMPTY, start, watermark);
            }
            case ReplicaReadOutcome.OutOfRange(long start, long end) -> outOfRange(start, end);
            case ReplicaReadOutcome.Failed(var why, _) -> failed(why);
        }
        return true;
    }

    @Override
    Wait await(Mailbox home, Runnable wake) {
        return partition.awaitAsReplica(
                target().fetchOffset(),
                tellsWatermark ? highWatermark() : Long.MAX_VALUE,
                home,
                wake);
    }

    @Override
    boolean isUrgent() {
        return super.isUrgent()
                || diverging.epoch() >= 0
                || (tellsWatermark && target().isNewWatermark(highWatermark()));
    }

    /// Followers wait by themselves.
    @Override
    boolean isRefusedAgain() {
        return false;
    }

    @Override
    EpochEndOffset diverging() {
        return diverging;
    }
}
