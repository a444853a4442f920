package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.env.DiskFile;
import io.sluice.env.os.OsDisk;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VouchingBootTest {
    private static final UUID BOOT = new UUID(9, 1);
    private static final UUID NEXT_BOOT = new UUID(9, 2);

    @TempDir Path folder;
    private OsDisk disk;

    @BeforeEach
    void begin() {
        disk = new OsDisk(folder);
    }

    @Test
    void theMachinesRunVouchesForItsPageCache() {
        assertThat(VouchingBoot.take(disk, null)).as("unknown").isNull();
        assertThat(VouchingBoot.take(disk, BOOT)).isEqualTo(BOOT);
        assertThat(VouchingBoot.take(disk, BOOT)).as("the next process").isEqualTo(BOOT);
        assertThat(VouchingBoot.take(disk, NEXT_BOOT)).as("the next run").isEqualTo(NEXT_BOOT);
    }

    @Test
    void afterTheDiskHasFailedItDoesNotBeforeTheNextOne() {
        VouchingBoot.take(disk, BOOT);
        VouchingBoot.distrust(disk, BOOT, true);
        assertThat(VouchingBoot.take(disk, BOOT)).isNull();
        assertThat(VouchingBoot.take(disk, BOOT)).as("at every start").isNull();
        assertThat(VouchingBoot.take(disk, NEXT_BOOT)).isEqualTo(NEXT_BOOT);
        VouchingBoot.distrust(disk, NEXT_BOOT, true);
        assertThat(VouchingBoot.take(disk, NEXT_BOOT)).isNull();
    }

    /// A disk that fails may be full as well: nothing new is written, not even a new name.
    @Test
    void distrustTakesNoRoom() {
        VouchingBoot.take(disk, BOOT);
        List<String> names = disk.list("");
        VouchingBoot.distrust(new FullDisk(disk, names), BOOT, true);
        assertThat(VouchingBoot.take(disk, BOOT)).isNull();
    }

    @Test
    void aRunThatCouldNotBeNotedVouchesForNothing() {
        assertThat(VouchingBoot.take(new FullDisk(disk, List.of()), BOOT)).isNull();
        VouchingBoot.distrust(disk, BOOT, false);
        assertThat(VouchingBoot.take(disk, BOOT)).isNull();
        assertThat(VouchingBoot.take(disk, NEXT_BOOT)).isEqualTo(NEXT_BOOT);
    }

    @Test
    void aNoteOfAnOlderVersionIsUnderstood() {
        write("distrusted-boot", BOOT + "\n");
        assertThat(VouchingBoot.take(disk, BOOT)).isNull();
        assertThat(VouchingBoot.take(disk, NEXT_BOOT)).isEqualTo(NEXT_BOOT);
    }

    @Test
    void aNoteThatCannotBeReadMayBeAboutThisRun() {
        VouchingBoot.take(disk, BOOT);
        write("distrusted-boot", "");
        assertThat(VouchingBoot.take(disk, BOOT)).isNull();
    }

    /// The power went off while it was written.
    @Test
    void halfANoteOfAVouchingRunIsWrittenAgain() {
        write("vouching-boot", "0000");
        assertThat(VouchingBoot.take(disk, BOOT)).isEqualTo(BOOT);
        VouchingBoot.distrust(disk, BOOT, true);
        assertThat(VouchingBoot.take(disk, BOOT)).isNull();
    }

    private void write(String name, String text) {
        try (DiskFile file = disk.open(name)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
        }
    }

    /// Room for the names that there are, and for nothing else.
    private record FullDisk(Disk disk, List<String> names) implements Disk {
        private static DiskException full(String path) {
            return new DiskException(Kind.FULL, path, "No room for " + path + ".");
        }

        @Override
        public DiskFile open(String path) {
            throw full(path);
        }

        @Override
        public DiskFile openForReading(String path) {
            return disk.openForReading(path);
        }

        @Override
        public List<String> list(String directory) {
            return disk.list(directory);
        }

        @Override
        public boolean exists(String path) {
            return disk.exists(path);
        }

        @Override
        public void createDirectory(String directory) {
            throw full(directory);
        }

        @Override
        public void rename(String from, String to) {
            if (!names.contains(to)) {
                throw full(to);
            }
            disk.rename(from, to);
        }

        @Override
        public void delete(String path) {
            disk.delete(path);
        }

        @Override
        public void syncDirectory(String directory) {
            disk.syncDirectory(directory);
        }

        @Override
        public long usableBytes() {
            return 0;
        }

        @Override
        public long totalBytes() {
            return disk.totalBytes();
        }
    }
}
