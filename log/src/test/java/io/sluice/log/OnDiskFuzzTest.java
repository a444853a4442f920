package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.env.FileSlice;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.state.LogSnapshot;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Any bytes as a file of a partition: the log opens, and serves only sound batches.
///
/// In a normal test run the inputs kept under `OnDiskFuzzTestInputs` are replayed. How to search for new ones is in the README of
/// this module. Checksums are made right where random bytes would never get past them.
class OnDiskFuzzTest {
    private static final LogFixture NAMES = new LogFixture();

    @FuzzTest(maxDuration = "5m")
    void anyBytesAreASegment(byte[] content) {
        CrashDisk disk = diskWith(content, null);
        LogFixture first = open(disk, null);
        long end = first.log.endOffset();
        int served = serve(first);
        LogFixture again = open(disk, null);
        assertThat(again.log.endOffset()).isEqualTo(end);
        assertThat(serve(again)).isEqualTo(served);
        again.append("more");
        assertThat(open(disk, null).log.endOffset()).isEqualTo(end + 1);

        // The same bytes, half of which are known to be durable: never cut, never served unless
        // sound.
        CrashDisk durable = diskWith(content, null);
        int position = content.length / 2;
        RecoveryPoint known = new RecoveryPoint(0, 1, 0, position, position, 0, false);
        LogFixture kept = open(durable, known);
        serve(kept);
        assertThat(durable.content(NAMES.logFile(0))).hasSizeGreaterThanOrEqualTo(position);
        assertThat(kept.log.endOffset()).isPositive();
        kept.append("more");
        serve(open(durable, known));
    }

    @FuzzTest(maxDuration = "5m")
    void anyBytesAreAnIndex(byte[] index) {
        if (index.length >= 64) {
            ByteBuffer patched = ByteBuffer.wrap(index);
            patched.putInt(56, checksum(index, 64, index.length));
            patched.putInt(60, checksum(index, 0, 60));
        }
        LogFixture sound = new LogFixture();
        sound.append("a");
        sound.append("b");
        CrashDisk disk = diskWith(sound.disk.content(sound.logFile(0)), index);
        LogFixture log = open(disk, null);
        serve(log);
        log.lookup(ManualClock.START_MILLIS);
        log.append("more");
        log.flush();
        serve(open(disk, log.log.recoveryPoint()));
    }

    @FuzzTest(maxDuration = "5m")
    void anyBytesAreASnapshot(byte[] snapshot) {
        if (snapshot.length >= 4) {
            ByteBuffer.wrap(snapshot)
                    .putInt(snapshot.length - 4, checksum(snapshot, 0, snapshot.length - 4));
        }
        CrashDisk disk = diskWith(new byte[0], null);
        String path = LogFixture.FOLDER + "/" + LogFolder.name(500, LogFolder.SNAPSHOT);
        disk.replaceContent(path, snapshot);
        LogSnapshot read = LogSnapshot.read(new LogFolder(disk, LogFixture.FOLDER), 500);
        if (read != null) {
            assertThat(read.offset()).isEqualTo(500);
        }
    }

    @FuzzTest(maxDuration = "5m")
    void anyBytesAreCheckpoints(byte[] checkpoints) {
        if (checkpoints.length >= 4) {
            ByteBuffer.wrap(checkpoints)
                    .putInt(
                            checkpoints.length - 4,
                            checksum(checkpoints, 0, checkpoints.length - 4));
        }
        Checkpoints.Loaded loaded = Checkpoints.decode(ByteBuffer.wrap(checkpoints));
        assertThat(loaded.points().isEmpty() || !loaded.damaged()).isTrue();
    }

    private static CrashDisk diskWith(byte[] segment, byte @Nullable [] index) {
        CrashDisk disk = new CrashDisk();
        disk.createDirectory(LogFixture.FOLDER);
        disk.replaceContent(NAMES.logFile(0), segment);
        if (index != null) {
            disk.replaceContent(NAMES.indexFile(0), index);
        }
        return disk;
    }

    private static LogFixture open(CrashDisk disk, @Nullable RecoveryPoint known) {
        return new LogFixture(disk, TopicSettings.defaults(), known);
    }

    /// Reads everything that can be read; each batch that comes out must hold.
    private static int serve(LogFixture log) {
        int served = 0;
        long next = log.log.startOffset();
        while (next < log.log.endOffset()) {
            switch (log.read(next, 1000)) {
                case ReadResult.Found(FileSlice slice) -> {
                    for (RecordBatch batch : LogFixture.batches(slice)) {
                        assertThat(batch.nextOffset()).isGreaterThan(next);
                        next = batch.nextOffset();
                        served++;
                    }
                    slice.release();
                }
                case ReadResult.Damaged _ -> {
                    return served;
                }
                case ReadResult.Nothing _ -> {
                    return served;
                }
                case ReadResult.OutOfRange _ -> {
                    return served;
                }
                case ReadResult.NeedsVerification _ ->
                        throw new AssertionError("the fixture verifies");
            }
        }
        return served;
    }

    private static int checksum(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }
}
