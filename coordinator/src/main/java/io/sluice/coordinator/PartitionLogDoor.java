package io.sluice.coordinator;

import io.sluice.env.FileSlice;
import io.sluice.env.Reply;
import io.sluice.log.AppendResult;
import io.sluice.partition.AppendOutcome;
import io.sluice.partition.LocalPartition;
import io.sluice.partition.ReadOutcome;
import io.sluice.partition.Unavailable;
import io.sluice.record.Records;
import java.nio.ByteBuffer;

/// A partition of this broker as the log of a coordinator: its records take the same path as everybody's.
///
/// Owned by the partition's shard.
public final class PartitionLogDoor implements CoordinatorLog {
    private final LocalPartition partition;

    public PartitionLogDoor(LocalPartition partition) {
        this.partition = partition;
    }

    @Override
    public Append append(ByteBuffer batch) {
        Reply<AppendOutcome> settled = new Reply<>();
        partition.append(batch, settled::complete);
        Position position = new Position(partition.leaderEpoch(), partition.endOffset() - 1);
        if (settled.isDone() && !(settled.value() instanceof AppendOutcome.Acknowledged)) {
            return new Append.Refused(causeOf(settled.value()));
        }
        return new Append.Accepted(
                position,
                settled.flatMap(
                        outcome ->
                                outcome instanceof AppendOutcome.Acknowledged
                                        ? Reply.of(position)
                                        : Reply.failed(
                                                new IllegalStateException(
                                                        String.valueOf(outcome)))));
    }

    private static Unavailability causeOf(AppendOutcome outcome) {
        return switch (outcome) {
            case AppendOutcome.Rejected(AppendResult.Reason reason, _) ->
                    switch (reason) {
                        case DISK_FULL -> Unavailability.LOG_FULL;
                        case MESSAGE_TOO_LARGE -> Unavailability.TOO_LARGE;
                        default -> Unavailability.LOG_OFFLINE;
                    };
            case AppendOutcome.Failed(var why, _) -> causeOf(why);
            case AppendOutcome.Acknowledged _ ->
                    throw new IllegalArgumentException("not a refusal: " + outcome);
        };
    }

    /// What a partition's refusal means to a coordinator.
    public static Unavailability causeOf(Unavailable why) {
        return switch (why) {
            case NOT_HERE,
                    NOT_LEADER,
                    FENCED_LEADER_EPOCH,
                    UNKNOWN_LEADER_EPOCH,
                    STALE_BROKER_EPOCH ->
                    Unavailability.NOT_LEADER;
            case OFFLINE -> Unavailability.LOG_OFFLINE;
            case NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, TIMED_OUT ->
                    Unavailability.NOT_ENOUGH_REPLICAS;
        };
    }

    @Override
    public long startOffset() {
        return partition.startOffset();
    }

    @Override
    public Reply<ByteBuffer> read(long fromOffset, int maxBytes) {
        Reply<ByteBuffer> reply = new Reply<>();
        partition.read(
                Math.max(fromOffset, partition.startOffset()),
                maxBytes,
                outcome -> {
                    switch (outcome) {
                        case ReadOutcome.Found(Records records, _, _) ->
                                reply.complete(bytesOf(records));
                        case ReadOutcome.OutOfRange _,
                                ReadOutcome.Damaged _,
                                ReadOutcome.Failed _ ->
                                reply.fail(new IllegalStateException(String.valueOf(outcome)));
                    }
                });
        return reply;
    }

    @Override
    public Watch onLoss(Runnable listener) {
        return partition.onEnd(listener)::cancel;
    }

    private static ByteBuffer bytesOf(Records records) {
        return switch (records) {
            case Records.InMemory(ByteBuffer buffer) -> buffer;
            case Records.Stored stored -> {
                try {
                    yield ((FileSlice) stored).read();
                } finally {
                    stored.release();
                }
            }
        };
    }
}
