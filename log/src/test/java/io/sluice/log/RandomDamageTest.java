package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.FileSlice;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.LogRecord;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
        "Q8, Q13: whatever happens to a file, a record below the durable point is served right or reported")
final class RandomDamageTest {
    private static final TopicSettings SMALL = TopicSettings.defaults().withSegments(900, 150);

    @Test
    void damageIsNeverSilent() {
        for (int seed = 0; seed < 1500; seed++) {
            Random random = new Random(seed);
            LogFixture before = new LogFixture(SMALL);
            int count = 5 + random.nextInt(40);
            int flushed = random.nextInt(count + 1);
            RecoveryTest.fill(before, 0, flushed);
            before.flush();
            RecoveryPoint known = before.log.recoveryPoint();
            RecoveryTest.fill(before, flushed, count - flushed);
            CrashDisk disk = before.disk.copy();
            String damage = damage(disk, random);
            if (damage.contains(".log")) {
                check("seed " + seed + ", " + damage, disk, known, flushed, count);
            } else {
                LogFixture after = new LogFixture(disk, SMALL, known);
                assertThat(after.values())
                        .as("seed %d, %s", seed, damage)
                        .isEqualTo(RecoveryTest.names(0, count));
                assertThat(after.report.damages()).as("seed %d, %s", seed, damage).isEmpty();
            }
        }
    }

    private static void check(
            String what, CrashDisk disk, RecoveryPoint known, int durable, int count) {
        LogFixture after = new LogFixture(disk, SMALL, known);
        long end = after.log.endOffset();
        assertThat(end).as(what).isBetween((long) durable, (long) count);
        if (end < count && !what.contains("emptied")) {
            assertThat(after.report.tornFiles().size() + after.report.damages().size())
                    .as("%s: a cut that nobody is told of", what)
                    .isPositive();
        }
        // The loss of the first file looks as if it had been deleted: readers are told where the
        // log begins.
        assertThat(after.log.startOffset() == 0 || what.contains("by loss")).as(what).isTrue();
        for (long offset = after.log.startOffset(); offset < end; offset++) {
            switch (after.read(offset, 1)) {
                case ReadResult.Found(FileSlice slice) -> {
                    RecordBatch batch = LogFixture.batches(slice).getFirst();
                    LogRecord record = RecordReader.readAll(batch).getFirst();
                    assertThat(LogFixture.text(record.value()))
                            .as("%s, offset %d", what, offset)
                            .isEqualTo("value-" + record.offset());
                    assertThat(record.offset()).as(what).isEqualTo(offset);
                    slice.release();
                }
                case ReadResult.Damaged(_, _, String sentence) ->
                        assertThat(sentence).as(what).isNotBlank();
                case ReadResult.Nothing _,
                        ReadResult.OutOfRange _,
                        ReadResult.NeedsVerification _ ->
                        throw new AssertionError(what + ": offset " + offset + " vanished");
            }
        }
        assertThat(after.append("next").baseOffset()).as(what).isEqualTo(end);
        after.flush();
        LogFixture again = after.reopen(after.log.recoveryPoint());
        assertThat(again.log.endOffset()).as(what).isEqualTo(end + 1);
        assertThat(again.valuesFrom(end)).as(what).containsExactly("next");
    }

    /// Something that happens to files: a flipped bit, a zeroed or copied stretch, a cut, a loss. Zeros and missing bytes above the durable point look like
    /// room that was reserved: nobody can be told of them.
    private static String damage(CrashDisk disk, Random random) {
        List<String> paths = disk.paths();
        String path = paths.get(random.nextInt(paths.size()));
        byte[] content = disk.content(path);
        if (content.length == 0) {
            return "nothing";
        }
        int from = random.nextInt(content.length);
        int to = Math.min(content.length, from + 1 + random.nextInt(200));
        switch (random.nextInt(5)) {
            case 0 -> disk.flipBit(path, from);
            case 1 -> {
                Arrays.fill(content, from, to, (byte) 0);
                disk.replaceContent(path, content);
                return "emptied " + path + " at " + from + ".." + to;
            }
            case 2 -> {
                int source = random.nextInt(content.length - (to - from) + 1);
                if ((source - from) % 78 == 0 || (source - from) % 79 == 0) {
                    return "nothing"; // The records of another batch, checksum and all.
                }
                System.arraycopy(content, source, content, from, to - from);
                disk.replaceContent(path, content);
            }
            case 3 -> {
                disk.replaceContent(path, Arrays.copyOf(content, from));
                return "emptied " + path + " at " + from;
            }
            default -> {
                disk.delete(path);
                return "emptied by loss " + path;
            }
        }
        return "damaged " + path + " at " + from + ".." + to;
    }
}
