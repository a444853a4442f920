package io.sluice.kafka.wire;

import io.sluice.record.Records;
import java.nio.ByteBuffer;

/// A stretch of an encoded frame: bytes at hand, or a range of a file that need not pass through memory.
///
/// Immutable; the consumer of the parts releases the records in them.
public sealed interface WirePart {
    int sizeInBytes();

    /// Bytes between position and limit of the buffer.
    record Bytes(ByteBuffer buffer) implements WirePart {
        @Override
        public int sizeInBytes() {
            return buffer.remaining();
        }
    }

    /// Records that lie in the log, to be sent as they are.
    record Stored(Records.Stored records) implements WirePart {
        @Override
        public int sizeInBytes() {
            return records.sizeInBytes();
        }
    }
}
