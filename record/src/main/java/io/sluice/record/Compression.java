package io.sluice.record;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.xerial.snappy.SnappyError;
import org.xerial.snappy.SnappyOutputStream;

/// How the records of a batch are compressed. Producers' batches are stored as they came; the broker opens them to check them, to compact and to look up times.
public enum Compression {
    NONE(0, "none"),
    GZIP(1, "gzip"),
    SNAPPY(2, "snappy"),
    LZ4(3, "lz4"),
    ZSTD(4, "zstd");

    private static final Compression[] BY_ID = values();

    private final int id;
    private final String label;

    Compression(int id, String label) {
        this.id = id;
        this.label = label;
    }

    /// The three bits in a batch's attributes. Throws [MalformedBatch] for an unknown number.
    public static Compression byId(int id) {
        if (id >= BY_ID.length) {
            throw new MalformedBatch("unknown compression " + id + "; known are 0 to 4");
        }
        return BY_ID[id];
    }

    public int id() {
        return id;
    }

    /// As in `compression.type`.
    public String label() {
        return label;
    }

    /// Decompresses, refusing output of more than `limitBytes`: a few bytes can unfold into gigabytes.
    public ByteBuffer decompress(ByteBuffer compressed, int limitBytes) {
        if (this == NONE) {
            return compressed.duplicate();
        }
        byte[] input = bytesOf(compressed);
        if (this == SNAPPY) {
            return decompressSnappy(input, limitBytes);
        }
        try (InputStream in = open(new ByteArrayInputStream(input))) {
            byte[] output = in.readNBytes(limitBytes);
            if (output.length == limitBytes && in.read() >= 0) {
                throw new MalformedBatch(
                        "a "
                                + label
                                + " batch of "
                                + input.length
                                + " bytes unfolds to more than "
                                + limitBytes);
            }
            return ByteBuffer.wrap(output);
        } catch (IOException | RuntimeException e) {
            if (e instanceof MalformedBatch malformed) {
                throw malformed;
            }
            throw new MalformedBatch("cannot decompress a " + label + " batch: " + e);
        }
    }

    /// Decompresses little by little, in little memory. Reading throws [IOException] or a [RuntimeException] of the codec where the bytes make no sense.
    ///
    /// @param limitBytes for codecs that know no streams
    public InputStream stream(ByteBuffer compressed, int limitBytes) throws IOException {
        byte[] input = bytesOf(compressed);
        if (this == SNAPPY) {
            try {
                return new ByteArrayInputStream(SnappyFrames.decompress(input, limitBytes));
            } catch (SnappyError e) {
                throw new IOException(e);
            }
        }
        return open(new ByteArrayInputStream(input));
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static ByteBuffer decompressSnappy(byte[] input, int limitBytes) {
        try {
            return ByteBuffer.wrap(SnappyFrames.decompress(input, limitBytes));
        } catch (IOException | SnappyError e) {
            throw new MalformedBatch("cannot decompress a snappy batch: " + e);
        }
    }

    public ByteBuffer compress(ByteBuffer plain) {
        if (this == NONE) {
            return plain.duplicate();
        }
        byte[] input = new byte[plain.remaining()];
        plain.duplicate().get(input);
        ByteArrayOutputStream output = new ByteArrayOutputStream(input.length / 2 + 64);
        try (OutputStream out = create(output)) {
            out.write(input);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteBuffer.wrap(output.toByteArray());
    }

    private InputStream open(InputStream in) throws IOException {
        return switch (this) {
            case NONE, SNAPPY -> in;
            case GZIP -> new GZIPInputStream(in);
            case LZ4 -> new LZ4FrameInputStream(in);
            case ZSTD -> new ZstdInputStreamNoFinalizer(in, RecyclingBufferPool.INSTANCE);
        };
    }

    private OutputStream create(OutputStream out) throws IOException {
        return switch (this) {
            case NONE -> out;
            case GZIP -> new GZIPOutputStream(out);
            case SNAPPY -> new SnappyOutputStream(out);
            case LZ4 ->
                    new LZ4FrameOutputStream(
                            out,
                            LZ4FrameOutputStream.BLOCKSIZE.SIZE_64KB,
                            LZ4FrameOutputStream.FLG.Bits.BLOCK_INDEPENDENCE);
            case ZSTD -> new ZstdOutputStreamNoFinalizer(out, RecyclingBufferPool.INSTANCE, 3);
        };
    }
}
