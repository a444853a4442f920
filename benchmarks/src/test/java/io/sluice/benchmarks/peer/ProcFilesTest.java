package io.sluice.benchmarks.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcFilesTest {
    @TempDir Path root;

    @Test
    void processTimesAreReadBehindANameWithSpacesAndParentheses() throws IOException {
        writeProcess(42, "(strange) na me)");

        ProcessUsage usage = new ProcFiles(root).usage(42);

        assertThat(usage.user()).isEqualTo(Duration.ofMillis(12_340));
        assertThat(usage.system()).isEqualTo(Duration.ofMillis(560));
        assertThat(usage.cpuSeconds()).isEqualTo(12.9);
        assertThat(usage.threads()).isEqualTo(97);
    }

    @Test
    void memoryFilesAndMappingsAreCounted() throws IOException {
        writeProcess(42, "java");

        ProcessUsage usage = new ProcFiles(root).usage(42);

        assertThat(usage.residentBytes()).isEqualTo(380_000 * 1024L);
        assertThat(usage.openFiles()).isEqualTo(3);
        assertThat(usage.mappings()).isEqualTo(2);
    }

    @Test
    void contextSwitchesAreThoseOfAllThreads() throws IOException {
        writeProcess(42, "java");

        assertThat(new ProcFiles(root).usage(42).contextSwitches()).isEqualTo(2 * (100 + 7));
    }

    @Test
    void compilersAreToldFromOtherThreads() throws IOException {
        writeProcess(42, "java");
        ProcFiles files = new ProcFiles(root);
        writeThread(42, 7, "main", 500);
        writeThread(42, 8, "C2 CompilerThre", 100);
        ProcessUsage before = files.usage(42);
        assertThat(before.compilers()).isEqualTo(Duration.ofSeconds(1));
        assertThat(before.compilersShareSince(before)).isZero();

        writeThread(42, 9, "C1 CompilerThre", 645);
        assertThat(files.usage(42).compilersShareSince(ProcessUsage.NONE))
                .isEqualTo(7.45 / 12.9, within(1e-9));
    }

    @Test
    void aProcessThatIsGoneUsesNothing() {
        assertThat(new ProcFiles(root).usage(4711)).isEqualTo(ProcessUsage.NONE);
    }

    @Test
    void aProcessTreeIsTheSumOfItsProcesses() throws IOException {
        writeProcess(1, "sh");
        writeProcess(2, "java");
        ProcFiles files = new ProcFiles(root);

        ProcessUsage both = files.usage(1).plus(files.usage(2));

        assertThat(both.cpuSeconds()).isEqualTo(2 * 12.9);
        assertThat(both.residentBytes()).isEqualTo(2 * 380_000 * 1024L);
    }

    @Test
    void backgroundIsWhatIsBusyWithoutTheKnown() throws IOException {
        Files.writeString(root.resolve("stat"), "cpu  1000 0 500 8000 100 0 0 50 0 0\ncpu0 1 1\n");
        MachineUsage before = new ProcFiles(root).machine();
        Files.writeString(root.resolve("stat"), "cpu  1600 0 700 9000 200 0 0 150 0 0\n");
        MachineUsage after = new ProcFiles(root).machine();

        // 600 + 200 busy and 100 stolen of 2000 ticks; 5 s are ours.
        assertThat(after.backgroundSince(before, 5)).isEqualTo(0.2, within(1e-9));
        assertThat(after.backgroundSince(before, 1_000)).isZero();
    }

    @Test
    void thisMachineCanBeRead() {
        ProcFiles files = ProcFiles.ofThisMachine();

        ProcessUsage self = files.usage(ProcessHandle.current().pid());

        assertThat(self.residentBytes()).isPositive();
        assertThat(self.threads()).isPositive();
        assertThat(self.openFiles()).isPositive();
        assertThat(files.ownCpuSeconds()).isPositive();
        assertThat(files.machine().totalTicks()).isPositive();
    }

    private void writeThread(long processId, int thread, String name, int ticks)
            throws IOException {
        Path folder = Files.createDirectories(root.resolve(processId + "/task/" + thread));
        Files.writeString(
                folder.resolve("stat"),
                thread
                        + " ("
                        + name
                        + ") S 1 1 1 0 -1 4194304 9 0 0 0 "
                        + ticks
                        + " 0 7 8 20 0 97 0 5000 1 2 3\n");
        Files.writeString(folder.resolve("status"), "voluntary_ctxt_switches:\t1\n");
    }

    private void writeProcess(long processId, String name) throws IOException {
        Path folder = Files.createDirectories(root.resolve(Long.toString(processId)));
        Files.writeString(
                folder.resolve("stat"),
                processId
                        + " ("
                        + name
                        + ") S 1 1 1 0 -1 4194304 9 0 0 0 1234 56 7 8 20 0 97 0 5000 1 2 3\n");
        Files.writeString(folder.resolve("status"), "Name:\tx\nVmRSS:\t  380000 kB\n");
        for (int task = 0; task < 2; task++) {
            Path thread = Files.createDirectories(folder.resolve("task/" + task));
            Files.writeString(
                    thread.resolve("status"),
                    "voluntary_ctxt_switches:\t100\nnonvoluntary_ctxt_switches:\t7\n");
        }
        Files.createDirectories(folder.resolve("fd"));
        for (int file = 0; file < 3; file++) {
            Files.createFile(folder.resolve("fd/" + file));
        }
        Files.writeString(folder.resolve("maps"), "7f00-7f01 r--p\n7f02-7f03 r-xp\n");
    }
}
