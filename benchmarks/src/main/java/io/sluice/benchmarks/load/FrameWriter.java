package io.sluice.benchmarks.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Writes the primitive types of the Kafka protocol into a growing buffer; the size of the frame comes first and is filled in at the end.
///
/// Owned by the method that builds a frame with it.
final class FrameWriter {
    private static final String CLIENT_ID = "sluice-bench";

    private ByteBuffer buffer = ByteBuffer.allocate(512).putInt(0);

    /// Starts a request with header version 1, or 2 when the API's version is a flexible one (KIP-482).
    static FrameWriter request(int apiKey, int apiVersion, boolean flexible) {
        FrameWriter writer =
                new FrameWriter().int16(apiKey).int16(apiVersion).int32(0).string(CLIENT_ID);
        return flexible ? writer.noTags() : writer;
    }

    FrameWriter int8(int value) {
        return grownBy(1, b -> b.put((byte) value));
    }

    FrameWriter int16(int value) {
        return grownBy(2, b -> b.putShort((short) value));
    }

    FrameWriter int32(int value) {
        return grownBy(4, b -> b.putInt(value));
    }

    FrameWriter int64(long value) {
        return grownBy(8, b -> b.putLong(value));
    }

    FrameWriter string(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return int16(bytes.length).bytes(bytes);
    }

    FrameWriter compactString(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return unsignedVarint(bytes.length + 1).bytes(bytes);
    }

    FrameWriter compactBytes(byte[] value) {
        return unsignedVarint(value.length + 1).bytes(value);
    }

    /// The count of a flexible array that has this many elements.
    FrameWriter compactCount(int elements) {
        return unsignedVarint(elements + 1);
    }

    /// The zero that stands for null in front of a compact string or array.
    FrameWriter compactNull() {
        return unsignedVarint(0);
    }

    FrameWriter noTags() {
        return unsignedVarint(0);
    }

    FrameWriter bytes(byte[] value) {
        return grownBy(value.length, b -> b.put(value));
    }

    private FrameWriter unsignedVarint(int value) {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            int8((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        return int8(rest);
    }

    private FrameWriter grownBy(int length, java.util.function.Consumer<ByteBuffer> write) {
        if (buffer.remaining() < length) {
            int capacity = Math.max(buffer.capacity() * 2, buffer.position() + length);
            buffer = ByteBuffer.allocate(capacity).put(buffer.flip());
        }
        write.accept(buffer);
        return this;
    }

    /// The finished frame in memory that the kernel can read without a copy.
    ByteBuffer frame() {
        buffer.putInt(0, buffer.position() - Integer.BYTES);
        return ByteBuffer.allocateDirect(buffer.position()).put(buffer.flip()).flip();
    }
}
