package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.partition.PartitionWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// When a disk counts as full, and when not any more.
class DiskRoomTest {
    private static final Duration MOMENT = Duration.ofSeconds(1);

    @TempDir Path folder;
    private final LongAdder refusals = new LongAdder();
    private PartitionWorld world;
    private DiskRoom room;

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
        room = new DiskRoom(world.disk, world.workers, world.clock, world.owner, refusals);
    }

    /// As it is asked with a sign of life, a moment after the last one.
    private boolean isFullAfter(Duration span) {
        world.time.advance(span);
        room.isFull();
        world.settle();
        return room.isFull();
    }

    @Test
    void aDiskIsFullWhenItHasRefusedSomethingWhateverIsFree() {
        world.disk.usable(0);
        assertThat(isFullAfter(MOMENT)).as("nothing was refused").isFalse();
        world.disk.usable(DiskRoom.MARGIN_BYTES);
        refusals.increment();
        assertThat(isFullAfter(MOMENT)).isTrue();
    }

    @Test
    void itStaysFullForAWhile() {
        world.disk.usable(DiskRoom.MARGIN_BYTES);
        refusals.increment();
        assertThat(room.isFull()).isTrue();
        assertThat(isFullAfter(DiskRoom.AFTER_A_REFUSAL.minus(MOMENT))).isTrue();
        refusals.increment();
        assertThat(room.isFull()).isTrue();
        assertThat(isFullAfter(DiskRoom.AFTER_A_REFUSAL.minus(MOMENT)))
                .as("counted from the last refusal")
                .isTrue();
        assertThat(isFullAfter(MOMENT)).isFalse();
    }

    @Test
    void aLittleRoomIsNotEnough() {
        world.disk.usable(1);
        refusals.increment();
        assertThat(room.isFull()).isTrue();
        assertThat(isFullAfter(Duration.ofHours(1))).isTrue();
        world.disk.usable(DiskRoom.MARGIN_BYTES);
        assertThat(isFullAfter(MOMENT)).isFalse();
    }

    @Test
    void whatIsRefusedDuringTheLookCounts() {
        world.disk.usable(DiskRoom.MARGIN_BYTES);
        refusals.increment();
        assertThat(room.isFull()).isTrue();
        world.time.advance(DiskRoom.AFTER_A_REFUSAL);
        room.isFull();
        refusals.increment();
        world.settle();
        assertThat(room.isFull()).isTrue();
    }
}
