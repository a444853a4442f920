package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.log.TopicSettings;
import io.sluice.partition.LocalPartition;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A coordinator's way to a real partition.
class PartitionLogDoorTest {
    @TempDir Path folder;
    private PartitionWorld world;
    private Partition offsets;
    private PartitionLogDoor door;

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
        offsets = world.add("offsets", 0, TopicSettings.defaults());
        world.appendDurably(offsets, "a");
        Reply<Lookup<LocalPartition>> local = offsets.local();
        world.settle();
        if (!(PartitionWorld.require(local) instanceof Lookup.Found(LocalPartition found))) {
            throw new AssertionError("not led here: " + local);
        }
        door = new PartitionLogDoor(found);
    }

    private Reply<ByteBuffer> read() {
        List<Reply<ByteBuffer>> reads = new ArrayList<>();
        world.owner.post(() -> reads.add(door.read(0, 1 << 20)));
        world.settle();
        return reads.getFirst();
    }

    @Test
    void batchesAreRead() {
        assertThat(read().value().hasRemaining()).isTrue();
    }

    /// Else the file could not be closed any more, nor its room be given back.
    @Test
    void aFileThatCannotBeReadIsLetGoOf() {
        world.disk.failReads();
        assertThat(read().isFailed()).isTrue();

        offsets.retire(world.home);
        world.settle();
        assertThat(world.disk.openFiles()).isZero();
    }
}
