package io.sluice.kafka.wire;

import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Reads one message out of a buffer and trusts nothing in it.
///
/// Two rules hold for whatever a peer sends. A length or count is checked against the bytes that remain before
/// anything is allocated by it. And every object is charged to an account before it is made, so that decoding
/// n bytes never allocates more than `16 n + 64 KiB`; a message that would (a list of thousands of one-letter
/// strings) is refused. The charges are the sizes of objects on a 64-bit JVM with compressed references.
///
/// Where a message comes from somebody who is not trusted, a second account has a fixed size: a frame of 100 MiB
/// must not take 1.6 GiB. It also pays for what follows from each element of an array (a place in the answer, a
/// reply to wait for), so that it bounds what the whole request makes its broker hold. Records are slices and cost
/// next to nothing here.
///
/// Owned by the thread of its connection. Records are slices of the buffer, everything else is copied out.
public final class WireReader {
    /// Bytes that may be allocated per byte of the message.
    static final int HEAP_PER_WIRE_BYTE = 16;

    /// Bytes that may be allocated whatever the size of the message. The rest of the promised 64 KiB is room
    /// for what is not charged: this reader, and the exception that ends a bad message.
    static final int HEAP_FREE_OF_CHARGE = 56 * 1024;

    /// What an element of an array brings about besides itself: its place in the answer, a reply that is waited for.
    private static final int ELEMENT_AFTERMATH = 128;

    private static final int STRING_OBJECT = 24;
    private static final int ARRAY_HEADER = 16;
    private static final int LIST_OBJECT = 24;
    private static final int BUFFER_OBJECT = 64;
    private static final int UUID_OBJECT = 32;
    private static final int LONGEST_STRING = Short.MAX_VALUE;
    private static final long NON_ASCII = 0x8080808080808080L;

    private ByteBuffer buffer;
    private int position;
    private int limit;
    private long account;
    private final long heapMax;
    private long heapTaken;
    private byte[] scratch = new byte[0];

    /// For messages of our own: reads what lies between position and limit of the buffer, which itself is left as it is.
    public WireReader(ByteBuffer message) {
        this(message, Long.MAX_VALUE);
    }

    /// @param heapMax what the message, and all that follows from its elements, may take in memory
    public WireReader(ByteBuffer message, long heapMax) {
        this.heapMax = heapMax;
        this.buffer = message.slice().order(ByteOrder.BIG_ENDIAN);
        this.limit = buffer.limit();
        this.account = (long) HEAP_PER_WIRE_BYTE * limit + HEAP_FREE_OF_CHARGE;
    }

    /// Begins anew with another message, keeping what this reader has allocated for itself.
    public void reset(ByteBuffer message) {
        buffer = message.slice().order(ByteOrder.BIG_ENDIAN);
        position = 0;
        limit = buffer.limit();
        account = (long) HEAP_PER_WIRE_BYTE * limit + HEAP_FREE_OF_CHARGE;
        heapTaken = 0;
    }

    /// What the message read so far takes in memory, together with what follows from its elements.
    public long heapTaken() {
        return heapTaken;
    }

    /// How many bytes of the message, or of the tagged field inside it, are still unread.
    public int remaining() {
        return limit - position;
    }

    /// Where the next byte comes from, counted from the start of the message.
    public int position() {
        return position;
    }

    public boolean readBoolean() {
        return readByte() != 0;
    }

    public byte readByte() {
        return buffer.get(advance(Byte.BYTES));
    }

    public short readShort() {
        return buffer.getShort(advance(Short.BYTES));
    }

    public int readUnsignedShort() {
        return Short.toUnsignedInt(readShort());
    }

    public int readInt() {
        return buffer.getInt(advance(Integer.BYTES));
    }

    public long readUnsignedInt() {
        return Integer.toUnsignedLong(readInt());
    }

    public long readLong() {
        return buffer.getLong(advance(Long.BYTES));
    }

    public double readDouble() {
        return buffer.getDouble(advance(Double.BYTES));
    }

    public UUID readUuid() {
        int at = advance(2 * Long.BYTES);
        long high = buffer.getLong(at);
        long low = buffer.getLong(at + Long.BYTES);
        if ((high | low) == 0) {
            return WireMessage.ZERO_UUID;
        }
        charge(UUID_OBJECT);
        return new UUID(high, low);
    }

    /// Seven bits per byte, the lowest first; at most five bytes, of which the last has only four bits left.
    public int readUnsignedVarint() {
        int start = position;
        byte next = readByte();
        if (next >= 0) {
            return next;
        }
        int value = next & 0x7f;
        for (int shift = 7; shift < 28; shift += 7) {
            next = readByte();
            if (next >= 0) {
                return value | next << shift;
            }
            value |= (next & 0x7f) << shift;
        }
        next = readByte();
        if (next < 0 || next > 0x0f) {
            throw new MalformedRequest("varint at byte " + start + " is longer than 32 bits");
        }
        return value | next << 28;
    }

    public String readString(boolean compact, String field) {
        return text(required(readStringLength(compact, field), field));
    }

    public @Nullable String readNullableString(boolean compact, String field) {
        int length = readStringLength(compact, field);
        return length < 0 ? null : text(length);
    }

    /// A private, read-only copy.
    public ByteBuffer readBytes(boolean compact, String field) {
        return copy(required(readLength(compact, field), field));
    }

    /// A private, read-only copy.
    public @Nullable ByteBuffer readNullableBytes(boolean compact, String field) {
        int length = readLength(compact, field);
        return length < 0 ? null : copy(length);
    }

    /// A slice of the message: valid as long as the buffer is.
    public Records readRecords(boolean compact, String field) {
        return view(required(readLength(compact, field), field));
    }

    /// A slice of the message: valid as long as the buffer is.
    public @Nullable Records readNullableRecords(boolean compact, String field) {
        int length = readLength(compact, field);
        return length < 0 ? null : view(length);
    }

    /// The number of elements of an array whose elements take at least `minimumSize` bytes each on the wire, and
    /// `heapSize` bytes each in memory; those are paid for here, with the list.
    public int readCount(boolean compact, int minimumSize, int heapSize, String field) {
        return required(readNullableCount(compact, minimumSize, heapSize, field), field);
    }

    /// Like [#readCount], with -1 for an array that is null.
    public int readNullableCount(boolean compact, int minimumSize, int heapSize, String field) {
        int start = position;
        int count = compact ? readUnsignedVarint() - 1 : readInt();
        if (count == -1) {
            return -1;
        }
        long needed = (long) count * minimumSize;
        if (count < 0 || needed > remaining()) {
            throw tooLong("count", compact, count, start, needed, field);
        }
        if (count > 0) {
            spend((long) count * ELEMENT_AFTERMATH);
            charge(LIST_OBJECT + ARRAY_HEADER + Integer.BYTES + (long) count * heapSize);
        }
        return count;
    }

    /// The byte before a struct that may be null.
    public boolean readPresence(String field) {
        byte presence = readByte();
        if (presence != 1 && presence != -1) {
            throw new MalformedRequest(
                    field
                            + ": expected 1 (present) or -1 (null) at byte "
                            + (position - 1)
                            + ", found "
                            + presence);
        }
        return presence == 1;
    }

    /// How many tagged fields follow; each takes at least two bytes.
    public int readTagCount() {
        int start = position;
        int count = readUnsignedVarint();
        if (count < 0 || 2L * count > remaining()) {
            throw tooLong("tagged fields: count", true, count - 1, start, 2L * count, "");
        }
        return count;
    }

    /// Begins a tagged field: until [#leaveTaggedField] only its own bytes can be read. Returns what to leave it with.
    public int enterTaggedField() {
        int start = position;
        int size = readUnsignedVarint();
        if (size < 0 || size > remaining()) {
            throw tooLong("tagged field: size", true, size - 1, start, size, "");
        }
        int outerLimit = limit;
        limit = position + size;
        return outerLimit;
    }

    /// Ends a tagged field, all of whose bytes must have been read.
    public void leaveTaggedField(int outerLimit) {
        if (position != limit) {
            throw new MalformedRequest(
                    "tagged field ends at byte " + limit + ", but its value at byte " + position);
        }
        limit = outerLimit;
    }

    /// Passes over the tagged field that was entered.
    public void skipTaggedField() {
        position = limit;
    }

    /// Passes over all tagged fields of a struct that knows none.
    public void skipTaggedFields() {
        int count = readTagCount();
        for (int i = 0; i < count; i++) {
            readUnsignedVarint();
            int outerLimit = enterTaggedField();
            skipTaggedField();
            leaveTaggedField(outerLimit);
        }
    }

    /// Pays for an object that is about to be made, or refuses the message.
    public WireReader charge(long heapBytes) {
        account -= heapBytes;
        if (account < 0) {
            throw new MalformedRequest(
                    "message of "
                            + buffer.limit()
                            + " bytes would take more than "
                            + HEAP_PER_WIRE_BYTE
                            + " times its size in memory, stopped at byte "
                            + position);
        }
        spend(heapBytes);
        return this;
    }

    private void spend(long heapBytes) {
        heapTaken += heapBytes;
        if (heapTaken > heapMax) {
            throw new MalformedRequest(
                    "message of "
                            + buffer.limit()
                            + " bytes asks for too much at once: it would take more than "
                            + heapMax
                            + " bytes of memory, stopped at byte "
                            + position);
        }
    }

    private int advance(int bytes) {
        int at = position;
        if (limit - at < bytes) {
            throw new MalformedRequest(
                    "needs " + bytes + " bytes at byte " + at + ", " + (limit - at) + " remain");
        }
        position = at + bytes;
        return at;
    }

    private int readStringLength(boolean compact, String field) {
        int start = position;
        int length = compact ? readUnsignedVarint() - 1 : readShort();
        if (length > LONGEST_STRING) {
            throw new MalformedRequest(
                    "%s: length %d at byte %d is longer than the %d bytes of the longest string"
                            .formatted(field, length, start, LONGEST_STRING));
        }
        if (length < -1 || length > remaining()) {
            throw tooLong("length", compact, length, start, length, field);
        }
        return length;
    }

    private int readLength(boolean compact, String field) {
        int start = position;
        int length = compact ? readUnsignedVarint() - 1 : readInt();
        if (length < -1 || length > remaining()) {
            throw tooLong("length", compact, length, start, length, field);
        }
        return length;
    }

    private int required(int length, String field) {
        if (length < 0) {
            throw new MalformedRequest(field + " may not be null, at byte " + position);
        }
        return length;
    }

    private String text(int length) {
        if (length == 0) {
            return "";
        }
        int at = position;
        chargeText(at, length);
        byte[] bytes;
        int offset;
        if (buffer.hasArray()) {
            bytes = buffer.array();
            offset = buffer.arrayOffset() + at;
        } else {
            bytes = scratch(length);
            offset = 0;
            buffer.get(at, bytes, 0, length);
        }
        position = at + length;
        return new String(bytes, offset, length, StandardCharsets.UTF_8);
    }

    /// Text beyond ASCII is decoded through intermediate arrays of up to three bytes per byte.
    private void chargeText(int at, int length) {
        long heap = STRING_OBJECT + ARRAY_HEADER + (long) padded(length);
        charge(isAscii(at, length) ? heap : heap + 3L * (ARRAY_HEADER + padded(length)));
    }

    private boolean isAscii(int from, int length) {
        int at = from;
        int end = from + length;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            if ((buffer.getLong(at) & NON_ASCII) != 0) {
                return false;
            }
        }
        for (; at < end; at++) {
            if (buffer.get(at) < 0) {
                return false;
            }
        }
        return true;
    }

    private byte[] scratch(int length) {
        if (scratch.length < length) {
            charge(ARRAY_HEADER + length);
            scratch = new byte[length];
        }
        return scratch;
    }

    private ByteBuffer copy(int length) {
        if (length == 0) {
            return WireMessage.EMPTY_BYTES;
        }
        charge(2L * BUFFER_OBJECT + ARRAY_HEADER + padded(length));
        byte[] bytes = new byte[length];
        buffer.get(advance(length), bytes);
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    private Records view(int length) {
        if (length == 0) {
            return Records.EMPTY;
        }
        charge(BUFFER_OBJECT + ARRAY_HEADER);
        return new Records.InMemory(buffer.slice(advance(length), length));
    }

    private static int padded(int length) {
        return (length + 7) & ~7;
    }

    private MalformedRequest tooLong(
            String what, boolean compact, int value, int start, long needed, String field) {
        // A compact length is unsigned on the wire: what looks negative here is beyond two billion.
        String read =
                compact ? Long.toString((value + 1 & 0xffffffffL) - 1) : Integer.toString(value);
        String name = field.isEmpty() ? what : field + ": " + what;
        return new MalformedRequest(
                needed > 0
                        ? "%s %s at byte %d needs at least %d bytes, %d remain"
                                .formatted(name, read, start, needed, remaining())
                        : "%s %s at byte %d is out of range".formatted(name, read, start));
    }
}
