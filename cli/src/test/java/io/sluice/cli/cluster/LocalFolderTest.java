package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The folder of `cluster up`.
class LocalFolderTest {
    @TempDir Path path;
    private LocalFolder folder;

    @BeforeEach
    void begin() {
        folder = new LocalFolder(path);
    }

    private void make(int brokers) throws IOException {
        for (int id = 1; id <= brokers; id++) {
            Files.createDirectories(LocalFolder.data(folder.of(id)));
        }
    }

    @Test
    void aNewFolderTakesAnyNumber() throws IOException {
        folder.requireMadeFor(1);
        folder.requireMadeFor(9);
        Files.createDirectories(folder.of(3));
        folder.requireMadeFor(2); // Its broker has never come to have data.
        assertThat(new LocalFolder(path.resolve("absent")))
                .satisfies(absent -> absent.requireMadeFor(5));
    }

    @Test
    void theSameNumberIsStartedAgain() throws IOException {
        make(3);
        folder.requireMadeFor(3);
    }

    @Test
    void anotherNumberIsRefusedWithBothAndWhatToDo() throws IOException {
        make(3);
        for (int wanted : new int[] {1, 2, 5}) {
            assertThatThrownBy(() -> folder.requireMadeFor(wanted))
                    .isInstanceOfSatisfying(
                            Failure.class,
                            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE))
                    .hasMessageContaining(path + " was made with --brokers 3")
                    .hasMessageContaining("--brokers " + wanted)
                    .hasMessageContaining("--dir");
        }
    }
}
