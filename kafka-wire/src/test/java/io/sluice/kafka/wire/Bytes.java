package io.sluice.kafka.wire;

import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/// What came out of a writer, put together.
final class Bytes {
    private Bytes() {}

    static byte[] of(WireWriter out) {
        ByteBuffer all = ByteBuffer.allocate(out.sizeInBytes());
        for (WirePart part : out.parts()) {
            switch (part) {
                case WirePart.Bytes(ByteBuffer buffer) -> all.put(buffer.duplicate());
                case WirePart.Stored(Records.Stored stored) ->
                        all.put(((StoredBytes) stored).bytes().duplicate());
            }
        }
        if (all.hasRemaining()) {
            throw new AssertionError("parts are shorter than sizeInBytes by " + all.remaining());
        }
        return all.array();
    }

    static String hex(byte[] bytes) {
        return HexFormat.ofDelimiter(" ").formatHex(bytes);
    }

    /// Stands for a range of a file.
    record StoredBytes(ByteBuffer bytes) implements Records.Stored {
        @Override
        public int sizeInBytes() {
            return bytes.remaining();
        }

        @Override
        public void release() {}
    }
}
