package io.sluice.listener.sqs;

import static io.sluice.listener.sqs.ScriptedQueue.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.LaneState;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Jobs that end when their lease has ended, and nobody has noticed: whoever watches leases waits for an answer of the queue.
class AfterTheLeaseTest {
    private final ScriptedQueue queue = new ScriptedQueue();
    private final SqsSettings settings = SqsSettings.of(queue, "http://nowhere/queue");
    private final Leases leases = new Leases(settings.lease(), settings.longestJob());
    private final Teller teller = new Teller(settings, leases, new Parked(10));
    private final Lanes lanes =
            new Lanes(
                    List.of(
                            LaneSettings.lane("all", new FixedLimit(2), job -> {})
                                    .on(Runnable::run)),
                    message -> "all",
                    this::settle,
                    LaneObserver.NONE);
    private final Verdicts verdicts =
            new Verdicts(
                    settings,
                    new QueueFacts(false, 0, 262_144, "http://nowhere/dead"),
                    leases,
                    teller,
                    new Verdicts.Movers(
                            new Mover("letters", settings, teller, lanes),
                            new Mover("copies", settings, teller, lanes)),
                    new LastDeliveries(),
                    lanes);

    private void settle(Message message, Settlement settlement) {
        verdicts.on(message, settlement);
    }

    private LaneState afterAJob(Duration leasedFor) {
        Message message = message("m");
        leases.hold(message, System.nanoTime() - leasedFor.toNanos());
        try (Reservation room = lanes.reserve(1)) {
            room.deliver(List.of(message));
        }
        return lanes.states().getFirst();
    }

    @Test
    void whatIsDoneInTimeIsAcknowledged() {
        LaneState state = afterAJob(Duration.ZERO);
        assertThat(teller.backlog()).isEqualTo(1);
        assertThat(state.done()).isEqualTo(1);
        assertThat(state.lost()).isZero();
    }

    @Test
    void whatIsDoneTooLateIsLostAndNotAcknowledged() {
        LaneState state = afterAJob(settings.lease());
        assertThat(teller.backlog()).isZero();
        assertThat(state.done()).isZero();
        assertThat(state.lost()).isEqualTo(1);
        assertThat(state.inFlight()).isZero();
    }

    @Test
    void aRenewalIsNotWaitedForUntilItsLeaseHasEnded() {
        leases.hold(message("m"), 0);
        var heartbeat = new Heartbeat(settings, leases, verdicts, lanes);
        heartbeat.beat(settings.lease().dividedBy(2).toNanos());
        assertThat(queue.patience)
                .hasSize(1)
                .allMatch(time -> time.compareTo(settings.lease().dividedBy(3)) <= 0);
    }
}
