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
    private final Verdicts.Movers movers =
            new Verdicts.Movers(
                    new Mover("letters", settings, teller, lanes),
                    new Mover("copies", settings, teller, lanes));
    private final Verdicts verdicts =
            new Verdicts(
                    settings,
                    new QueueFacts(false, 0, 262_144, "http://nowhere/dead"),
                    leases,
                    teller,
                    movers,
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

    /// A copy of it would be a second one, and its deletion that of a message that somebody else has.
    @Test
    void whatFailsTooLateIsLeftToTheQueue() {
        var cause = new IllegalStateException("no");
        for (Settlement verdict :
                List.of(
                        new Settlement.Retry(Duration.ofSeconds(1), cause, false),
                        new Settlement.DeadLetter(cause, 3, true),
                        new Settlement.HandBack(Duration.ZERO, "the listener stops"))) {
            Message message = message("m");
            leases.hold(message, System.nanoTime() - settings.lease().toNanos());
            settle(message, verdict);
            assertThat(movers.have(message)).as("%s", verdict).isFalse();
            assertThat(leases.holds(message)).isFalse();
        }
        assertThat(teller.backlog()).isZero();
        assertThat(verdicts.failuresOf("m")).isEqualTo(1);

        Message inTime = message("m");
        leases.hold(inTime, System.nanoTime());
        settle(inTime, new Settlement.Retry(Duration.ofSeconds(1), cause, false));
        assertThat(movers.have(inTime)).isTrue();
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
