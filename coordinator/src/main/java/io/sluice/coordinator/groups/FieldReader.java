package io.sluice.coordinator.groups;

import io.sluice.coordinator.ChangeFormat.MalformedChange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Reads the field types of Kafka's record schemas, with every length checked before it is believed. Owned by its creator.
final class FieldReader {
    private final ByteBuffer in;
    private boolean isFlexible;

    FieldReader(ByteBuffer in) {
        this.in = in.duplicate();
    }

    /// From here on strings, bytes and arrays have varint lengths, and structures end with tagged fields.
    void becomeFlexible() {
        isFlexible = true;
    }

    int int16() {
        need(2);
        return in.getShort();
    }

    int int32() {
        need(4);
        return in.getInt();
    }

    long int64() {
        need(8);
        return in.getLong();
    }

    String string() {
        String text = nullableString();
        if (text == null) {
            throw new MalformedChange("null where a text is required");
        }
        return text;
    }

    @Nullable String nullableString() {
        int length = isFlexible ? unsignedVarint() - 1 : int16();
        if (length < 0) {
            return null;
        }
        return new String(take(length), StandardCharsets.UTF_8);
    }

    Blob blob() {
        int length = isFlexible ? unsignedVarint() - 1 : int32();
        return Blob.copyOf(ByteBuffer.wrap(take(length)));
    }

    int arraySize() {
        int count = isFlexible ? unsignedVarint() - 1 : int32();
        if (count < 0 || count > in.remaining()) {
            throw new MalformedChange(count + " elements in " + in.remaining() + " bytes");
        }
        return count;
    }

    /// The UUID in tagged field 0 if there is one; all others are skipped.
    @Nullable UUID taggedUuid() {
        UUID found = null;
        if (!isFlexible) {
            return null;
        }
        for (int left = unsignedVarint(); left > 0; left--) {
            int tag = unsignedVarint();
            ByteBuffer field = ByteBuffer.wrap(take(unsignedVarint()));
            if (tag == 0 && field.remaining() == 16) {
                found = new UUID(field.getLong(), field.getLong());
            }
        }
        return found;
    }

    void skipTags() {
        taggedUuid();
    }

    private int unsignedVarint() {
        int value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            need(1);
            byte next = in.get();
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedChange("a varint of more than five bytes");
    }

    private byte[] take(int length) {
        if (length < 0) {
            throw new MalformedChange("a length of " + length);
        }
        need(length);
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private void need(int bytes) {
        if (bytes > in.remaining()) {
            throw new MalformedChange(
                    "a field of " + bytes + " bytes where " + in.remaining() + " are left");
        }
    }
}
