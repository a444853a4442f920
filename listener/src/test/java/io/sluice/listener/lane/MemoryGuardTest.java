package io.sluice.listener.lane;

import static io.sluice.listener.Eventually.until;
import static io.sluice.listener.lane.Script.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.limit.AimdLimit;
import io.sluice.listener.limit.CalibratingLimit;
import io.sluice.listener.limit.Limit;
import io.sluice.listener.limit.Limit.Progress;
import io.sluice.listener.limit.PlateauLimit;
import io.sluice.listener.limit.Pressure;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Memory at its end: which lane goes down, and when.
@Timeout(60)
class MemoryGuardTest {
    private static final Pressure NO_MEMORY = Pressure.because("no memory");

    private final Script.ByHand heavyThreads = new Script.ByHand();
    private final Script.ByHand lightThreads = new Script.ByHand();

    private static Limit plateau(int first) {
        return new PlateauLimit(PlateauLimit.Settings.work(first, 16));
    }

    private static void tick(Script script, Pressure pressure) {
        script.advance(Duration.ofSeconds(1));
        script.lanes.tick(pressure);
    }

    private static Message light(String id) {
        return message(id, null, Map.of("lane", "light"));
    }

    enum Policy {
        PLATEAU,
        AIMD;

        Limit limit() {
            return switch (this) {
                case PLATEAU -> plateau(8);
                case AIMD -> new AimdLimit(AimdLimit.Settings.of(8, 16, Duration.ofHours(1)));
            };
        }
    }

    @ParameterizedTest
    @EnumSource(Policy.class)
    @DisplayName("A lane of long jobs goes down with each look, not once per job's time")
    void longJobsAreNoReasonToWait(Policy policy) {
        var script =
                new Script(LaneSettings.lane("heavy", policy.limit(), job -> {}).on(heavyThreads));
        for (int i = 0; i < 50; i++) {
            script.poll(message("h"));
            script.advance(Duration.ofMinutes(5));
            heavyThreads.runNext();
        }
        for (int i = 0; i < 8; i++) {
            script.poll(message("h" + i));
        }
        for (int second = 0; second < 8; second++) {
            int before = script.state("heavy").limit();
            tick(script, NO_MEMORY);
            assertThat(script.state("heavy").limit()).isLessThan(Math.max(2, before));
        }
        assertThat(script.state("heavy").limit()).isEqualTo(1);
    }

    @Test
    @DisplayName("B2: only the lane whose jobs take the memory goes down")
    void theOtherAdaptiveLaneIsUntouched() {
        var script =
                new Script(
                        LaneSettings.lane("heavy", plateau(8), job -> {}).on(heavyThreads),
                        LaneSettings.lane("light", plateau(8), job -> {}).on(lightThreads));
        for (int i = 0; i < 8; i++) {
            script.poll(message("h" + i));
        }
        script.advance(Duration.ofMinutes(1));
        for (int i = 0; i < 8; i++) {
            script.poll(light("l" + i));
        }
        for (int second = 0; second < 30; second++) {
            tick(script, NO_MEMORY);
        }
        assertThat(script.state("heavy").limit()).isEqualTo(1);
        assertThat(script.state("light").limit())
                .as("as long as the heavy jobs have not ended, it is not to blame")
                .isEqualTo(8);

        for (int i = 0; i < 7; i++) {
            heavyThreads.runNext();
        }
        tick(script, NO_MEMORY);
        assertThat(script.state("light").limit())
                .as("the heavy one has no more to give")
                .isLessThan(8);
    }

    @Test
    void whoMeasuresWhileMemoryIsAtItsEndGivesUp() {
        var script =
                new Script(
                        LaneSettings.lane("heavy", plateau(8), job -> {}).on(heavyThreads),
                        LaneSettings.lane("light", plateau(8), job -> {}).on(lightThreads));
        script.poll(message("h"));
        var through = new CalibratingLimit(4, Progress.WORK, Duration.ofSeconds(3), 3);
        var _ = script.lanes.limit("light", through);
        tick(script, NO_MEMORY);

        assertThat(through.result()).isCompletedExceptionally();
        assertThat(script.state("heavy").limit()).isLessThan(8);
    }

    @Test
    @DisplayName("B2: what jobs have allocated counts, not how long they wait for somebody")
    void whoAllocatesGoesDown() throws Exception {
        var nanos = new AtomicLong();
        var gate = new CountDownLatch(1);
        var hoarded = new CountDownLatch(2);
        try (var heavyPool = new WorkerPool("heavy", 16);
                var lightPool = new WorkerPool("light", 16)) {
            LaneSettings heavy =
                    LaneSettings.lane(
                                    "heavy",
                                    plateau(8),
                                    job -> {
                                        var hoard = new byte[32 << 20];
                                        hoarded.countDown();
                                        gate.await();
                                        job.size(hoard.length);
                                    })
                            .on(heavyPool);
            LaneSettings light =
                    LaneSettings.lane("light", plateau(8), job -> gate.await()).on(lightPool);
            var lanes =
                    new Lanes(
                            List.of(heavy, light),
                            Classifier.byAttribute("lane", "heavy"),
                            (message, verdict) -> {},
                            LaneObserver.NONE,
                            nanos::get,
                            duration -> {});
            try (Reservation room = lanes.reserve(8)) {
                room.deliver(List.of(light("l1"), light("l2"), light("l3")));
                nanos.addAndGet(Duration.ofHours(1).toNanos());
                room.deliver(List.of(message("h1"), message("h2")));
            }
            hoarded.await();
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            lanes.tick(NO_MEMORY);

            assertThat(lanes.states())
                    .extracting(state -> state.lane() + " " + state.limit())
                    .containsExactly("heavy 6", "light 8");
            gate.countDown();
            until("all have landed", () -> lanes.awaitLanded(Duration.ofSeconds(1)));
        }
    }
}
