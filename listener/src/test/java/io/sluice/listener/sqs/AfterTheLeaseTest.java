package io.sluice.listener.sqs;

import static io.sluice.listener.sqs.ScriptedQueue.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.LaneState;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Jobs that end when their lease has ended, and nobody has noticed: whoever watches leases waits for an answer of the queue.
class AfterTheLeaseTest {
    private final SqsParts parts =
            new SqsParts(
                    new ScriptedQueue(),
                    SqsParts.STANDARD,
                    LaneSettings.lane("all", new FixedLimit(2), job -> {}).on(Runnable::run));
    private final Leases leases = parts.leases;
    private final Duration lease = parts.settings.lease();

    private LaneState afterAJob(Duration leasedFor) {
        parts.deliver(message("m"), System.nanoTime() - leasedFor.toNanos());
        return parts.state();
    }

    @Test
    void whatIsDoneInTimeIsAcknowledged() {
        LaneState state = afterAJob(Duration.ZERO);
        assertThat(parts.teller.backlog()).isEqualTo(1);
        assertThat(state.done()).isEqualTo(1);
        assertThat(state.lost()).isZero();
    }

    @Test
    void whatIsDoneTooLateIsLostAndNotAcknowledged() {
        LaneState state = afterAJob(lease);
        assertThat(parts.teller.backlog()).isZero();
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
            leases.hold(message, System.nanoTime() - lease.toNanos());
            parts.settle(message, verdict);
            assertThat(parts.movers.have(message)).as("%s", verdict).isFalse();
            assertThat(leases.holds(message)).isFalse();
        }
        assertThat(parts.teller.backlog()).isZero();
        assertThat(parts.verdicts.failuresOf("m")).isEqualTo(1);

        Message inTime = message("m");
        leases.hold(inTime, System.nanoTime());
        parts.settle(inTime, new Settlement.Retry(Duration.ofSeconds(1), cause, false));
        assertThat(parts.movers.have(inTime)).isTrue();
    }

    @Test
    void aRenewalIsNotWaitedForUntilItsLeaseHasEnded() {
        leases.hold(message("m"), 0);
        parts.heartbeat().beat(lease.dividedBy(2).toNanos());
        assertThat(parts.queue.patience)
                .hasSize(1)
                .allMatch(time -> time.compareTo(lease.dividedBy(3)) <= 0);
    }
}
