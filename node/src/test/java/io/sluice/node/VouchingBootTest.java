package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskFile;
import io.sluice.env.os.OsDisk;
import java.nio.file.Path;
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
        assertThat(VouchingBoot.find(disk, BOOT)).isEqualTo(BOOT);
        assertThat(VouchingBoot.find(disk, null)).as("unknown").isNull();
    }

    @Test
    void afterTheDiskHasFailedItDoesNotBeforeTheNextOne() {
        VouchingBoot.distrust(disk, BOOT);
        assertThat(VouchingBoot.find(disk, BOOT)).isNull();
        assertThat(VouchingBoot.find(disk, BOOT)).as("at every start").isNull();
        assertThat(VouchingBoot.find(disk, NEXT_BOOT)).isEqualTo(NEXT_BOOT);
        VouchingBoot.distrust(disk, NEXT_BOOT);
        assertThat(VouchingBoot.find(disk, NEXT_BOOT)).isNull();
    }

    @Test
    void aNoteThatCannotBeReadMayBeAboutThisRun() {
        try (DiskFile empty = disk.open("distrusted-boot")) {
            assertThat(empty.size()).isZero();
        }
        assertThat(VouchingBoot.find(disk, BOOT)).isNull();
    }
}
