package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.Checkpoints;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How far partitions are durable is written down, whatever happens while that is written.
class PartitionKeeperTest {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    @TempDir Path folder;
    private final LateWorkers workers = new LateWorkers();
    private PartitionWorld world;
    private Partition orders;

    /// The work is done at once; its owner hears of it when the test says so.
    private static final class LateWorkers implements Workers {
        private final ArrayDeque<Runnable> answers = new ArrayDeque<>();

        @Override
        public <T> Reply<T> call(Kind kind, Mailbox home, Callable<T> work) {
            Reply<T> reply = new Reply<>();
            try {
                T result = work.call();
                answers.add(() -> home.post(() -> reply.complete(result)));
            } catch (Exception failure) {
                answers.add(() -> home.post(() -> reply.fail(failure)));
            }
            return reply;
        }

        void answer() {
            answers.remove().run();
        }
    }

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
        PartitionKeeper keeper =
                new PartitionKeeper(
                        world.disk,
                        workers,
                        world.owner,
                        world.points,
                        new NodeSettings.Storage(
                                1,
                                PartitionWorld.FLUSH_INTERVAL,
                                INTERVAL,
                                Duration.ofDays(1),
                                Duration.ofSeconds(10)),
                        world.clock);
        orders = world.add("orders", 0, TopicSettings.defaults());
        world.appendDurably(orders, "a");
        world.owner.post(() -> keeper.start(world.directory));
        world.turn();
    }

    private long written() {
        return Checkpoints.read(world.disk, "checkpoint")
                .points()
                .getOrDefault("orders-0", RecoveryPoint.NOTHING)
                .durableOffset();
    }

    @Test
    void whatChangesDuringAWriteIsWrittenByTheNext() {
        world.time.advance(INTERVAL);
        assertThat(written()).isEqualTo(1);
        world.appendDurably(orders, "b");
        world.time.advance(INTERVAL); // Noted while the first write is not known to have ended.
        workers.answer();
        world.time.advance(INTERVAL);

        assertThat(written()).isEqualTo(2);
    }

    @Test
    void whatCouldNotBeWrittenIsWrittenByTheNext() {
        world.disk.full(true);
        world.time.advance(INTERVAL);
        world.disk.full(false);
        workers.answer();
        assertThat(written()).isNotEqualTo(1);
        world.time.advance(INTERVAL);

        assertThat(written()).isEqualTo(1);
    }
}
