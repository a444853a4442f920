package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.api.topics.TopicConfigView;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import io.sluice.record.PartitionId;
import io.sluice.replication.ReplicaFetchers;
import io.sluice.replication.ReplicationCounters;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is on a broker's disk follows the plan, also after a time in which another process had its id.
class TopicStorageTest {
    private static final int SELF = 1;

    @TempDir private Path folder;

    private PartitionWorld world;
    private TopicStorage storage;
    private ClusterView view = view();
    private boolean replaced;
    private long random;

    /// Of a broker that decides nothing here.
    private static final class NoStore implements Coordination {
        @Override
        public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
            throw new AssertionError(path);
        }

        @Override
        public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
            throw new AssertionError(changes);
        }

        @Override
        public void watch(Mailbox home, Watcher watcher) {
            throw new AssertionError();
        }
    }

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
        NodeDoors doors =
                new NodeDoors(
                        null,
                        world.disk,
                        world.clock,
                        () -> ++random,
                        world.workers,
                        List.of(world.owner),
                        world.owner,
                        new NoStore(),
                        (host, _, _, _) -> {
                            throw new AssertionError(host);
                        });
        PartitionKeeper keeper =
                new PartitionKeeper(
                        world.disk,
                        world.workers,
                        world.owner,
                        world.points,
                        new NodeSettings.Storage(
                                1,
                                PartitionWorld.FLUSH_INTERVAL,
                                Duration.ofSeconds(5),
                                Duration.ofDays(1),
                                Duration.ofSeconds(10)),
                        world.clock);
        storage =
                new TopicStorage(
                        SELF,
                        world.directory,
                        new TopicConfigView(Map.of()),
                        new ReplicaFetchers(
                                new ReplicaFetchers.Setup(
                                        doors.network(),
                                        world.clock,
                                        _ -> null,
                                        SELF,
                                        () -> 1,
                                        new ReplicationCounters()),
                                doors.shards()),
                        new PartitionFolders(doors, keeper),
                        world.owner,
                        () -> view,
                        () -> replaced);
    }

    private static ClusterView view(TopicPlan... topics) {
        return new ClusterView(
                "c", List.of(new BrokerView(SELF, "a", 1, null, 11)), SELF, List.of(topics));
    }

    private static TopicPlan topic(String name, int id) {
        PartitionPlan alone = PartitionPlan.fresh(List.of(SELF));
        return new TopicPlan(name, new UUID(1, id), List.of(alone), Map.of(), 0);
    }

    private void publish(TopicPlan... topics) {
        ClusterView before = view;
        view = view(topics);
        ClusterView after = view;
        world.owner.post(() -> storage.follow(before, after));
        world.settle();
    }

    private void appendTo(String... topics) {
        for (String name : topics) {
            world.appendDurably(partition(name), "a");
        }
        assertThat(Arrays.stream(topics).allMatch(this::isOnDisk)).isTrue();
    }

    private Partition partition(String topic) {
        return Objects.requireNonNull(world.directory.find(new PartitionId(topic, 0)));
    }

    private boolean isOnDisk(String topic) {
        return world.disk.exists(topic + "-0");
    }

    /// The other process has confirmed the deletion in this one's name: nobody asks again, and the disk would keep it for ever.
    @Test
    void whatWasDeletedWhileAnotherHadTheIdIsRemoved() {
        publish(topic("orders", 1), topic("kept", 2));
        appendTo("orders", "kept");
        replaced = true;
        publish(topic("kept", 2));
        assertThat(isOnDisk("orders")).as("not its own plan").isTrue();
        replaced = false;
        publish(topic("kept", 2));
        assertThat(world.directory.find(new PartitionId("orders", 0))).isNull();
        assertThat(isOnDisk("orders")).isFalse();
        assertThat(isOnDisk("kept")).isTrue();
        assertThat(world.directory.find(new PartitionId("kept", 0))).isNotNull();
    }

    /// Deletions are told by notes of their own: a plan that has gone alone is no order to delete.
    @Test
    void aPlanThatIsMissingDeletesNothingOtherwise() {
        publish(topic("orders", 1));
        appendTo("orders");
        publish();
        assertThat(isOnDisk("orders")).isTrue();
    }

    /// A broker is back, and has not opened anything yet.
    @Test
    void theCheckpointSaysNothingOfATopicThatWasDeletedWhileThisBrokerWasAway() {
        publish(topic("orders", 1));
        appendTo("orders");
        world.checkpoint();
        world.directory.remove(new PartitionId("orders", 0));
        Reply<Integer> retired = storage.retire("orders", new UUID(1, 1), 1);
        world.settle();
        assertThat(retired.value()).isOne();
        assertThat(isOnDisk("orders")).isFalse();
        assertThat(world.points.find(new PartitionId("orders", 0))).isNull();
        assertThat(world.checkpointed()).isEmpty();
    }

    /// A store that was restored from a backup may ask once more for what was confirmed long ago.
    @Test
    void theDeletionOfAnEarlierTopicLeavesTheDataOfALaterOne() {
        publish(topic("orders", 3));
        appendTo("orders");
        world.checkpoint();
        world.directory.remove(new PartitionId("orders", 0));
        Reply<Integer> retired = storage.retire("orders", new UUID(1, 1), 1);
        world.settle();
        assertThat(retired.value()).isOne();
        assertThat(isOnDisk("orders")).isTrue();
        assertThat(world.points.find(new PartitionId("orders", 0))).isNotNull();
        publish();
        publish(topic("orders", 3));
        assertThat(world.valuesFrom(partition("orders"), 0)).containsExactly("a");
    }

    @Test
    void aNewTopicOfTheNameStartsEmpty() {
        publish(topic("orders", 1));
        appendTo("orders");
        replaced = true;
        publish(topic("orders", 3));
        replaced = false;
        publish(topic("orders", 3));
        assertThat(partition("orders").topicId()).isEqualTo(new UUID(1, 3));
        world.appendDurably(partition("orders"), "b");
        assertThat(world.valuesFrom(partition("orders"), 0)).containsExactly("b");
    }
}
