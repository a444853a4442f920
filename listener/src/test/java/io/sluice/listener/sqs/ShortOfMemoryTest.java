package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static io.sluice.listener.sqs.ScriptedQueue.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.Unspeakable;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Threads that the messages of a queue depend on, at a moment when there is not even memory to log what went wrong.
@Timeout(60)
class ShortOfMemoryTest {
    private final AtomicInteger failures = new AtomicInteger(2);
    private final AtomicInteger deletions = new AtomicInteger();
    private final ScriptedQueue queue = new ScriptedQueue();
    private final SqsParts parts =
            new SqsParts(
                    queue,
                    SqsParts.settings(queue).lease(Duration.ofSeconds(2), Duration.ofHours(1)),
                    SqsParts.STANDARD,
                    LaneSettings.lane(
                                    "all",
                                    new FixedLimit(2),
                                    job -> {
                                        throw new UnprocessableException("not a PDF");
                                    })
                            .on(Runnable::run),
                    message -> "all");
    private final Teller teller = parts.teller;

    private void failTwice() {
        if (failures.getAndDecrement() > 0) {
            throw new Unspeakable();
        }
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void leasesAreRenewedAgain() throws Exception {
        queue.meanwhile = handles -> failTwice();
        parts.leases.hold(message("m"), System.nanoTime());
        Heartbeat heartbeat = parts.heartbeat();
        heartbeat.start();
        until("a renewal", () -> !queue.renewals.isEmpty());
        heartbeat.close();
    }

    @Test
    void theQueueIsToldAgain() throws Exception {
        queue.deletes =
                handles -> {
                    failTwice();
                    deletions.incrementAndGet();
                };
        teller.start();
        teller.done(message("first"));
        until("it has failed", () -> failures.get() == 1);
        teller.done(message("second"));
        until("it has failed again", () -> failures.get() == 0);
        teller.done(message("third"));
        until("the third is deleted", () -> deletions.get() == 1);
        teller.close(Duration.ofSeconds(30));
    }

    @Test
    void aDeadLetterGivesItsSlotBack() throws Exception {
        queue.sends = request -> failTwice();
        parts.deliver(message("m"));
        assertThat(parts.state().inFlight()).isEqualTo(1);
        Mover letters = parts.movers.letters();
        letters.start();
        until("its slot is free", () -> parts.state().inFlight() == 0);
        assertThat(parts.state().handedBack()).isEqualTo(1);
        assertThat(teller.backlog()).as("it comes again").isEqualTo(1);
        letters.close(Duration.ofSeconds(30));
    }

    @Test
    void parkedMessagesAreCalledBackAgain() throws Exception {
        queue.calls = handles -> failTwice();
        Recall recall = parts.recall();
        recall.start();
        long later = System.nanoTime() + Duration.ofHours(1).toNanos();
        // Of those that are called in vain nobody knows any more: they come at their time.
        for (int i = 0; queue.handBacks.isEmpty(); i++) {
            parts.parked.park("all", "handle " + i, later);
            int left = failures.get();
            until(
                    "it is called, or in vain",
                    () -> failures.get() < left || !queue.handBacks.isEmpty());
        }
        recall.close();
    }
}
