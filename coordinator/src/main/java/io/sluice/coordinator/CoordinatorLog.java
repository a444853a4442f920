package io.sluice.coordinator;

import io.sluice.env.Reply;
import java.nio.ByteBuffer;

/// The door to the partition that remembers a machine: one leadership of it, from its first epoch to its loss.
///
/// Owned by the partition's shard; every reply completes there. All that the leader's log holds is read, committed or not yet: it was acknowledged
/// by an earlier leader, or whoever sent it has heard nothing. After the loss of leadership it is never used again: another is opened.
public interface CoordinatorLog {
    /// Appends one batch, or refuses it at once. Offset and epoch are written into the batch.
    ///
    /// Two moments: *accepted*, the order is fixed and later commands may build on it; *committed*, it will not be lost.
    Append append(ByteBuffer batch);

    /// The first offset there is.
    long startOffset();

    /// Whole batches, the first of them holding `fromOffset` or the next offset after it; empty at the end of the log.
    /// The buffer is valid until the next read.
    Reply<ByteBuffer> read(long fromOffset, int maxBytes);

    /// Called once when the leadership is lost, at once when it is already. What is not committed then may be lost.
    Watch onLoss(Runnable listener);

    /// A wish to hear of the loss; given up by whoever ends before it. Giving it up again does nothing.
    interface Watch {
        void cancel();
    }

    /// A place in the log under one leader. An offset alone says nothing: after a change of leader another batch may stand there (KAFKA-20634).
    record Position(int leaderEpoch, long lastOffset) {}

    /// How an append went.
    sealed interface Append {
        /// @param committed completes with the same position; fails when the batch may be lost, by a change of leader or a dead disk
        record Accepted(Position position, Reply<Position> committed) implements Append {}

        /// Nothing was written.
        record Refused(Unavailability cause) implements Append {}
    }
}
