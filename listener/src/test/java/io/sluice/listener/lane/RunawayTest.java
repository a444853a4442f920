package io.sluice.listener.lane;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.limit.PlateauLimit;
import io.sluice.listener.limit.Pressure;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Jobs that allocate without bound: the memory guard takes their lane down at once, and the other lanes are untouched.
@Timeout(120)
class RunawayTest {
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicLong nanos = new AtomicLong();
    private final Map<String, Settlement> told = new ConcurrentHashMap<>();

    private LaneState state(Lanes lanes, String lane) {
        return lanes.states().stream()
                .filter(state -> state.lane().equals(lane))
                .findFirst()
                .orElseThrow();
    }

    private void tell(Message message, Settlement verdict) {
        told.put(message.id(), verdict);
    }

    private static void deliver(Lanes lanes, String id) {
        try (Reservation room = lanes.reserve(1)) {
            assertThat(room.size()).isEqualTo(1);
            room.deliver(List.of(Script.message(id)));
        }
    }

    @Test
    @DisplayName(
            "B2: a process whose heavy jobs allocate without bound goes on with its light ones")
    void theOthersGoOn() throws Exception {
        Process worker =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx64m",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                RunawayWorker.class.getName())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try (var lines = worker.inputReader(StandardCharsets.UTF_8)) {
            assertThat(lines.lines())
                    .contains("100 light ones done", "3 heavy ones dead: OutOfMemoryError");
        } finally {
            worker.destroyForcibly();
        }
    }

    @Test
    @DisplayName(
            "B2, B3: memory at its end takes the heavy lane down to one job, the light lane goes on")
    void theGuardTakesTheHeavyLaneDown() throws Exception {
        var heavy =
                LaneSettings.lane(
                        "heavy",
                        new PlateauLimit(PlateauLimit.Settings.cpu(8, 16)),
                        job -> gate.await());
        var light = LaneSettings.lane("light", new FixedLimit(5), job -> {});
        var lanes =
                new Lanes(
                        List.of(heavy, light),
                        message -> message.id().substring(0, 5),
                        this::tell,
                        LaneObserver.NONE,
                        nanos::get,
                        duration -> {});
        for (int i = 0; i < 8; i++) {
            deliver(lanes, "heavy" + i);
        }
        for (int second = 0; second < 60; second++) {
            nanos.addAndGet(1_000_000_000);
            lanes.tick(Pressure.because("94 % of the heap are taken even after a collection"));
        }
        assertThat(state(lanes, "heavy").limit()).isEqualTo(1);
        assertThat(state(lanes, "heavy").limitReason()).contains("94 % of the heap");
        assertThat(state(lanes, "heavy").inFlight())
                .as("those that run are not killed")
                .isEqualTo(8);
        assertThat(state(lanes, "light").limit()).isEqualTo(5);

        deliver(lanes, "heavy8");
        assertThat(told.get("heavy8")).isInstanceOf(Settlement.HandBack.class);
        deliver(lanes, "light0");
        until("the light one", () -> told.get("light0") instanceof Settlement.Done);
        gate.countDown();
        until("all", () -> state(lanes, "heavy").inFlight() == 0);
    }
}
