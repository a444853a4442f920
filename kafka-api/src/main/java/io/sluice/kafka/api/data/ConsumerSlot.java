package io.sluice.kafka.api.data;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.partition.Partition;
import io.sluice.partition.Partition.Wait;
import io.sluice.partition.ReadFrom;
import io.sluice.partition.ReadOutcome;
import io.sluice.record.Records;

/// What a client reads of one partition: committed records, from this replica or, if one is nearer, from another. Owned by its connection.
final class ConsumerSlot extends FetchSlot {
    private final Partition partition;
    private final ReadFrom from;
    private final int nearer;

    /// @param nearer a replica that the client should ask instead, or -1
    ConsumerSlot(
            FetchTarget target, String topic, Partition partition, boolean nearest, int nearer) {
        super(target, topic, partition, ErrorCode.NONE);
        this.partition = partition;
        this.from = nearest ? ReadFrom.ANY_REPLICA : ReadFrom.LEADER;
        this.nearer = nearer;
    }

    /// Whoever has read to the end of what is known here is sent to ask the others, while nobody says that this broker is still the one to ask: it would wait here for what comes there.
    @Override
    boolean isWorthReading() {
        fence();
        if (target().fetchOffset() == partition.highWatermarkSeen() && partition.isInDoubt()) {
            refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER);
        }
        return error() == ErrorCode.NONE
                && nearer < 0
                && !partition.isCaughtUpAt(target().fetchOffset());
    }

    @Override
    Reply<?> read(int maxBytes, boolean atLeastOneBatch, Mailbox home) {
        return partition
                .read(target().fetchOffset(), maxBytes, atLeastOneBatch, from, home)
                .map(this::take);
    }

    private boolean take(ReadOutcome outcome) {
        switch (outcome) {
            case ReadOutcome.Found(Records records, long start, long watermark) ->
                    found(records, start, watermark);
            case ReadOutcome.OutOfRange(long start, long watermark) -> outOfRange(start, watermark);
            case ReadOutcome.Damaged _ -> damaged();
            case ReadOutcome.Failed(var why, _) -> failed(why);
        }
        fence();
        return true;
    }

    /// A fetch that waits is woken in the next leader's term, which its client has not heard of: what is committed by now may lie behind the end that a leader in between would name for the
    /// client's epoch, so that the client would believe in a loss (KIP-320).
    private void fence() {
        ErrorCode fenced = LeaderEpochs.check(target().leaderEpoch(), partition.leaderEpoch());
        if (fenced != ErrorCode.NONE) {
            refuse(fenced);
        }
    }

    @Override
    Wait await(Mailbox home, Runnable wake) {
        // Not beyond what is published by now: that may have come since this partition was passed
        // over as read to its end.
        return partition.awaitBeyond(
                Math.max(target().fetchOffset(), highWatermarkRead()), home, wake);
    }

    @Override
    boolean isUrgent() {
        return nearer >= 0 || super.isUrgent();
    }

    @Override
    int preferredReplica() {
        return nearer;
    }
}
