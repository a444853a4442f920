package io.sluice.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.TopicSettings;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Long polling (Q16): those who have read all there is are woken once, whatever ends their waiting.
class TailWaitersTest {
    @TempDir Path folder;
    private final AtomicInteger woken = new AtomicInteger();
    private PartitionWorld world;
    private Partition orders;

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
        orders = world.add("orders", 0, TopicSettings.defaults());
        world.appendDurably(orders, "a");
    }

    private Partition.Wait await(long offset) {
        Partition.Wait wait = orders.awaitBeyond(offset, world.home, woken::incrementAndGet);
        world.turn();
        return wait;
    }

    @Test
    void aWaiterIsWokenOnce() {
        await(1);
        assertThat(woken).hasValue(0);
        world.append(orders, Acks.LEADER, "b");
        world.turn();
        assertThat(woken).hasValue(1);
        world.append(orders, Acks.LEADER, "c");
        world.turn();
        assertThat(woken).hasValue(1);
    }

    @Test
    void nobodyIsWokenByWhatCannotBeReadYet() {
        await(1);
        world.append(orders, Acks.ALL, "b");
        world.turn();
        assertThat(woken).hasValue(0);
        world.flushOne();
        assertThat(woken).hasValue(1);
    }

    @Test
    void whoeverIsBehindIsWokenAtOnce() {
        await(0);
        assertThat(woken).hasValue(1);
    }

    @Test
    void aCancelledWaitIsNotWoken() {
        Partition.Wait wait = await(1);
        wait.cancel();
        wait.cancel();
        world.append(orders, Acks.LEADER, "b");
        world.turn();
        assertThat(woken).hasValue(0);
    }

    /// The fetch must look again: its offset may be gone.
    @Test
    void aMovedStartWakes() {
        await(1);
        orders.deleteBefore(1, world.home);
        world.settle();
        assertThat(woken).hasValue(1);
    }

    @Test
    void retirementWakes() {
        await(1);
        orders.retire(world.home);
        world.turn();
        assertThat(woken).hasValue(1);
    }

    @Test
    void aFailedDiskWakes() {
        await(1);
        world.disk.failForces();
        world.append(orders, Acks.ALL, "b");
        world.settle();
        assertThat(woken).hasValue(1);
    }

    @Test
    void whereNothingWillComeNobodyWaits() {
        orders.retire(world.home);
        world.settle();
        await(1);
        assertThat(woken).hasValue(1);
    }
}
