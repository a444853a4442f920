package io.sluice.listener.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuardsTest {
    @TempDir Path root;
    private Path group;

    @BeforeEach
    void makeFolders() throws IOException {
        group = Files.createDirectories(root.resolve("sys/fs/cgroup"));
        Files.createDirectories(root.resolve("proc/pressure"));
    }

    private Guards guards() {
        return new Guards(1, 0.9, 0.2, 0.9, root);
    }

    @Test
    void aGuardIsAShare() {
        assertThatThrownBy(() -> Guards.ofThisProcess(85, 0.9, 0.2, 0.9))
                .hasMessage(
                        "The guard on heap is a share above 0 and at most 1, not 85.0. With 1 it never takes a lane down.");
        assertThatThrownBy(() -> Guards.ofThisProcess(0.85, 0.9, 0.2, 0))
                .hasMessageContaining("CPU stall");
    }

    @Test
    void whatTheMachineDoesNotTellIsNoReasonToWorry() {
        assertThat(guards().look().tooMuch()).isFalse();
    }

    @Test
    void theContainersMemoryCountsWithoutThePageCache() throws IOException {
        Files.writeString(group.resolve("memory.max"), "1000\n");
        Files.writeString(group.resolve("memory.current"), "950\n");
        Files.writeString(group.resolve("memory.stat"), "anon 1\ninactive_file 100\n");
        assertThat(guards().look().tooMuch()).isFalse();

        Files.writeString(group.resolve("memory.stat"), "anon 1\ninactive_file 10\n");
        assertThat(guards().look().why()).isEqualTo("94 % of the container's memory are taken");
    }

    @Test
    void aContainerWithoutALimitIsNeverFull() throws IOException {
        Files.writeString(group.resolve("memory.max"), "max\n");
        assertThat(guards().look().tooMuch()).isFalse();
    }

    @Test
    void stallsAreReadFromTheContainerOrTheMachine() throws IOException {
        Files.writeString(
                root.resolve("proc/pressure/memory"),
                "some avg10=31.50 avg60=0.00 avg300=0.00 total=1\n");
        assertThat(guards().look().why())
                .isEqualTo("tasks waited for memory 32 % of the last 10 s");

        Files.writeString(group.resolve("memory.pressure"), "some avg10=0.00 avg60=0.00\n");
        assertThat(guards().look().tooMuch()).isFalse();

        Files.writeString(group.resolve("cpu.pressure"), "some avg10=99.00 avg60=0.00\n");
        assertThat(guards().look().why()).contains("CPU 99 %");
    }
}
