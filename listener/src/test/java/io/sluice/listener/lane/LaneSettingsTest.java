package io.sluice.listener.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.limit.FixedLimit;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// Pools that are no lane's.
class LaneSettingsTest {
    private final LaneSettings lane = LaneSettings.lane("label", new FixedLimit(10), job -> {});

    private static ThreadPoolExecutor pool(int core, int most, BlockingQueue<Runnable> queue) {
        return new ThreadPoolExecutor(core, most, 1, TimeUnit.SECONDS, queue);
    }

    @Test
    @DisplayName("B4: a pool with a queue has its core threads, and messages would wait in it")
    void aPoolWithAQueueCountsByItsCoreThreads() {
        try (var pool = pool(1, 10, new ArrayBlockingQueue<>(100))) {
            assertThatThrownBy(() -> lane.on(pool))
                    .hasMessageContaining("size 1, smaller than its greatest limit 10");
        }
    }

    @Test
    void aPoolWithEnoughThreadsIsTaken() {
        try (var handsOver = pool(1, 10, new SynchronousQueue<>());
                var fixed = pool(10, 10, new LinkedBlockingQueue<>())) {
            assertThat(lane.on(handsOver).executor()).isSameAs(handsOver);
            assertThat(lane.on(fixed).executor()).isSameAs(fixed);
        }
    }
}
