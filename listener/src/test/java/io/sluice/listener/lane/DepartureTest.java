package io.sluice.listener.lane;

import static io.sluice.listener.lane.Script.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.limit.Pressure;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The moment in which a flight leaves its slot and its key.
@Timeout(120)
class DepartureTest {
    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final Queue<String> told = new ConcurrentLinkedQueue<>();

    private Lanes lanes(LaneObserver observer) {
        return new Lanes(
                List.of(
                        LaneSettings.lane("all", new FixedLimit(4), this::work)
                                .on(Runnable::run)
                                .inOrder(Order.KEY)),
                message -> "all",
                this::told,
                observer);
    }

    private void work(Job job) {
        begun.add(job.message().id());
        if (job.message().id().equals("first")) {
            throw new UnprocessableException("never");
        }
    }

    private void told(Message message, Settlement settlement) {
        told.add(message.id() + " " + settlement.getClass().getSimpleName());
    }

    /// Many times, since the gap would be small; a hundred on a machine that is slow.
    @Test
    void whoComesInWhileTheOneBeforeItLeavesNeverOvertakesIt() throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        for (int i = 0; i < 100 || System.nanoTime() - end < 0; i++) {
            begun.clear();
            told.clear();
            Lanes lanes = lanes(LaneObserver.NONE);
            Message first = message("first", "k");
            Message second = message("second", "k");
            try (Reservation room = lanes.reserve(2)) {
                room.deliver(List.of(first));
                long comebacks = lanes.comebacks();
                var both = new CyclicBarrier(2);
                Thread leaves =
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            meet(both);
                                            lanes.unburied(first, "its letter cannot be stored");
                                        });
                meet(both);
                boolean entered = room.deliver(second, comebacks);
                leaves.join();
                assertThat(begun).as("round %d", i).containsExactly("first");
                assertThat(told)
                        .as("round %d", i)
                        .hasSize(entered ? 2 : 1)
                        .contains("first DeadLetter");
            }
        }
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// A clock at which it fails whoever asks for the second time, as everybody may for want of memory: the first who asks is a thread that is back, the second lets the flight go.
    private static Runnable failingAtTheSecondLook() {
        var looks = new AtomicInteger();
        return () -> {
            if (looks.incrementAndGet() == 2) {
                throw new StackOverflowError("simulated");
            }
        };
    }

    @Test
    void aSlotThatCouldNotBeGivenBackComesBackAtTheNextTick() {
        var threads = new Script.ByHand();
        var script =
                new Script(LaneSettings.lane("all", new FixedLimit(3), this::work).on(threads));
        script.poll(message("m"));
        script.clock = failingAtTheSecondLook();
        threads.runNext();
        assertThat(script.told).containsExactly("m Done");
        assertThat(script.state("all").inFlight()).isEqualTo(1);

        script.lanes.tick(Pressure.none());
        assertThat(script.state("all").inFlight()).isZero();
        script.lanes.tick(Pressure.none());
        assertThat(script.poll()).isEqualTo(3);
        assertThat(script.told).hasSize(1);
    }

    @Test
    void untilThenNobodyOvertakesIt() {
        var threads = new Script.ByHand();
        var script = new Script(ordered(threads));
        Message lost = message("a1", "a");
        script.poll(lost, message("a2", "a"));
        script.lanes.lost(lost, "lease expired");
        script.clock = failingAtTheSecondLook();
        threads.runNext();
        assertThat(script.told).containsExactly("a1 Lost");

        script.lanes.tick(Pressure.none());
        assertThat(script.told).containsExactly("a1 Lost", "a2 HandBack");
        assertThat(begun).isEmpty();
        assertThat(script.poll()).isEqualTo(3);
    }

    @Test
    void whatFailsAtTheEndOfOneThatGoesBackDoesNotKeepTheNext() {
        var threads = new Script.ByHand();
        var script = new Script(ordered(threads));
        Message lost = message("a1", "a");
        script.poll(lost, message("a2", "a"), message("a3", "a"));
        script.lanes.lost(lost, "lease expired");
        var broken = new AtomicBoolean(true);
        script.lanes.onRoom(
                () -> {
                    if (broken.getAndSet(false)) {
                        throw new StackOverflowError("a callback");
                    }
                });
        threads.runNext();
        assertThat(script.told).containsExactly("a1 Lost", "a2 HandBack", "a3 HandBack");
        assertThat(script.state("all").inFlight()).isZero();
    }

    private LaneSettings ordered(Script.ByHand threads) {
        return LaneSettings.lane("all", new FixedLimit(3), this::work)
                .on(threads)
                .inOrder(Order.KEY);
    }

    @Test
    void anObserverThatEndsInAnErrorHoldsUpNobody() {
        Lanes lanes =
                lanes(
                        new LaneObserver() {
                            @Override
                            public void landed(
                                    String lane,
                                    Message message,
                                    Settlement verdict,
                                    Duration inProcess,
                                    Duration job) {
                                throw new StackOverflowError("of an observer");
                            }
                        });
        Message first = message("first", "k");
        try (Reservation room = lanes.reserve(2)) {
            room.deliver(List.of(first, message("second", "k")));
        }
        assertThat(begun).containsExactly("first");
        lanes.buried(first);
        assertThat(begun).containsExactly("first", "second");
        assertThat(lanes.states().getFirst().inFlight()).isZero();
    }

    @Test
    void norDoesOneThatHearsOfAnExecutorThatRefuses() {
        var script = new Script.ByHand();
        script.refuses = 1;
        Lanes lanes =
                new Lanes(
                        List.of(LaneSettings.lane("all", new FixedLimit(1), this::work).on(script)),
                        message -> "all",
                        this::told,
                        new LaneObserver() {
                            @Override
                            public void breached(String lane, Message message) {
                                throw new StackOverflowError("of an observer");
                            }
                        });
        try (Reservation room = lanes.reserve(1)) {
            room.deliver(List.of(message("m")));
        }
        assertThat(told).containsExactly("m HandBack");
        assertThat(lanes.states().getFirst().inFlight()).isZero();
    }
}
