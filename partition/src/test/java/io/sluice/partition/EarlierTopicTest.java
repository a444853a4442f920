package io.sluice.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.PartitionId;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A broker that was away while a topic was deleted has its folder, and a topic of the same name is placed there: nobody is shown the records of the first one.
class EarlierTopicTest {
    private static final PartitionId ID = new PartitionId("orders", 0);
    private static final UUID LATER = new UUID(7, 8);

    @TempDir private Path root;
    private Map<String, RecoveryPoint> known = Map.of();

    @BeforeEach
    void anEarlierTopicHadRecords() {
        PartitionWorld world = new PartitionWorld(root);
        Partition partition = world.add(ID.topic(), 0, PartitionWorld.settings());
        world.appendDurably(partition, "old one", "old two");
        world.checkpoint();
        known = world.checkpointed();
        assertThat(known).containsKey(ID.toString());
    }

    private static Partition add(PartitionWorld world, UUID topic) {
        return world.directory.add(ID, topic, PartitionWorld.settings(), 0);
    }

    @Test
    void itStartsEmptyAndTheOldRecordsAreKeptAside() {
        PartitionWorld world = new PartitionWorld(root, known);
        Partition later = add(world, LATER);
        world.open(later);
        assertThat(world.valuesFrom(later, 0)).isEmpty();
        world.appendDurably(later, "new");
        assertThat(world.valuesFrom(later, 0)).containsExactly("new");
        assertThat(world.disk.list("")).contains(PartitionWorld.TOPIC_ID + "-0.stray");
    }

    /// Otherwise its end would pass for that of the new log, whose first records would then be missed.
    @Test
    void whatTheCheckpointSaysOfTheOldOneIsForgottenBeforeTheFirstRecord() {
        PartitionWorld world = new PartitionWorld(root, known);
        Partition later = add(world, LATER);
        world.open(later);
        PartitionWorld next = new PartitionWorld(root, world.checkpointed());
        Partition again = add(next, LATER);
        next.appendDurably(again, "new");
        assertThat(next.valuesFrom(again, 0)).containsExactly("new");
    }

    /// Where the folder is gone nothing tells any more that it was another topic's, and its end would pass for one that this log had.
    @Test
    void theOldFolderStaysUntilTheCheckpointHasForgottenIt() {
        PartitionWorld world = new PartitionWorld(root, known);
        world.disk.full(true); // The checkpoint cannot be written, and then the process dies.
        world.open(add(world, LATER));
        PartitionWorld next = new PartitionWorld(root, world.checkpointed());
        Partition again = add(next, LATER);
        next.appendDurably(again, "new");
        assertThat(next.valuesFrom(again, 0)).containsExactly("new");
        assertThat(next.disk.list("")).contains(PartitionWorld.TOPIC_ID + "-0.stray");
    }

    @Test
    void theSameTopicGoesOn() {
        PartitionWorld world = new PartitionWorld(root, known);
        Partition same = add(world, PartitionWorld.TOPIC_ID);
        assertThat(world.valuesFrom(same, 0)).containsExactly("old one", "old two");
        assertThat(world.disk.list("")).noneMatch(name -> name.endsWith(".stray"));
    }

    @Test
    void aFolderWithoutAMarkBelongsToWhoOpensItFirst() {
        PartitionWorld before = new PartitionWorld(root);
        before.disk.delete(ID + "/" + PartitionWorld.TOPIC_ID + ".topic");
        PartitionWorld world = new PartitionWorld(root, known);
        Partition first = add(world, LATER);
        assertThat(world.valuesFrom(first, 0)).containsExactly("old one", "old two");
        assertThat(world.disk.exists(ID + "/" + LATER + ".topic")).isTrue();
    }
}
