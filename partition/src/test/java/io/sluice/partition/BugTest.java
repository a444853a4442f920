package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.require;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Crossing;
import io.sluice.env.Reply;
import io.sluice.log.TopicSettings;
import io.sluice.record.PartitionId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A bug ends what met it: nobody waits for ever, and the others go on.
class BugTest {
    private static final Duration TILL_THE_NEXT_CHECK =
            ReplicationDoors.DEFAULT_LAG_TIME_MAX.dividedBy(2);

    @TempDir Path folder;

    @Test
    void whoWaitsForALogThatCannotBePutInServiceIsTold() {
        PartitionWorld world = new PartitionWorld(folder);
        Partition orders = world.add("orders", 0, TopicSettings.defaults());
        Reply<Lookup<PartitionStatus>> status = orders.status(world.home);
        world.turn();
        world.workers.runAll();
        world.clock.hasABug = true;
        assertThatThrownBy(world::turn).isInstanceOf(Crossing.Unfinished.class);
        world.clock.hasABug = false;
        world.settle();

        assertThat(require(status)).isInstanceOf(Lookup.Failed.class);
        assertThat(world.disk.openFiles()).isZero();

        world.time.advance(Duration.ofSeconds(31));
        world.appendDurably(orders, "a");
    }

    @Test
    void aRequestThatMeetsABugIsAnswered() {
        PartitionWorld world = new PartitionWorld(folder);
        Partition orders = world.add("orders", 0, TopicSettings.defaults());
        world.open(orders);
        world.clock.hasABug = true;
        Reply<AppendOutcome> append = world.append(orders, Acks.ALL, "a");
        assertThatThrownBy(world::turn).isInstanceOf(Crossing.Unfinished.class);
        world.clock.hasABug = false;
        world.settle();

        assertThat(append.isFailed()).isTrue();
        world.appendDurably(orders, "b");
    }

    /// Nobody knows what is on the disk then: the log is offline, instead of never being flushed again.
    @Test
    void whoWaitsForAFlushThatMeetsABugIsTold() {
        PartitionWorld world = new PartitionWorld(folder);
        Partition orders = world.add("orders", 0, TopicSettings.defaults());
        world.open(orders);
        Reply<AppendOutcome> append = world.append(orders, Acks.ALL, "a");
        world.owner.post(() -> world.clock.hasABug = true); // Before the flush, which is posted.
        assertThatThrownBy(world::turn).isInstanceOf(Crossing.Unfinished.class);
        world.clock.hasABug = false;
        world.settle();

        assertThat(require(append)).isInstanceOf(AppendOutcome.Failed.class);
        assertThat(orders.isOffline()).isTrue();
    }

    @Test
    void aFollowerWhoseLogCannotBeReplacedIsOfflineAndItsFetcherHearsOfIt() {
        ReplicaCluster cluster = new ReplicaCluster(folder, 2, TopicSettings.defaults());
        cluster.lead(0, 0, 1);
        cluster.append(0, Acks.LEADER, "a");
        cluster.catchUp(1);
        cluster.world(1).checkpoint();
        cluster.world(1).checkpointHasABug = true;

        Reply<FollowOutcome> outcome =
                cluster.on(1)
                        .restartFromLeader(cluster.plan().leaderEpoch(), 10, cluster.world(1).home);
        assertThatThrownBy(cluster.world(1)::settle).isInstanceOf(Crossing.Unfinished.class);
        cluster.world(1).settle();

        assertThat(require(outcome)).isInstanceOf(FollowOutcome.Failed.class);
        assertThat(cluster.on(1).isOffline()).isTrue();
    }

    /// Nothing comes of it for this one; the others are looked after, now and the next time.
    @Test
    void aBugInTheFollowersOfOnePartitionDoesNotEndTheCheckOfTheOthers() {
        PartitionWorld world = new PartitionWorld(folder);
        lead(world, "buggy");
        lead(world, "orders");
        world.inSync.topicWithABug = "buggy";

        assertThatThrownBy(() -> world.time.advance(TILL_THE_NEXT_CHECK.multipliedBy(3)))
                .isInstanceOf(Crossing.Unfinished.class);
        world.settle();
        assertThat(world.inSync.count()).isEqualTo(1);
        assertThat(world.inSync.last().proposal().id().topic()).isEqualTo("orders");

        world.inSync.topicWithABug = "";
        world.inSync.last().fail();
        world.settle();
        world.time.advance(TILL_THE_NEXT_CHECK.multipliedBy(2));
        assertThat(world.inSync.count()).isGreaterThan(1);
    }

    /// With a follower that is in sync and never heard of.
    private static void lead(PartitionWorld world, String topic) {
        Partition partition =
                world.directory.add(
                        new PartitionId(topic, 0),
                        PartitionWorld.TOPIC_ID,
                        TopicSettings.defaults());
        partition.assign(new Assignment(0, 1, List.of(0, 1), List.of(0, 1), 1, 0));
        world.open(partition);
    }
}
