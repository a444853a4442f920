package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static io.sluice.listener.sqs.ScriptedQueue.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.Unspeakable;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
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
    private final SqsSettings settings =
            SqsSettings.of(queue, "http://nowhere/queue")
                    .lease(Duration.ofSeconds(2), Duration.ofHours(1));
    private final Leases leases = new Leases(settings.lease(), settings.longestJob());
    private final Parked parked = new Parked(10);
    private final Teller teller = new Teller(settings, leases, parked);
    private final Lanes lanes =
            new Lanes(
                    List.of(
                            LaneSettings.lane(
                                            "all",
                                            new FixedLimit(2),
                                            job -> {
                                                throw new UnprocessableException("not a PDF");
                                            })
                                    .on(Runnable::run)),
                    message -> "all",
                    this::settle,
                    LaneObserver.NONE);
    private final Mover letters = new Mover("letters", settings, teller, lanes);
    private final LastDeliveries lastDeliveries = new LastDeliveries();
    private final Verdicts verdicts =
            new Verdicts(
                    settings,
                    new QueueFacts(false, 0, 262_144, "http://nowhere/dead"),
                    leases,
                    teller,
                    new Verdicts.Movers(letters, new Mover("copies", settings, teller, lanes)),
                    lastDeliveries,
                    lanes);

    private void settle(Message message, Settlement settlement) {
        verdicts.on(message, settlement);
    }

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
        leases.hold(message("m"), System.nanoTime());
        var heartbeat = new Heartbeat(settings, leases, verdicts, lanes);
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
        Message message = message("m");
        leases.hold(message, System.nanoTime());
        try (Reservation room = lanes.reserve(1)) {
            room.deliver(List.of(message));
        }
        assertThat(lanes.states().getFirst().inFlight()).isEqualTo(1);
        letters.start();
        until("its slot is free", () -> lanes.states().getFirst().inFlight() == 0);
        assertThat(lanes.states().getFirst().handedBack()).isEqualTo(1);
        assertThat(teller.backlog()).as("it comes again").isEqualTo(1);
        letters.close(Duration.ofSeconds(30));
    }

    @Test
    void parkedMessagesAreCalledBackAgain() throws Exception {
        queue.calls = handles -> failTwice();
        var recall = new Recall(settings, leases, parked, lastDeliveries, lanes);
        recall.start();
        long later = System.nanoTime() + Duration.ofHours(1).toNanos();
        // Of those that are called in vain nobody knows any more: they come at their time.
        for (int i = 0; queue.handBacks.isEmpty(); i++) {
            parked.park("all", "handle " + i, later);
            int left = failures.get();
            until(
                    "it is called, or in vain",
                    () -> failures.get() < left || !queue.handBacks.isEmpty());
        }
        recall.close();
    }
}
