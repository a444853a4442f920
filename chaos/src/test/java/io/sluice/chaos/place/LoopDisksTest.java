package io.sluice.chaos.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a power cut takes and what it leaves; skipped where the machine has no loop mounts.
class LoopDisksTest {
    @TempDir private Path folder;

    @Test
    void aPowerCutTakesWhatWasNotSyncedAndLeavesWhatWas() throws IOException {
        Path root = folder.toRealPath();
        String obstacle = LoopDisks.obstacle(root);
        assumeTrue(obstacle == null, () -> "skipped: " + obstacle);
        try (LoopDisks disks = new LoopDisks(root, 1)) {
            Path synced = disks.folder(1).resolve("synced");
            Path unsynced = disks.folder(1).resolve("unsynced");
            write(synced, true);
            write(unsynced, false);
            disks.cutPower(1);
            disks.repair(1);
            assertThat(synced).hasContent("kept");
            assertThat(unsynced)
                    .satisfiesAnyOf(
                            file -> assertThat(file).doesNotExist(),
                            file -> assertThat(file).isEmptyFile());
        }
    }

    @Test
    void aFullDiskTakesNothingMoreUntilItIsRepaired() throws IOException {
        Path root = folder.toRealPath();
        String obstacle = LoopDisks.obstacle(root);
        assumeTrue(obstacle == null, () -> "skipped: " + obstacle);
        try (LoopDisks disks = new LoopDisks(root, 1)) {
            Path file = disks.folder(1).resolve("file");
            disks.fill(1);
            assertThatThrownBy(() -> Files.write(file, new byte[1 << 16]))
                    .isInstanceOf(IOException.class);
            disks.repair(1);
            Files.write(file, new byte[1 << 16]);
            assertThat(file).hasSize(1 << 16);
        }
    }

    @Test
    void thePowerOfAPlainFolderStaysOn() {
        assertThatThrownBy(() -> PowerSwitch.cut(folder)).hasMessageContaining("no loop mount");
    }

    private static void write(Path file, boolean sync) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(
                    ByteBuffer.wrap("kept".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
            if (sync) {
                channel.force(true);
            }
        }
    }
}
