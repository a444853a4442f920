package io.sluice.benchmarks.pulse;

import io.sluice.benchmarks.report.Spread;
import io.sluice.benchmarks.report.Unit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// How fast the disk makes 4 KiB durable at the moment, taken before every turn: durable acknowledgements cannot be faster, and shared disks change by the minute.
///
/// Owned by the thread that runs the comparison.
final class DiskPulse {
    private static final int BLOCK_BYTES = 4096;
    private static final int BLOCKS = 200;

    private final List<Double> medians = new ArrayList<>();

    void take(Path folder) {
        try {
            Files.createDirectories(folder);
            Path file = folder.resolve("disk-pulse");
            try (FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.allocateDirect(BLOCK_BYTES * BLOCKS), 0);
                channel.force(true);
                medians.add(overwrite(channel));
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot write to " + folder, failure);
        }
    }

    /// The median, in milliseconds.
    private static double overwrite(FileChannel channel) throws IOException {
        long[] nanos = new long[BLOCKS];
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        for (int i = 0; i < BLOCKS; i++) {
            channel.write(block.clear(), (long) i * BLOCK_BYTES);
            long began = System.nanoTime();
            channel.force(false);
            nanos[i] = System.nanoTime() - began;
        }
        Arrays.sort(nanos);
        return nanos[BLOCKS / 2] / 1e6;
    }

    /// A sentence for the report.
    String describe() {
        if (medians.isEmpty()) {
            return "";
        }
        double[] all = medians.stream().mapToDouble(Double::doubleValue).toArray();
        return " An fdatasync of 4 KiB took "
                + Spread.of(all).format(Unit.MILLISECONDS)
                + " ms (medians before each turn).";
    }
}
