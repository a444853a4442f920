package io.sluice.env.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class BootIdTest {
    @TempDir Path folder;

    @Test
    void isReadAsTheKernelWritesIt() throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("boot_id"), "8d0c6a3e-51f7-4f0b-9c1b-6f2f6f7f0a11\n");
        assertThat(BootId.read(file))
                .isEqualTo(UUID.fromString("8d0c6a3e-51f7-4f0b-9c1b-6f2f6f7f0a11"));
    }

    @Test
    void isUnknownWhereTheSystemDoesNotSay() throws IOException {
        assertThat(BootId.read(folder.resolve("absent"))).isNull();
        assertThat(BootId.read(Files.writeString(folder.resolve("odd"), "no id\n"))).isNull();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void staysTheSameWhileTheMachineRuns() {
        assertThat(BootId.find()).isNotNull().isEqualTo(BootId.find());
    }
}
