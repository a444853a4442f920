package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.log.TopicSettings;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who shares an fsync with whom (Q7, Q14, Q25): one at a time, and never one more than needed.
class GroupCommitTest {
    @TempDir Path folder;
    private PartitionWorld world;

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
    }

    private Partition open(TopicSettings settings) {
        Partition partition = world.add("orders", 0, settings);
        world.open(partition);
        return partition;
    }

    /// From then on "acknowledged" means on disk, for everything.
    @Test
    void whatWasAcknowledgedFromMemoryIsFlushedWhenTheTopicWantsFsync() {
        Partition orders = open(settings("flush", "page-cache"));
        Reply<AppendOutcome> append = world.append(orders, Acks.ALL, "a");
        world.turn();
        assertThat(append.isDone()).isTrue();
        assertThat(world.flushesWaiting()).isZero();

        orders.changeSettings(settings("flush", "fsync"));
        world.turn();

        assertThat(world.flushesWaiting()).isEqualTo(1);
    }

    @Test
    void requestsThatArriveTogetherShareOneFsync() {
        Partition orders = open(TopicSettings.defaults());
        Reply<AppendOutcome> first = world.append(orders, Acks.ALL, "a");
        Reply<AppendOutcome> second = world.append(orders, Acks.ALL, "b");
        Reply<AppendOutcome> third = world.append(orders, Acks.ALL, "c");
        world.turn();
        assertThat(world.flushesWaiting()).isEqualTo(1);
        world.flushOne();
        assertThat(first.isDone() && second.isDone() && third.isDone()).isTrue();
        assertThat(world.flushesWaiting()).isZero();
        assertThat(world.counters.flushes.count()).isEqualTo(1);
    }

    @Test
    void thoseThatArriveDuringAnFsyncShareTheNext() {
        Partition orders = open(TopicSettings.defaults());
        Reply<AppendOutcome> first = world.append(orders, Acks.ALL, "a");
        world.turn();
        Reply<AppendOutcome> second = world.append(orders, Acks.ALL, "b");
        world.turn();
        Reply<AppendOutcome> third = world.append(orders, Acks.ALL, "c");
        world.turn();
        assertThat(world.flushesWaiting()).as("one at a time").isEqualTo(1);

        world.flushOne();
        assertThat(first.isDone()).isTrue();
        assertThat(second.isDone()).as("its bytes may have missed the force").isFalse();
        assertThat(world.flushesWaiting()).isEqualTo(1);

        world.flushOne();
        assertThat(second.isDone() && third.isDone()).isTrue();
        assertThat(world.flushesWaiting()).isZero();
    }

    @Test
    void whatIsDurableIsNotForcedAgain() {
        Partition orders = open(TopicSettings.defaults());
        world.appendDurably(orders, "a");
        world.time.advance(PartitionWorld.FLUSH_INTERVAL);
        assertThat(world.flushesWaiting()).isZero();
        assertThat(world.counters.flushes.count()).isEqualTo(1);
    }

    @Test
    void theLaterFlushOfWhatNobodyWaitsForCoversTheWholeInterval() {
        Partition orders = open(TopicSettings.defaults());
        world.append(orders, Acks.LEADER, "a");
        world.time.advance(PartitionWorld.FLUSH_INTERVAL.dividedBy(2));
        world.append(orders, Acks.LEADER, "b");
        world.time.advance(PartitionWorld.FLUSH_INTERVAL.dividedBy(2));
        world.settle();
        assertThat(world.counters.flushes.count()).isEqualTo(1);
        world.time.advance(PartitionWorld.FLUSH_INTERVAL);
        world.settle();
        assertThat(world.counters.flushes.count()).as("nothing was left").isEqualTo(1);
    }

    /// Q7: throughput.
    @Test
    void whereThroughputIsFavouredTheFsyncWaitsForMore() {
        Partition orders = open(settings("profile", "throughput"));
        Reply<AppendOutcome> first = world.append(orders, Acks.ALL, "a");
        world.time.advance(GroupCommit.GATHER.minus(Duration.ofNanos(1)));
        assertThat(world.flushesWaiting()).isZero();
        Reply<AppendOutcome> second = world.append(orders, Acks.ALL, "b");
        world.time.advance(Duration.ofNanos(1));
        assertThat(world.flushesWaiting()).isEqualTo(1);
        world.flushOne();
        assertThat(first.isDone() && second.isDone()).isTrue();
    }

    @Test
    void whereThroughputIsFavouredTheNextFsyncWaitsAsWell() {
        Partition orders = open(settings("profile", "throughput"));
        world.append(orders, Acks.ALL, "a");
        world.time.advance(GroupCommit.GATHER);
        Reply<AppendOutcome> second = world.append(orders, Acks.ALL, "b");
        world.turn();
        world.flushOne();
        assertThat(world.flushesWaiting()).isZero();
        world.time.advance(GroupCommit.GATHER);
        world.flushOne();
        assertThat(second.isDone()).isTrue();
    }

    /// Q7: latency.
    @Test
    void otherProfilesDoNotWait() {
        for (String profile : new String[] {"balanced", "latency"}) {
            Partition partition = world.add(profile, 0, settings("profile", profile));
            world.open(partition);
            world.append(partition, Acks.ALL, "a");
            world.turn();
            assertThat(world.flushesWaiting()).as(profile).isEqualTo(1);
            world.flushOne();
        }
    }

    /// Q25 as Kafka has it by default, for those who ask for it.
    @Test
    void withThePageCachePolicyNobodyWaitsForTheDisk() {
        Partition orders = open(settings("flush", "page-cache"));
        Reply<AppendOutcome> reply = world.append(orders, Acks.ALL, "a");
        world.turn();
        assertThat(reply.isDone()).isTrue();
        assertThat(world.flushesWaiting()).isZero();
        world.time.advance(PartitionWorld.FLUSH_INTERVAL);
        assertThat(world.flushesWaiting()).as("but a little later it is there").isEqualTo(1);
        world.flushOne();
    }

    @Test
    void partitionsDoNotWaitForEachOther() {
        Partition one = open(TopicSettings.defaults());
        Partition other = world.add("other", 0, TopicSettings.defaults());
        world.open(other);
        Reply<AppendOutcome> held = world.append(one, Acks.ALL, "a");
        Reply<AppendOutcome> quick = world.append(other, Acks.LEADER, "b");
        world.turn();
        assertThat(held.isDone()).isFalse();
        assertThat(quick.isDone()).isTrue();
    }
}
