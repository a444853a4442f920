package io.sluice.partition;

import io.sluice.record.Invariant;
import java.util.ArrayDeque;

/// A leader's view of one partition: what is in its log, what is durable, what may be read, who waits for an ack.
///
/// The high watermark is the end of what consumers may read. It follows the acks: a batch sent with `acks=all` becomes readable when it is
/// durable, one sent with less as soon as it is in the log; so nobody reads a record that its producer could still be told was lost.
/// It never retreats. Alone in its in-sync set (one node), the leader's own progress is everybody's.
///
/// Owned by its shard. Pure: time, disk and replies are the driver's.
final class LeaderRole {
    private final ArrayDeque<PendingAck> waiting = new ArrayDeque<>();
    private long endOffset;
    private long durableOffset;
    private long highWatermark;

    /// Everything found at start has survived: it is durable and readable.
    LeaderRole(long endOffset, long durableOffset) {
        this.endOffset = endOffset;
        this.durableOffset = durableOffset;
        this.highWatermark = endOffset;
    }

    /// A producer that waits until everything below the offset is durable.
    private record PendingAck(long offset, AckListener listener) {}

    /// Told once: true when durable, false when it will never be known.
    interface AckListener {
        void onSettled(boolean durable);
    }

    /// A batch is in the log, ending at this offset, and its producer waits for no more.
    void appended(long newEndOffset) {
        extend(newEndOffset);
        highWatermark = endOffset;
    }

    /// A batch is in the log, and its producer waits for its durability.
    void appendedAwaitingDurability(long newEndOffset, AckListener listener) {
        extend(newEndOffset);
        await(newEndOffset, listener);
    }

    /// Somebody waits for a batch that is in the log already: the same batch was sent again.
    void await(long offset, AckListener listener) {
        if (offset <= durableOffset) {
            listener.onSettled(true);
        } else {
            waiting.add(new PendingAck(offset, listener));
        }
    }

    private void extend(long newEndOffset) {
        Invariant.check(
                newEndOffset >= endOffset, "the log's end went back", endOffset, newEndOffset);
        endOffset = newEndOffset;
    }

    /// An fsync came back. Settles those who waited for it, in order.
    void flushed(long upTo) {
        Invariant.check(upTo <= endOffset, "durable beyond the log's end", endOffset, upTo);
        durableOffset = Math.max(durableOffset, upTo);
        highWatermark = Math.max(highWatermark, durableOffset);
        for (PendingAck first = waiting.peek();
                first != null && first.offset() <= durableOffset;
                first = waiting.peek()) {
            waiting.poll();
            first.listener().onSettled(true);
        }
    }

    /// The disk failed: nobody who waits will get an ack.
    void failed() {
        for (PendingAck one = waiting.poll(); one != null; one = waiting.poll()) {
            one.listener().onSettled(false);
        }
    }

    long endOffset() {
        return endOffset;
    }

    long durableOffset() {
        return durableOffset;
    }

    long highWatermark() {
        return highWatermark;
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }
}
