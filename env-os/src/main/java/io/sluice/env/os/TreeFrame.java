package io.sluice.env.os;

import io.sluice.env.Coordination.Node;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// One unit of the metadata file: the new states of some paths, written and checked as a whole.
///
/// | at | bytes | field                                                                    |
/// |----|-------|--------------------------------------------------------------------------|
/// | 0  | 4     | magic: `SLM2`                                                            |
/// | 4  | 4     | CRC-32C of everything behind this field                                  |
/// | 8  | 4     | length: of all behind this field                                         |
/// | 12 | 8     | number: one more than that of the frame before                           |
/// | 20 | 4     | how many states follow                                                   |
/// | 24 | …     | states: path, version (4 bytes, -1 for a deletion), created (8), value   |
///
/// A text is its length (4 bytes) and its UTF-8 bytes. Numbers are big-endian. Frames of the first format, with magic `SLMF` and without
/// `created`, are still read: their nodes were created before it was counted, at 0. Immutable.
record TreeFrame(long number, Map<String, @Nullable Node> states) {
    static final int MAGIC = 0x534c4d32;
    private static final int FIRST_MAGIC = 0x534c4d46;
    static final int SMALLEST_BYTES = 24;

    private static final int CHECKSUM_AT = 4;
    private static final int LENGTH_AT = 8;
    private static final int LENGTH_END = 12;
    private static final int DELETED = -1;

    /// Two copies, one behind the other.
    ByteBuffer encodeTwice() {
        ByteBuffer once = encode();
        return ByteBuffer.allocate(Math.multiplyExact(2, once.remaining()))
                .put(once.duplicate())
                .put(once)
                .flip();
    }

    ByteBuffer encode() {
        List<byte[]> texts = new ArrayList<>(states.size() * 2);
        long size = SMALLEST_BYTES;
        for (Map.Entry<String, @Nullable Node> state : states.entrySet()) {
            Node node = state.getValue();
            byte[] path = state.getKey().getBytes(StandardCharsets.UTF_8);
            byte[] value =
                    node == null ? new byte[0] : node.value().getBytes(StandardCharsets.UTF_8);
            texts.add(path);
            texts.add(value);
            size += 20L + path.length + value.length;
        }
        ByteBuffer frame = ByteBuffer.allocate(Math.toIntExact(size));
        frame.putInt(MAGIC).putInt(0).putInt((int) size - LENGTH_END);
        frame.putLong(number).putInt(states.size());
        int next = 0;
        for (@Nullable Node node : states.values()) {
            byte[] path = texts.get(next++);
            byte[] value = texts.get(next++);
            frame.putInt(path.length).put(path);
            frame.putInt(node == null ? DELETED : node.version());
            frame.putLong(node == null ? 0 : node.created());
            frame.putInt(value.length).put(value);
        }
        frame.putInt(CHECKSUM_AT, checksum(frame, 0, (int) size));
        return frame.flip();
    }

    /// The sound frame at this position, or null.
    static @Nullable TreeFrame at(ByteBuffer bytes, int position) {
        int room = bytes.limit() - position;
        if (room < SMALLEST_BYTES) {
            return null;
        }
        int magic = bytes.getInt(position);
        if (magic != MAGIC && magic != FIRST_MAGIC) {
            return null;
        }
        int length = bytes.getInt(position + LENGTH_AT);
        if (length < SMALLEST_BYTES - LENGTH_END || length > room - LENGTH_END) {
            return null;
        }
        int size = length + LENGTH_END;
        if (checksum(bytes, position, size) != bytes.getInt(position + CHECKSUM_AT)) {
            return null;
        }
        return decode(bytes.slice(position + LENGTH_END, length), magic == FIRST_MAGIC);
    }

    /// Whether the sound frame at this position is written as frames once were.
    static boolean isFirstFormat(ByteBuffer bytes, int position) {
        return bytes.getInt(position) == FIRST_MAGIC;
    }

    /// Behind a checksum that holds, only a bug could make a count wrong; then an exception is right.
    private static TreeFrame decode(ByteBuffer body, boolean isFirstFormat) {
        long number = body.getLong();
        int count = body.getInt();
        Map<String, @Nullable Node> states = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String path = readText(body);
            int version = body.getInt();
            long created = isFirstFormat ? 0 : body.getLong();
            String value = readText(body);
            states.put(path, version == DELETED ? null : new Node(value, version, created));
        }
        return new TreeFrame(number, states);
    }

    private static String readText(ByteBuffer body) {
        byte[] text = new byte[body.getInt()];
        body.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    /// Of the sound frame at this position.
    static int sizeAt(ByteBuffer bytes, int position) {
        return LENGTH_END + bytes.getInt(position + LENGTH_AT);
    }

    private static int checksum(ByteBuffer bytes, int position, int size) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(position + LENGTH_AT, size - LENGTH_AT));
        return (int) crc.getValue();
    }
}
