package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.recovery.RecoveryPoint;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q8: what was made durable is still there after a crash")
final class RecoveryTest {
    private static final TopicSettings SMALL = TopicSettings.defaults().withSegments(1000, 150);

    @Test
    void killedProcessLosesNothing() {
        LogFixture before = new LogFixture(SMALL);
        List<String> values = fill(before, 0, 40);
        LogFixture after = before.reopen(null);
        assertThat(after.values()).isEqualTo(values);
        assertThat(after.log.endOffset()).isEqualTo(40);
        assertThat(after.report.damages()).isEmpty();
        assertThat(after.report.bytesCut()).isZero();
    }

    @Test
    void powerLossKeepsWhatWasFlushed() {
        LogFixture before = new LogFixture(SMALL);
        fill(before, 0, 25);
        before.flush();
        RecoveryPoint known = before.log.recoveryPoint();
        fill(before, 25, 10);
        before.disk.crash();
        LogFixture after = before.reopen(known);
        assertThat(after.values()).isEqualTo(names(0, 25));
        assertThat(after.log.endOffset()).isEqualTo(25);
        after.append("value-25");
        assertThat(after.values()).isEqualTo(names(0, 26));
    }

    @Test
    void deletedOffsetsDoNotHideWhatIsAppendedAfterACut() {
        LogFixture before = new LogFixture(SMALL);
        fill(before, 0, 5);
        before.flush();
        fill(before, 5, 15);
        StartOffsetChange change = before.log.beginStartOffsetChange(18);
        assertThat(change).isNotNull();
        change.run();
        before.disk.crash();
        LogFixture after = before.reopen(null);
        assertThat(after.log.endOffset()).isEqualTo(5);
        after.append("a", "b", "c");
        after.flush();
        LogFixture again = after.reopen(null);
        assertThat(again.log.startOffset()).isEqualTo(5);
        assertThat(again.values()).containsExactly("a", "b", "c");
    }

    @Test
    void damagedLengthCostsOneBatch() {
        LogFixture before = new LogFixture();
        fill(before, 0, 10);
        before.flush();
        int size = LogFixture.batch("value-0").remaining();
        for (int at = 8; at < 12; at++) {
            CrashDisk disk = before.disk.copy();
            disk.flipBit(before.logFile(0), 3 * size + at);
            LogFixture after =
                    new LogFixture(disk, TopicSettings.defaults(), before.log.recoveryPoint());
            assertThat(after.valuesFrom(0)).isEqualTo(names(0, 3));
            assertThat(after.read(3, 1)).isInstanceOf(ReadResult.Damaged.class);
            assertThat(after.valuesFrom(4)).isEqualTo(names(4, 6));
        }
    }

    @Test
    void lostFilesAtTheEndAreReportedToReaders() {
        LogFixture before = new LogFixture(SMALL);
        fill(before, 0, 40);
        before.flush();
        RecoveryPoint known = before.log.recoveryPoint();
        CrashDisk disk = before.disk.copy();
        disk.delete(before.logFile(known.segmentBase()));
        LogFixture after = new LogFixture(disk, SMALL, known);
        assertThat(after.read(known.segmentBase(), 1)).isInstanceOf(ReadResult.Damaged.class);
        after.append("next");
        assertThat(after.read(known.segmentBase(), 1)).isInstanceOf(ReadResult.Damaged.class);
        assertThat(after.valuesFrom(40)).containsExactly("next");
    }

    @Test
    void firstFlushMakesTheFolderDurable() {
        LogFixture before = new LogFixture();
        before.append("a");
        before.flush();
        before.disk.crash();
        assertThat(before.reopen(null).values()).containsExactly("a");
    }

    @Test
    void everyCutOfTheTailLeavesWholeBatches() {
        LogFixture before = new LogFixture();
        int[] ends = new int[6];
        for (int i = 0; i < 5; i++) {
            before.append("value-" + i);
            ends[i + 1] = before.disk.content(before.logFile(0)).length;
        }
        byte[] whole = before.disk.content(before.logFile(0));
        for (int cut = 0; cut <= whole.length; cut++) {
            CrashDisk disk = before.disk.copy();
            disk.replaceContent(before.logFile(0), Arrays.copyOf(whole, cut));
            LogFixture after = new LogFixture(disk, before.settings, null);
            int expected = 0;
            while (expected < 5 && ends[expected + 1] <= cut) {
                expected++;
            }
            assertThat(after.values()).isEqualTo(names(0, expected));
            assertThat(disk.content(before.logFile(0))).hasSize(ends[expected]);
            after.append("value-" + expected);
            assertThat(after.reopen(null).values()).isEqualTo(names(0, expected + 1));
        }
    }

    @Test
    void everyFlippedByteOfTheTailIsFoundAndEndsTheLog() {
        LogFixture before = new LogFixture();
        fill(before, 0, 3);
        byte[] whole = before.disk.content(before.logFile(0));
        int size = whole.length / 3;
        for (int at = 0; at < whole.length; at++) {
            boolean covered = at % size >= 8 && !(at % size >= 12 && at % size < 16);
            CrashDisk disk = before.disk.copy();
            disk.flipBit(before.logFile(0), at);
            LogFixture after = new LogFixture(disk, before.settings, null);
            if (covered) {
                assertThat(after.values()).as("byte %d", at).isEqualTo(names(0, at / size));
                assertThat(after.report.tornFiles()).hasSize(1);
            }
        }
    }

    @Test
    void zerosWrittenAheadAreNotBatches() {
        LogFixture before = new LogFixture();
        List<String> values = fill(before, 0, 3);
        byte[] whole = before.disk.content(before.logFile(0));
        CrashDisk disk = before.disk.copy();
        disk.replaceContent(before.logFile(0), Arrays.copyOf(whole, whole.length + 70_000));
        LogFixture after = new LogFixture(disk, before.settings, null);
        assertThat(after.values()).isEqualTo(values);
        assertThat(after.report.tornFiles()).isEmpty();
        assertThat(disk.content(before.logFile(0))).hasSize(whole.length);
    }

    @Test
    void recoveryReadsOnlyBehindTheRecoveryPoint() {
        LogFixture before = new LogFixture();
        byte[] large = new byte[100_000];
        Arrays.fill(large, (byte) 'x');
        for (int i = 0; i < 100; i++) {
            before.append(new String(large, java.nio.charset.StandardCharsets.US_ASCII));
        }
        before.flush();
        RecoveryPoint known = before.log.recoveryPoint();
        before.append("tail");
        LogFixture after = before.reopen(known);
        assertThat(after.log.endOffset()).isEqualTo(101);
        assertThat(after.disk.bytesRead).isLessThan(4_000_000);
        assertThat(after.report.bytesScanned()).isLessThan(1000);
    }

    @Test
    void damageBelowTheDurablePointIsReportedAndNeverCut() {
        LogFixture before = new LogFixture();
        fill(before, 0, 5);
        before.flush();
        RecoveryPoint known = before.log.recoveryPoint();
        fill(before, 5, 2);
        int size = before.disk.content(before.logFile(0)).length / 7;
        CrashDisk disk = before.disk.copy();
        disk.flipBit(before.logFile(0), 2 * size + 40);
        byte[] damaged = disk.content(before.logFile(0));
        LogFixture after = new LogFixture(disk, before.settings, known);
        assertThat(after.log.endOffset()).isEqualTo(7);
        assertThat(disk.content(before.logFile(0))).isEqualTo(damaged);
        assertThat(after.values()).isEqualTo(names(0, 2));
        assertThat(after.read(2, 1000))
                .isInstanceOfSatisfying(
                        ReadResult.Damaged.class,
                        found -> assertThat(found.position()).isEqualTo(2L * size));
        assertThat(after.valuesFrom(3)).isEqualTo(names(3, 4));
    }

    @Test
    void durableBytesThatAreGoneAreReportedAndTheirOffsetsNotGivenAgain() {
        LogFixture before = new LogFixture();
        fill(before, 0, 5);
        before.flush();
        RecoveryPoint known = before.log.recoveryPoint();
        byte[] whole = before.disk.content(before.logFile(0));
        CrashDisk disk = before.disk.copy();
        disk.replaceContent(before.logFile(0), Arrays.copyOf(whole, whole.length - 10));
        LogFixture after = new LogFixture(disk, before.settings, known);
        assertThat(after.report.damages()).hasSize(1);
        assertThat(after.log.endOffset()).isEqualTo(5);
        assertThat(after.append("new").baseOffset()).isEqualTo(5);
        assertThat(after.read(4, 1000)).isInstanceOf(ReadResult.Damaged.class);
        assertThat(after.valuesFrom(5)).containsExactly("new");
        LogFixture again = after.reopen(known);
        assertThat(again.read(4, 1000)).isInstanceOf(ReadResult.Damaged.class);
        assertThat(again.valuesFrom(5)).containsExactly("new");
    }

    @Test
    void zerosBelowTheDurablePointAreDamageAndNotTheEnd() {
        LogFixture before = new LogFixture();
        fill(before, 0, 5);
        before.flush();
        RecoveryPoint known = before.log.recoveryPoint();
        byte[] content = before.disk.content(before.logFile(0));
        Arrays.fill(content, content.length / 5 * 2, content.length, (byte) 0);
        CrashDisk disk = before.disk.copy();
        disk.replaceContent(before.logFile(0), content);
        LogFixture after = new LogFixture(disk, before.settings, known);
        assertThat(after.report.damages()).hasSize(1);
        assertThat(after.log.endOffset()).isEqualTo(5);
        assertThat(after.values()).isEqualTo(names(0, 2));
        assertThat(after.read(2, 1000)).isInstanceOf(ReadResult.Damaged.class);
        assertThat(disk.content(before.logFile(0))).isEqualTo(content);
    }

    @Test
    void missingSegmentInTheMiddleIsReported() {
        LogFixture before = new LogFixture(SMALL);
        fill(before, 0, 40);
        before.flush();
        long missing = before.log.segments().get(1).baseOffset();
        long behind = before.log.segments().get(2).baseOffset();
        CrashDisk disk = before.disk.copy();
        disk.delete(before.logFile(missing));
        LogFixture after = new LogFixture(disk, SMALL, before.log.recoveryPoint());
        assertThat(after.report.damages()).hasSize(1);
        assertThat(after.read(missing, 1000)).isInstanceOf(ReadResult.Damaged.class);
        assertThat(after.valuesFrom(behind)).isEqualTo(names((int) behind, 40 - (int) behind));
        assertThat(after.log.endOffset()).isEqualTo(40);
    }

    @Test
    void wrongOrMissingIndexesAreRebuilt() {
        LogFixture before = new LogFixture(SMALL);
        List<String> values = fill(before, 0, 40);
        before.flush();
        long base = before.log.segments().get(1).baseOffset();
        for (String change : List.of("delete", "flip header", "flip entry", "truncate")) {
            CrashDisk disk = before.disk.copy();
            switch (change) {
                case "delete" -> disk.delete(before.indexFile(base));
                case "flip header" -> disk.flipBit(before.indexFile(base), 20);
                case "flip entry" -> disk.flipBit(before.indexFile(base), 70);
                default ->
                        disk.replaceContent(
                                before.indexFile(base),
                                Arrays.copyOf(disk.content(before.indexFile(base)), 70));
            }
            LogFixture after = new LogFixture(disk, SMALL, before.log.recoveryPoint());
            assertThat(after.values()).as(change).isEqualTo(values);
            assertThat(after.report.damages()).as(change).isEmpty();
        }
    }

    @Test
    void randomPowerLossesNeverLoseWhatWasFlushed() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            LogFixture log = new LogFixture(SMALL);
            RecoveryPoint known = null;
            int durable = 0;
            int next = 0;
            int everAppended = 0;
            for (int round = 0; round < 4; round++) {
                for (int step = random.nextInt(30); step > 0; step--) {
                    if (random.nextInt(5) == 0) {
                        log.flush();
                        durable = next;
                        known = random.nextBoolean() ? log.log.recoveryPoint() : known;
                    } else {
                        log.append("value-" + next);
                        next++;
                    }
                }
                // What an earlier recovery cut may come back until the next force: it was never
                // acknowledged.
                everAppended = Math.max(everAppended, next);
                log.disk.crash(random);
                log = new LogFixture(log.disk, SMALL, known);
                List<String> values = log.values();
                assertThat(values.size()).as("seed %d", seed).isBetween(durable, everAppended);
                assertThat(values).as("seed %d", seed).isEqualTo(names(0, values.size()));
                assertThat(log.log.endOffset()).isEqualTo(values.size());
                assertThat(log.report.damages()).as("seed %d", seed).isEmpty();
                next = values.size();
                durable = Math.min(durable, next);
            }
        }
    }

    @Test
    void bytesThatAFailedForceLeftBehindAreWrittenAgain() {
        LogFixture before = new LogFixture();
        fill(before, 0, 2);
        before.flush();
        fill(before, 2, 1);
        before.disk.failForceOf = ".log";
        before.flush();
        // In-process: the same disk, on which the lost bytes look as if they were there.
        LogFixture after = new LogFixture(before.disk, before.settings, before.log.recoveryPoint());
        assertThat(after.log.endOffset()).isEqualTo(3);
        assertThat(after.log.durableOffset()).isEqualTo(2);
        after.append("value-3");
        after.flush();
        assertThat(after.log.durableOffset()).isEqualTo(4);
        after.disk.crash();
        assertThat(after.reopen(null).values()).isEqualTo(names(0, 4));
    }

    static List<String> fill(LogFixture log, int from, int count) {
        for (String value : names(from, count)) {
            log.append(value);
        }
        return names(from, count);
    }

    static List<String> names(int from, int count) {
        return IntStream.range(from, from + count).mapToObj(i -> "value-" + i).toList();
    }
}
