package io.sluice.env.os;

import io.sluice.env.Clock;
import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import io.sluice.env.Entropy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/// Which layout a data directory has and whom it belongs to: the file `format` in it.
///
/// Lines of `key=value` in UTF-8, so that a person can read it:
/// ```
/// version=1
/// cluster.id=kVvyGPSJT0WjX0rN3cYsXg
/// node.id=1
/// created=2026-11-15T09:30:00Z
/// log.marked=true
/// cluster.joined=true
/// ```
/// Written when the directory is created, when its folder of partitions is marked ([LogMark]), and when its broker has become part of a cluster: before that, the cluster's id is one that was made up. Keys that are not known are ignored; a version that is not known is refused, because
/// an older program would misread what a newer one has written. Immutable.
public record DataFormat(
        int version,
        String clusterId,
        int nodeId,
        Instant created,
        boolean logMarked,
        boolean joined) {
    public static final int VERSION = 1;
    public static final String FILE = "format";

    private static final int LARGEST_FILE_BYTES = 64 * 1024;

    static DataFormat fresh(int nodeId, Entropy entropy, Clock clock) {
        return new DataFormat(
                VERSION,
                clusterIdFrom(entropy.nextUuid()),
                nodeId,
                Instant.ofEpochMilli(clock.wallMillis()),
                false,
                false);
    }

    /// The folder of the partitions says whose it is, from now on.
    DataFormat marked() {
        return new DataFormat(version, clusterId, nodeId, created, true, joined);
    }

    /// The broker is part of this cluster, and of no other from now on.
    DataFormat joinedTo(String cluster) {
        return new DataFormat(version, cluster, nodeId, created, logMarked, true);
    }

    /// 22 characters, as Kafka's tools expect a cluster id.
    private static String clusterIdFrom(UUID id) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /// Reads the file; also for tools that look at a directory while its broker runs. Throws [UnusableDataDirectory].
    public static DataFormat read(Disk disk, String where) {
        try (DiskFile file = disk.openForReading(FILE)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), LARGEST_FILE_BYTES));
            file.read(bytes, 0);
            return parse(StandardCharsets.UTF_8.decode(bytes.flip()).toString(), where);
        }
    }

    private static DataFormat parse(String text, String where) {
        Map<String, String> values = new HashMap<>();
        text.lines()
                .filter(line -> line.indexOf('=') > 0)
                .forEach(
                        line ->
                                values.put(
                                        line.substring(0, line.indexOf('=')).strip(),
                                        line.substring(line.indexOf('=') + 1).strip()));
        int version = number(values, "version", where);
        if (version > VERSION || version < 1) {
            throw new UnusableDataDirectory(
                    "The data directory "
                            + where
                            + " has format version "
                            + version
                            + "; this program knows versions up to "
                            + VERSION
                            + ". Start it with the program that wrote it, or a newer one.");
        }
        try {
            return new DataFormat(
                    version,
                    require(values, "cluster.id", where),
                    number(values, "node.id", where),
                    Instant.parse(require(values, "created", where)),
                    "true".equals(values.get("log.marked")),
                    "true".equals(values.get("cluster.joined")));
        } catch (DateTimeParseException e) {
            throw damaged(where, "created=" + values.get("created") + " is not a time");
        }
    }

    private static int number(Map<String, String> values, String key, String where) {
        String value = require(values, key, where);
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw damaged(where, key + "=" + value + " is not a number");
        }
    }

    private static String require(Map<String, String> values, String key, String where) {
        String value = values.get(key);
        if (value == null || value.isEmpty()) {
            throw damaged(where, key + " is missing");
        }
        return value;
    }

    private static UnusableDataDirectory damaged(String where, String what) {
        return new UnusableDataDirectory(
                "The file "
                        + FILE
                        + " in the data directory "
                        + where
                        + " is damaged: "
                        + what
                        + ". Restore it from a backup; it has the lines version, cluster.id, node.id"
                        + " and created.");
    }

    /// Durable when this returns.
    void write(Disk disk) {
        String text =
                "version="
                        + version
                        + "\ncluster.id="
                        + clusterId
                        + "\nnode.id="
                        + nodeId
                        + "\ncreated="
                        + created
                        + (logMarked ? "\nlog.marked=true" : "")
                        + (joined ? "\ncluster.joined=true\n" : "\n");
        String temporary = FILE + ".new";
        disk.delete(temporary);
        try (DiskFile file = disk.open(temporary)) {
            file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
            file.force();
        }
        disk.rename(temporary, FILE);
        disk.syncDirectory("");
    }
}
