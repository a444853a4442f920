package io.sluice.listener.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Real threads, and everything that can go wrong with a message goes wrong: at the end every slot must be back, and every message told about
/// exactly once. One permit leaked among tens of thousands fails it.
@Timeout(120)
class LanesStressTest {
    private static final int MESSAGES = 20_000;

    private final Map<String, AtomicInteger> told = new ConcurrentHashMap<>();
    private final AtomicReference<Lanes> lanes = new AtomicReference<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostRunning = new AtomicInteger();

    private void work(Job job) throws Exception {
        int now = running.incrementAndGet();
        mostRunning.accumulateAndGet(now, Math::max);
        try {
            switch (Math.floorMod(job.message().id().hashCode(), 7)) {
                case 0 -> throw new IllegalStateException("fails");
                case 1 -> throw new StackOverflowError("breaks");
                case 2 -> Thread.sleep(0, 1000);
                case 3 -> throw new UnprocessableException("hopeless");
                default -> {}
            }
        } finally {
            running.decrementAndGet();
        }
    }

    private void tell(Message message, Settlement verdict) {
        told.computeIfAbsent(message.id(), id -> new AtomicInteger()).incrementAndGet();
        if (verdict instanceof Settlement.DeadLetter) {
            Thread.ofVirtual().start(() -> bury(message));
        }
        if (message.id().endsWith("99")) {
            throw new IllegalStateException("a source that breaks");
        }
    }

    private void bury(Message message) {
        Lanes into = lanes.get();
        if (message.id().endsWith("1")) {
            into.unburied(message, "now and then");
        } else {
            into.buried(message);
        }
    }

    @Test
    @DisplayName("B5: no slot is lost, no message told about twice, the limit never broken")
    void everySlotComesBack() throws Exception {
        var refusals = new Random(1);
        try (var pool = new WorkerPool("stress", 4)) {
            var quick = FailurePolicy.standard().otherwise(Backoff.constant(Duration.ZERO, 2));
            var lane =
                    LaneSettings.lane("stress", new FixedLimit(4), this::work)
                            .on(
                                    job -> {
                                        synchronized (refusals) {
                                            if (refusals.nextInt(50) == 0) {
                                                throw new RejectedExecutionException(
                                                        "now and then");
                                            }
                                        }
                                        pool.execute(job);
                                    })
                            .onFailure(quick);
            var stressed =
                    new Lanes(List.of(lane), message -> "stress", this::tell, LaneObserver.NONE);
            lanes.set(stressed);
            feed(stressed);
            assertThat(stressed.awaitLanded(Duration.ofSeconds(60))).isTrue();

            LaneState state = stressed.states().getFirst();
            assertThat(state.inFlight()).isZero();
            assertThat(stressed.reserved()).isZero();
            assertThat(state.breaches()).isPositive();
            assertThat(state.deadLettered()).isPositive();
            assertThat(told)
                    .hasSize(MESSAGES)
                    .allSatisfy((id, times) -> assertThat(times).hasValue(1));
            assertThat(mostRunning.get()).isLessThanOrEqualTo(4);
        }
    }

    @Test
    void theLanesOwnPoolRefusesNothing() throws Exception {
        try (var pool = new WorkerPool("stress", 3)) {
            var lane = LaneSettings.lane("stress", new FixedLimit(3), job -> {}).on(pool);
            var stressed =
                    new Lanes(List.of(lane), message -> "stress", this::tell, LaneObserver.NONE);
            feed(stressed);
            assertThat(stressed.awaitLanded(Duration.ofSeconds(60))).isTrue();

            LaneState state = stressed.states().getFirst();
            assertThat(state.breaches()).isZero();
            assertThat(state.done() + state.lost()).isEqualTo(MESSAGES);
        }
    }

    /// Two pollers that fill every free slot at once, as sources do, while somebody cancels messages now and then.
    private static void feed(Lanes lanes) throws InterruptedException {
        var next = new AtomicInteger();
        List<Thread> pollers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            pollers.add(Thread.ofPlatform().start(() -> poll(lanes, next)));
        }
        for (Thread poller : pollers) {
            poller.join();
        }
    }

    private static void poll(Lanes lanes, AtomicInteger next) {
        try {
            while (next.get() < MESSAGES) {
                try (Reservation room = lanes.awaitRoom(10)) {
                    List<Message> messages = new ArrayList<>();
                    for (int i = 0; i < room.size(); i++) {
                        int id = next.getAndIncrement();
                        if (id < MESSAGES) {
                            messages.add(Script.message("m" + id));
                        }
                    }
                    room.deliver(messages);
                    for (Message message : messages) {
                        if (message.id().endsWith("7")) {
                            lanes.lost(message, "now and then");
                        }
                    }
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
