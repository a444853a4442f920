package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.require;
import static io.sluice.partition.PartitionWorld.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A replica whose disk has forgotten something gets it back from another one that is in sync.
@DisplayName(
        "Q8, Q13: damage is found by scrubbing or by a read, and mended from an in-sync replica")
class HealingTest {
    private static final String SEGMENT = "orders-0/00000000000000000000.log";
    private static final String LARGE = "x".repeat(200_000);
    private static final int RECORDS = 16;
    private static final int IN_THE_THIRD = 2 * 200_100 + 5_000;

    @TempDir Path folder;
    private ReplicaCluster cluster;
    private final List<String> values = new ArrayList<>();

    @BeforeEach
    void begin() {
        cluster = new ReplicaCluster(folder, 3, settings("segment.bytes", "1048576"));
        cluster.lead(0, 0, 1, 2);
        for (int i = 0; i < RECORDS; i++) {
            values.add(i + LARGE);
            Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, i + LARGE);
            cluster.world(0).settle();
            for (int round = 0; round < 2; round++) {
                cluster.fetch(1);
                cluster.fetch(2);
            }
            cluster.settle();
            assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
        }
        cluster.fetch(1);
        cluster.fetch(2);
    }

    @Test
    void aFollowerIsMendedByItsScrub() throws IOException {
        rot(1, IN_THE_THIRD);
        scrub(1);
        assertMended(1);
        assertThat(cluster.world(1).counters.scrubbedBytes.sum()).isGreaterThan(1_000_000);
    }

    @Test
    void theLeaderIsMendedByItsScrub() throws IOException {
        rot(0, IN_THE_THIRD);
        rot(0, 3);
        scrub(0);
        assertMended(0);
    }

    /// The consumer is not told of damage that can be mended: it waits.
    @Test
    void aReadThatMeetsDamageWaitsUntilItIsMended() throws IOException {
        cluster.world(0).checkpoint();
        rot(0, IN_THE_THIRD);
        cluster.restart(0);
        cluster.fetch(1);
        cluster.fetch(2);
        assertThat(cluster.values(0)).isEqualTo(values);
        assertMended(0);
    }

    @Test
    void theSecondReplicaHelpsWhenTheFirstCannot() throws IOException {
        rot(0, IN_THE_THIRD);
        rot(1, IN_THE_THIRD);
        cluster.world(1).repair = RepairDoor.NOBODY;
        scrub(1);
        assertThat(cluster.world(1).counters.damagesPresent.sum()).isEqualTo(1);
        scrub(0);
        assertMended(0);
    }

    @Test
    void withoutASoundReplicaTheDamageStaysRefusedAndIsTriedAgain() throws IOException {
        RepairDoor way = cluster.world(1).repair;
        cluster.world(1).repair = RepairDoor.NOBODY;
        rot(1, IN_THE_THIRD);
        scrub(1);
        ShardCounters counters = cluster.world(1).counters;
        assertThat(counters.damagesPresent.sum()).isEqualTo(1);
        assertThat(counters.damages.sum()).isEqualTo(1);
        assertThat(counters.repairsFailed.sum()).isEqualTo(1);
        Reply<ReadOutcome> read =
                cluster.on(1).read(2, 1, true, ReadFrom.ANY_REPLICA, cluster.world(1).home);
        cluster.world(1).settle();
        assertThat(require(read)).isInstanceOf(ReadOutcome.Damaged.class);
        assertThat(files(1)).noneMatch(name -> name.contains("clean") || name.contains("swap"));

        cluster.world(1).repair = way;
        cluster.world(1).time.advance(Duration.ofMinutes(1));
        keepHouse(1);
        assertMended(1);
    }

    /// It may have another history behind the watermark, and below it everything is the same only in the same term.
    @Test
    void aReplicaThatKnowsOfAnotherLeaderDoesNotHelp() throws IOException {
        rot(1, IN_THE_THIRD);
        cluster.elect(2, 2, 1);
        cluster.tell(2);
        cluster.tell(0);
        scrub(1);
        assertThat(cluster.world(1).counters.damagesPresent.sum()).isEqualTo(1);
        cluster.tell(1);
        cluster.world(1).time.advance(Duration.ofMinutes(1));
        keepHouse(1);
        assertMended(1);
    }

    @Test
    void aLogThatIsGivenUpInTheMiddleOfARepairIsLeftAlone() throws IOException {
        rot(1, IN_THE_THIRD);
        Reply<java.nio.ByteBuffer> never = new Reply<>();
        cluster.world(1).repair = (_, _) -> never;
        scrub(1);
        Reply<Boolean> retired = cluster.on(1).retire(cluster.world(1).home);
        cluster.world(1).settle();
        assertThat(retired.isDone()).isTrue();
        never.fail(new IllegalStateException("too late"));
        cluster.world(1).settle();
        assertThat(cluster.world(1).counters.damagesPresent.sum()).isZero();
    }

    private void rot(int broker, long position) {
        cluster.world(broker).damage(SEGMENT, position);
    }

    private void scrub(int broker) {
        ScrubStep step = ScrubStep.BEGINNING;
        while (!step.isEnd()) {
            Reply<Lookup<ScrubStep>> reply =
                    cluster.on(broker).scrub(step, 300_000, cluster.world(broker).home);
            cluster.world(broker).settle();
            if (!(require(reply) instanceof Lookup.Found(ScrubStep next))) {
                throw new AssertionError("not scrubbed: " + reply);
            }
            step = next;
        }
    }

    private void keepHouse(int broker) {
        PartitionWorld world = cluster.world(broker);
        world.owner.post(world.shard::keepHouse);
        world.settle();
    }

    private List<String> files(int broker) throws IOException {
        try (var list = Files.list(folder.resolve("broker-" + broker).resolve("orders-0"))) {
            return list.map(path -> path.getFileName().toString()).toList();
        }
    }

    private void assertMended(int broker) throws IOException {
        ShardCounters counters = cluster.world(broker).counters;
        assertThat(counters.damagesPresent.sum()).isZero();
        assertThat(counters.damagesRepaired.sum()).isEqualTo(counters.damages.sum()).isPositive();
        assertThat(cluster.values(broker)).isEqualTo(values);
        assertThat(files(broker))
                .noneMatch(name -> name.contains("clean") || name.contains("swap"));
        byte[] here = Files.readAllBytes(folder.resolve("broker-" + broker).resolve(SEGMENT));
        byte[] there = Files.readAllBytes(folder.resolve("broker-2").resolve(SEGMENT));
        int common = Math.min(here.length, there.length);
        assertThat(java.util.Arrays.mismatch(here, 0, common, there, 0, common)).isEqualTo(-1);
    }
}
