package io.sluice.log;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.log.recovery.RecoveryPoint;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/// The recovery points of many logs in one file, replaced as a whole. Blocking.
///
/// A point is written after what it describes is durable, so an old file is never wrong, only modest. The key is the log's directory; when a
/// partition is deleted its point must be gone from the file before a new one takes the same directory.
///
/// | bytes | field                                                                              |
/// |-------|------------------------------------------------------------------------------------|
/// | 4     | magic `SLCP`                                                                       |
/// | 2     | version: 2; 1 has no high watermarks                                               |
/// | 2     | zero                                                                               |
/// | 4     | number of points                                                                   |
/// | …     | points: length of the directory (2), directory in UTF-8, start offset (8), durable offset (8), segment base (8), position (4), size (8), leader epoch (4), clean (1), high watermark or -1 (8) |
/// | 4     | CRC-32C of all before                                                              |
public final class Checkpoints {
    static final int MAGIC = 0x534C4350;
    static final short VERSION = 2;

    /// Written by earlier brokers.
    private static final short WITHOUT_WATERMARKS = 1;

    private static final int HEADER_BYTES = 12;
    private static final int POINT_BYTES = 49;

    private Checkpoints() {}

    /// @param damaged there was a file, but it cannot be believed; recovery then reads more than it would have to
    public record Loaded(SortedMap<String, RecoveryPoint> points, boolean damaged) {}

    public static Loaded read(Disk disk, String path) {
        try (DiskFile file = disk.openForReading(path)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), Integer.MAX_VALUE));
            file.read(bytes, 0);
            return decode(bytes.flip());
        } catch (DiskException e) {
            if (e.kind() == DiskException.Kind.NOT_FOUND) {
                return new Loaded(new TreeMap<>(), false);
            }
            throw e;
        }
    }

    /// Replaces the file: after a crash there is the old or the new one.
    public static void write(Disk disk, String path, Map<String, RecoveryPoint> points) {
        String temporary = path + ".tmp";
        disk.delete(temporary);
        try (DiskFile file = disk.open(temporary)) {
            file.write(encode(new TreeMap<>(points)), 0);
            file.force();
        }
        disk.rename(temporary, path);
        int slash = path.lastIndexOf('/');
        disk.syncDirectory(slash < 0 ? "" : path.substring(0, slash));
    }

    static ByteBuffer encode(SortedMap<String, RecoveryPoint> points) {
        int size = HEADER_BYTES + Integer.BYTES;
        for (String directory : points.keySet()) {
            size += Short.BYTES + directory.getBytes(StandardCharsets.UTF_8).length + POINT_BYTES;
        }
        ByteBuffer out = ByteBuffer.allocate(size);
        out.putInt(MAGIC).putShort(VERSION).putShort((short) 0).putInt(points.size());
        points.forEach(
                (directory, point) -> {
                    byte[] name = directory.getBytes(StandardCharsets.UTF_8);
                    out.putShort((short) name.length).put(name);
                    out.putLong(point.startOffset()).putLong(point.durableOffset());
                    out.putLong(point.segmentBase()).putInt(point.position());
                    out.putLong(point.sizeInBytes()).putInt(point.leaderEpoch());
                    out.put((byte) (point.clean() ? 1 : 0)).putLong(point.highWatermark());
                });
        return out.putInt(checksum(out, out.position())).flip();
    }

    static Loaded decode(ByteBuffer bytes) {
        SortedMap<String, RecoveryPoint> points = new TreeMap<>();
        int end = bytes.limit() - Integer.BYTES;
        if (end < HEADER_BYTES
                || bytes.getInt(0) != MAGIC
                || !isKnown(bytes.getShort(4))
                || checksum(bytes, end) != bytes.getInt(end)) {
            return new Loaded(points, true);
        }
        boolean watermarks = bytes.getShort(4) != WITHOUT_WATERMARKS;
        int pointBytes = watermarks ? POINT_BYTES : POINT_BYTES - Long.BYTES;
        ByteBuffer in = bytes.slice(0, end).position(HEADER_BYTES);
        for (int left = bytes.getInt(8); left > 0; left--) {
            if (in.remaining() < Short.BYTES) {
                return new Loaded(new TreeMap<>(), true);
            }
            int length = Short.toUnsignedInt(in.getShort());
            if (in.remaining() < length + pointBytes) {
                return new Loaded(new TreeMap<>(), true);
            }
            byte[] name = new byte[length];
            in.get(name);
            points.put(
                    new String(name, StandardCharsets.UTF_8),
                    new RecoveryPoint(
                            in.getLong(),
                            in.getLong(),
                            in.getLong(),
                            in.getInt(),
                            in.getLong(),
                            in.getInt(),
                            in.get() == 1,
                            watermarks ? in.getLong() : RecoveryPoint.UNKNOWN_WATERMARK));
        }
        return in.hasRemaining() ? new Loaded(new TreeMap<>(), true) : new Loaded(points, false);
    }

    private static boolean isKnown(short version) {
        return version == VERSION || version == WITHOUT_WATERMARKS;
    }

    private static int checksum(ByteBuffer bytes, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(0, to));
        return (int) crc.getValue();
    }
}
