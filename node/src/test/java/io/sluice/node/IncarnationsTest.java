package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskFile;
import io.sluice.env.os.OsDisk;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IncarnationsTest {
    @TempDir Path folder;
    private OsDisk disk;

    @BeforeEach
    void begin() {
        disk = new OsDisk(folder);
    }

    private static UUID process(long number) {
        return new UUID(7, number);
    }

    @Test
    void thoseBeforeAreNamedAndThisOneIsNoted() {
        assertThat(Incarnations.take(disk, process(1))).as("nothing is known").isNull();
        assertThat(Incarnations.take(disk, process(2))).containsExactly(process(1));
        assertThat(Incarnations.take(disk, process(3)))
                .as("the second may have been killed before it registered")
                .containsExactlyInAnyOrder(process(1), process(2));
    }

    @Test
    void theFileIsOneLineForEach() {
        Incarnations.take(disk, process(1));
        Incarnations.take(disk, process(2));
        assertThat(folder.resolve("incarnations"))
                .hasContent(
                        """
                        00000000-0000-0007-0000-000000000001
                        00000000-0000-0007-0000-000000000002
                        """);
    }

    @Test
    void onlyTheLastAreKept() {
        for (int i = 0; i < 100; i++) {
            Incarnations.take(disk, process(i));
        }
        assertThat(Incarnations.take(disk, process(100)))
                .hasSize(64)
                .contains(process(99))
                .doesNotContain(process(35));
    }

    @Test
    void whatCannotBeReadIsNobodys() {
        try (DiskFile file = disk.open("incarnations")) {
            file.write(
                    ByteBuffer.wrap(("junk\n" + process(1)).getBytes(StandardCharsets.UTF_8)), 0);
        }
        assertThat(Incarnations.take(disk, process(2))).containsExactly(process(1));
    }
}
