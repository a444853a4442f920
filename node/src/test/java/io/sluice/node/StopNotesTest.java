package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.Registration;
import io.sluice.env.Reply;
import io.sluice.partition.PartitionWorld;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A clean stop is noted when everything is on disk, of former lives, too.
class StopNotesTest {
    @TempDir Path folder;

    /// A run from its start to its end in order. Returns the epoch of the clean stop that it found.
    private long run(long epoch, boolean everythingWasOpened) {
        PartitionWorld world = new PartitionWorld(folder);
        StopNotes notes = new StopNotes(world.disk, world.workers, world.home, null);
        long found = notes.takeCleanStop();
        Reply<Boolean> left = notes.leave(epoch, everythingWasOpened);
        world.settle();
        assertThat(left.isDone()).isTrue();
        return found;
    }

    @Test
    void afterACrashAStopIsCleanOnceEveryLogWasOpened() {
        assertThat(run(7, false)).isEqualTo(Registration.UNCLEAN);
        assertThat(run(8, true)).as("the logs of the crash were not all flushed").isEqualTo(-1);
        assertThat(run(9, true)).isEqualTo(8);
    }

    @Test
    void afterACleanStopNothingHasToBeOpened() {
        run(7, true);
        assertThat(run(8, false)).isEqualTo(7);
        assertThat(run(9, false)).isEqualTo(8);
    }
}
