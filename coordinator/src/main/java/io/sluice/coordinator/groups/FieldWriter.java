package io.sluice.coordinator.groups;

import io.sluice.record.Invariant;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Writes the field types of Kafka's record schemas. Owned by its creator.
final class FieldWriter {
    private byte[] bytes = new byte[128];
    private int size;

    FieldWriter int16(int value) {
        need(2);
        bytes[size++] = (byte) (value >> 8);
        bytes[size++] = (byte) value;
        return this;
    }

    FieldWriter int32(int value) {
        return int16(value >> 16).int16(value);
    }

    FieldWriter int64(long value) {
        return int32((int) (value >> 32)).int32((int) value);
    }

    /// Length in two bytes, -1 for null.
    FieldWriter string(@Nullable String text) {
        if (text == null) {
            return int16(-1);
        }
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        Invariant.check(encoded.length <= Short.MAX_VALUE, "a text too long for its length field");
        return int16(encoded.length).raw(encoded);
    }

    /// Length in four bytes.
    FieldWriter blob(Blob blob) {
        byte[] copy = new byte[blob.size()];
        blob.buffer().get(copy);
        return int32(copy.length).raw(copy);
    }

    /// Length plus one as a varint.
    FieldWriter compactString(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        return unsignedVarint(encoded.length + 1).raw(encoded);
    }

    FieldWriter unsignedVarint(int value) {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            int8(rest | 0x80);
            rest >>>= 7;
        }
        return int8(rest);
    }

    ByteBuffer finish() {
        return ByteBuffer.wrap(bytes, 0, size).slice();
    }

    private FieldWriter int8(int value) {
        need(1);
        bytes[size++] = (byte) value;
        return this;
    }

    private FieldWriter raw(byte[] more) {
        need(more.length);
        System.arraycopy(more, 0, bytes, size, more.length);
        size += more.length;
        return this;
    }

    private void need(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }
}
