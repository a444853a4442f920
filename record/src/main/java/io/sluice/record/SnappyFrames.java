package io.sluice.record;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.xerial.snappy.Snappy;

/// Reads snappy as Kafka producers write it: a magic and two version numbers, then blocks with their size in front; or one bare block.
///
/// Written by hand because every claimed size is checked before memory is taken for it; the library's stream trusts them.
final class SnappyFrames {
    private static final byte[] MAGIC = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
    private static final int HEADER_BYTES = MAGIC.length + 2 * Integer.BYTES;

    private SnappyFrames() {}

    static byte[] decompress(byte[] input, int limitBytes) throws IOException {
        if (input.length < HEADER_BYTES
                || !Arrays.equals(input, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            return block(input, 0, input.length, limitBytes);
        }
        ByteArrayOutputStream output =
                new ByteArrayOutputStream(Math.min(limitBytes, input.length * 2));
        ByteBuffer frames = ByteBuffer.wrap(input).position(HEADER_BYTES);
        while (frames.hasRemaining()) {
            int size = frames.remaining() < Integer.BYTES ? -1 : frames.getInt();
            if (size < 0 || size > frames.remaining()) {
                throw new MalformedBatch(
                        "a snappy block claims "
                                + size
                                + " bytes, "
                                + frames.remaining()
                                + " are left");
            }
            output.write(block(input, frames.position(), size, limitBytes - output.size()));
            frames.position(frames.position() + size);
        }
        return output.toByteArray();
    }

    private static byte[] block(byte[] input, int at, int size, int limitBytes) throws IOException {
        int length = Snappy.uncompressedLength(input, at, size);
        if (length < 0 || length > limitBytes) {
            throw new MalformedBatch(
                    "a snappy block of " + size + " bytes unfolds to more than " + limitBytes);
        }
        byte[] output = new byte[length];
        Snappy.uncompress(input, at, size, output, 0);
        return output;
    }
}
