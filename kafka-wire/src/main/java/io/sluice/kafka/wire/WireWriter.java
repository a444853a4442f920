package io.sluice.kafka.wire;

import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Writes frames into buffers from a [BufferSource] and threads stored records through them untouched.
///
/// What comes out is a list of [WirePart]s in sending order. Records in memory are copied when that is cheaper
/// than one more part to send, and referenced otherwise; stored records are always referenced.
///
/// Owned by the thread of its connection and reused: [#clear] begins anew.
public final class WireWriter {
    /// Below this size a copy costs less than a part of its own in the list of buffers handed to the kernel.
    static final int COPY_BELOW = 2048;

    /// What one message may have besides its records: as much as librdkafka takes by default. The buffers lie outside the heap, and all connections share them.
    static final int MOST_BYTES = 100_000_000;

    private static final int LONGEST_STRING = Short.MAX_VALUE;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final BufferSource source;
    private final List<WirePart> parts = new ArrayList<>();
    private @Nullable TaggedFieldSpace taggedFields;

    /// Where the next byte goes: at its position. The bytes from `open` to there belong to no part yet.
    private ByteBuffer chunk = NONE;

    private int open;
    private long closedBytes;
    private long taken;

    private ByteBuffer frameChunk = NONE;
    private int frameLengthAt;
    private long frameStart = -1;

    public WireWriter(BufferSource source) {
        this.source = source;
    }

    /// A writer on the heap, for messages that are embedded in others and for tests.
    public WireWriter() {
        this(BufferSource.heap());
    }

    /// Leaves room for the length of a frame; [#endFrame] fills it in. Several frames may follow one another.
    public void beginFrame() {
        if (frameStart >= 0) {
            throw new IllegalStateException("the frame before has no end yet");
        }
        ByteBuffer target = room(Integer.BYTES);
        frameChunk = target;
        frameLengthAt = target.position();
        target.putInt(0);
        frameStart = size();
    }

    public void endFrame() {
        if (frameStart < 0) {
            throw new IllegalStateException("no frame has begun");
        }
        frameChunk.putInt(frameLengthAt, asSize(size() - frameStart));
        frameChunk = NONE;
        frameStart = -1;
    }

    /// All bytes written since the last [#clear], in sending order.
    public List<WirePart> parts() {
        closePart();
        return List.copyOf(parts);
    }

    /// All bytes written since the last [#clear], those of records included.
    public int sizeInBytes() {
        return asSize(size());
    }

    /// Forgets all that was written, and the buffers it was written to.
    public void clear() {
        parts.clear();
        chunk = NONE;
        open = 0;
        closedBytes = 0;
        taken = 0;
        frameChunk = NONE;
        frameStart = -1;
    }

    public void writeBoolean(boolean value) {
        room(Byte.BYTES).put((byte) (value ? 1 : 0));
    }

    public void writeByte(byte value) {
        room(Byte.BYTES).put(value);
    }

    public void writeShort(short value) {
        room(Short.BYTES).putShort(value);
    }

    public void writeUnsignedShort(int value) {
        if (value >>> 16 != 0) {
            throw new IllegalArgumentException(value + " does not fit into 16 bits without a sign");
        }
        room(Short.BYTES).putShort((short) value);
    }

    public void writeInt(int value) {
        room(Integer.BYTES).putInt(value);
    }

    public void writeUnsignedInt(long value) {
        if (value >>> 32 != 0) {
            throw new IllegalArgumentException(value + " does not fit into 32 bits without a sign");
        }
        room(Integer.BYTES).putInt((int) value);
    }

    public void writeLong(long value) {
        room(Long.BYTES).putLong(value);
    }

    public void writeDouble(double value) {
        room(Double.BYTES).putDouble(value);
    }

    public void writeUuid(UUID value) {
        room(2 * Long.BYTES)
                .putLong(value.getMostSignificantBits())
                .putLong(value.getLeastSignificantBits());
    }

    public void writeUnsignedVarint(int value) {
        ByteBuffer target = room(5);
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            target.put((byte) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        target.put((byte) rest);
    }

    public void writeString(String value, boolean compact) {
        int length = Utf8.length(value);
        if (length > LONGEST_STRING) {
            throw new IllegalArgumentException(
                    "a string of "
                            + length
                            + " bytes is too long for the protocol, at most "
                            + LONGEST_STRING
                            + " are possible");
        }
        if (compact) {
            writeUnsignedVarint(length + 1);
        } else {
            writeShort((short) length);
        }
        Utf8.put(value, length, room(length));
    }

    public void writeNullableString(@Nullable String value, boolean compact) {
        if (value != null) {
            writeString(value, compact);
        } else if (compact) {
            writeUnsignedVarint(0);
        } else {
            writeShort((short) -1);
        }
    }

    public void writeBytes(ByteBuffer value, boolean compact) {
        writeCount(value.remaining(), compact);
        copy(value);
    }

    public void writeNullableBytes(@Nullable ByteBuffer value, boolean compact) {
        if (value == null) {
            writeNullCount(compact);
        } else {
            writeBytes(value, compact);
        }
    }

    public void writeRecords(Records value, boolean compact) {
        writeCount(value.sizeInBytes(), compact);
        switch (value) {
            case Records.InMemory(ByteBuffer buffer) -> {
                if (buffer.remaining() < COPY_BELOW) {
                    copy(buffer);
                } else {
                    reference(new WirePart.Bytes(buffer.slice()));
                }
            }
            case Records.Stored stored -> reference(new WirePart.Stored(stored));
        }
    }

    public void writeNullableRecords(@Nullable Records value, boolean compact) {
        if (value == null) {
            writeNullCount(compact);
        } else {
            writeRecords(value, compact);
        }
    }

    /// The number of elements of an array, or of bytes in a byte field.
    public void writeCount(int count, boolean compact) {
        if (compact) {
            writeUnsignedVarint(count + 1);
        } else {
            writeInt(count);
        }
    }

    /// What stands for an array or a byte field that is null.
    public void writeNullCount(boolean compact) {
        if (compact) {
            writeUnsignedVarint(0);
        } else {
            writeInt(-1);
        }
    }

    /// A writer for the value of a tagged field, which must be complete before its size can be written.
    public WireWriter beginTaggedField() {
        if (taggedFields == null) {
            taggedFields = new TaggedFieldSpace();
        }
        return taggedFields.begin();
    }

    /// Appends the value written since [#beginTaggedField], with its tag and size in front.
    public void endTaggedField(int tag, WireWriter value) {
        writeUnsignedVarint(tag);
        writeUnsignedVarint(value.sizeInBytes());
        value.closePart();
        for (WirePart part : value.parts) {
            switch (part) {
                case WirePart.Bytes(ByteBuffer bytes) -> copy(bytes);
                case WirePart.Stored stored -> reference(stored);
            }
        }
    }

    private void copy(ByteBuffer bytes) {
        int length = bytes.remaining();
        ByteBuffer target = room(length);
        target.put(target.position(), bytes, bytes.position(), length);
        target.position(target.position() + length);
    }

    private void reference(WirePart part) {
        closePart();
        parts.add(part);
        closedBytes += part.sizeInBytes();
    }

    private void closePart() {
        int length = chunk.position() - open;
        if (length > 0) {
            parts.add(new WirePart.Bytes(chunk.slice(open, length)));
            closedBytes += length;
            open = chunk.position();
        }
    }

    private ByteBuffer room(int bytes) {
        ByteBuffer current = chunk;
        return current.remaining() >= bytes ? current : nextChunk(bytes);
    }

    private ByteBuffer nextChunk(int bytes) {
        closePart();
        if (taken + bytes > MOST_BYTES) {
            throw new IllegalStateException(
                    "a message has more than "
                            + MOST_BYTES
                            + " bytes besides its records; ask for less at a time");
        }
        ByteBuffer next = source.take(bytes).order(ByteOrder.BIG_ENDIAN);
        taken += next.remaining();
        if (next.remaining() < bytes) {
            throw new IllegalStateException(
                    "asked for " + bytes + " bytes, got a buffer with " + next.remaining());
        }
        chunk = next;
        open = next.position();
        return next;
    }

    private long size() {
        return closedBytes + chunk.position() - open;
    }

    private static int asSize(long bytes) {
        if (bytes > Integer.MAX_VALUE) {
            throw new IllegalStateException(
                    bytes + " bytes are more than a frame can hold; answer with less at a time");
        }
        return (int) bytes;
    }
}
