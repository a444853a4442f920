package io.sluice.simulation.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Disk;
import io.sluice.env.DiskContract;
import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.env.DiskFile;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.TraceHash;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SimDiskTest extends DiskContract {
    @Override
    protected Disk emptyDisk() {
        return disk(1);
    }

    @Override
    protected int openFiles(Disk disk) {
        return ((SimDisk) disk).openFiles();
    }

    private static SimDisk disk(long seed) {
        return new SimDisk(new SimEntropy(seed), new TraceHash());
    }

    @Test
    void whatWasForcedAndNamedSurvivesEveryCrash() {
        Set<String> outcomes =
                outcomes(
                        disk -> {
                            DiskFile file = disk.open("a");
                            file.write(bytes("hello"), 0);
                            file.force();
                            disk.syncDirectory("");
                            disk.crash();
                            return content(disk, "a");
                        });
        assertThat(outcomes).containsExactly("hello");
    }

    @Test
    void unforcedWritesSurviveInAnyCombination() {
        Set<String> outcomes =
                outcomes(
                        disk -> {
                            DiskFile file = disk.open("a");
                            file.write(bytes("...."), 0);
                            file.force();
                            disk.syncDirectory("");
                            file.write(bytes("1"), 0);
                            file.write(bytes("2"), 1);
                            file.write(bytes("3"), 2);
                            disk.crash();
                            return content(disk, "a");
                        });
        assertThat(outcomes)
                .containsExactlyInAnyOrder(
                        "....", "1...", ".2..", "..3.", "12..", "1.3.", ".23.", "123.");
    }

    @Test
    void aLargeWriteIsTornAtSectors() {
        byte[] zeros = new byte[1536];
        byte[] ones = new byte[1536];
        Arrays.fill(ones, (byte) '1');
        Set<String> outcomes =
                outcomes(
                        disk -> {
                            DiskFile file = disk.open("a");
                            file.write(ByteBuffer.wrap(zeros), 0);
                            file.force();
                            disk.syncDirectory("");
                            file.write(ByteBuffer.wrap(ones), 0);
                            disk.crash();
                            String content = content(disk, "a");
                            StringBuilder sectors = new StringBuilder();
                            for (int sector = 0; sector < 3; sector++) {
                                String bytes = content.substring(sector * 512, sector * 512 + 512);
                                assertThat(bytes).matches("1+|\0+");
                                sectors.append(bytes.charAt(0) == '1' ? 'n' : 'o');
                            }
                            return sectors.toString();
                        });
        assertThat(outcomes).hasSize(8);
    }

    @Test
    void unsyncedNamesMayBeLostAndRenamesAreAtomic() {
        Set<String> outcomes =
                outcomes(
                        disk -> {
                            try (DiskFile file = disk.open("new")) {
                                file.write(bytes("new"), 0);
                                file.force();
                            }
                            try (DiskFile file = disk.open("checkpoint")) {
                                file.write(bytes("old"), 0);
                                file.force();
                            }
                            disk.syncDirectory("");
                            disk.rename("new", "checkpoint");
                            disk.crash();
                            return disk.list("") + " " + content(disk, "checkpoint");
                        });
        assertThat(outcomes).containsExactlyInAnyOrder("[checkpoint, new] old", "[checkpoint] new");
    }

    @Test
    void aNameWithoutItsContentIsPossible() {
        Set<String> outcomes =
                outcomes(
                        disk -> {
                            DiskFile file = disk.open("a");
                            file.write(bytes("x"), 0);
                            disk.crash();
                            return disk.exists("a") ? "'" + content(disk, "a") + "'" : "gone";
                        });
        assertThat(outcomes).contains("gone", "''", "'x'");
    }

    @Test
    void aLostDirectoryTakesItsFilesAlong() {
        Set<String> outcomes =
                outcomes(
                        disk -> {
                            disk.createDirectory("d");
                            try (DiskFile file = disk.open("d/a")) {
                                file.write(bytes("x"), 0);
                                file.force();
                            }
                            disk.syncDirectory("d");
                            disk.crash();
                            return disk.exists("d") + " " + disk.exists("d/a");
                        });
        assertThat(outcomes).containsExactlyInAnyOrder("true true", "false false");
    }

    @Test
    void anUnsyncedDeletionMayComeBack() {
        Set<String> outcomes =
                outcomes(
                        disk -> {
                            try (DiskFile file = disk.open("a")) {
                                file.write(bytes("x"), 0);
                                file.force();
                            }
                            disk.syncDirectory("");
                            disk.delete("a");
                            disk.crash();
                            return "" + disk.exists("a");
                        });
        assertThat(outcomes).containsExactlyInAnyOrder("true", "false");
    }

    /// fsyncgate: the error is told once, the next force succeeds, programs see the new data, and the disk does not have it.
    @Test
    void aFailedForceDropsTheDataAndTheNextOneSucceeds() {
        Set<String> outcomes =
                outcomes(
                        disk -> {
                            DiskFile file = disk.open("a");
                            file.write(bytes("old"), 0);
                            file.force();
                            disk.syncDirectory("");
                            file.write(bytes("new"), 0);
                            disk.failedForcePerMille(1000);
                            assertThatThrownBy(file::force).isInstanceOf(DiskException.class);
                            disk.failedForcePerMille(0);
                            file.force();
                            assertThat(content(disk, "a")).isEqualTo("new");
                            disk.crash();
                            return content(disk, "a");
                        });
        assertThat(outcomes).containsExactlyInAnyOrder("old", "new");
    }

    @Test
    void aDeadProcessLosesNothing() {
        SimDisk disk = disk(3);
        DiskFile file = disk.open("a");
        file.write(bytes("x"), 0);
        disk.loseProcess();
        assertThat(content(disk, "a")).isEqualTo("x");
        assertThatThrownBy(() -> file.write(bytes("y"), 0)).isInstanceOf(PowerCut.class);
        assertThat(disk.openFiles()).isZero();
    }

    @Test
    void afterThePowerCutNothingWorksUntilItIsBack() {
        SimDisk disk = disk(3);
        DiskFile file = disk.open("a");
        disk.cutPowerAfter(1);
        file.write(bytes("x"), 0);
        assertThatThrownBy(() -> file.write(bytes("y"), 1)).isInstanceOf(PowerCut.class);
        assertThat(disk.isPowered()).isFalse();
        assertThatThrownBy(() -> disk.list("")).isInstanceOf(PowerCut.class);
        file.close();
        disk.crash();
        assertThat(disk.list("")).isIn(List.of(), List.of("a"));
    }

    @Test
    void aFullDiskRefusesGrowthButNotOverwriting() {
        SimDisk disk = disk(3);
        DiskFile file = disk.open("a");
        file.write(ByteBuffer.allocate(100), 0);
        disk.capacity(110);
        file.write(ByteBuffer.allocate(100), 0);
        assertThatThrownBy(() -> file.write(ByteBuffer.allocate(50), 90))
                .isInstanceOfSatisfying(
                        DiskException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FULL));
        assertThat(file.size()).isBetween(100L, 110L);
        file.truncate(10);
        file.write(ByteBuffer.allocate(50), 10);
        disk.unlimitedCapacity();
        file.write(ByteBuffer.allocate(500), 10);
        assertThat(disk.usedBytes()).isEqualTo(510);
    }

    @Test
    void deletedFilesGiveTheirRoomBackWhenTheLastUserIsGone() {
        SimDisk disk = disk(3);
        DiskFile file = disk.open("a");
        file.write(ByteBuffer.allocate(100), 0);
        disk.delete("a");
        assertThat(disk.usedBytes()).isEqualTo(100);
        file.close();
        assertThat(disk.usedBytes()).isZero();
    }

    @Test
    void rotChangesWhatIsReadNowAndAfterACrash() {
        SimDisk disk = disk(3);
        DiskFile file = disk.open("a");
        file.write(bytes("a"), 0);
        file.force();
        disk.syncDirectory("");
        disk.rot("a", 0, 2);
        assertThat(content(disk, "a")).isEqualTo("c");
        disk.crash();
        assertThat(content(disk, "a")).isEqualTo("c");
    }

    @Test
    void anUnreadableRangeFailsUntilItIsWritten() {
        SimDisk disk = disk(3);
        DiskFile file = disk.open("a");
        file.write(ByteBuffer.allocate(100), 0);
        disk.failReads("a", 50, 60);
        assertThat(file.read(ByteBuffer.allocate(50), 0)).isEqualTo(50);
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(51), 0))
                .isInstanceOf(DiskException.class);
        file.write(ByteBuffer.allocate(10), 50);
        assertThat(file.read(ByteBuffer.allocate(100), 0)).isEqualTo(100);
    }

    private static Set<String> outcomes(Function<SimDisk, String> run) {
        Set<String> outcomes = new TreeSet<>();
        for (int seed = 0; seed < 1000; seed++) {
            outcomes.add(run.apply(disk(seed)));
        }
        return outcomes;
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String content(Disk disk, String path) {
        try (DiskFile file = disk.openForReading(path)) {
            ByteBuffer target = ByteBuffer.allocate((int) file.size());
            file.read(target, 0);
            return StandardCharsets.UTF_8.decode(target.flip()).toString();
        }
    }
}
