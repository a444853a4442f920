package io.sluice.outbox.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Waiting for a producer that has ended.
@Timeout(30)
class AttemptTest {
    private static final Numbered FIRST = event(1);
    private static final Numbered SECOND = event(2);

    @Test
    void whoeverDoesNotAnswerInTimeIsSpentAndMayBeReplaced() throws Exception {
        Attempt attempt = new Attempt();
        attempt.answered(0, null, true);
        assertThat(attempt.await(2, () -> true, Duration.ofMillis(1))).isFalse();
        assertThat(attempt.isProducerSpent()).isTrue();
        Outcome outcome = attempt.outcome(List.of(FIRST, SECOND));
        assertThat(outcome.acknowledged()).containsExactly(FIRST);
        assertThat(outcome.refused())
                .hasValueSatisfying(
                        refused -> {
                            assertThat(refused.event()).isEqualTo(SECOND);
                            assertThat(refused.why()).isInstanceOf(Refusal.Transport.class);
                        });
    }

    @Test
    void whatIsAskedForLateWasAcknowledgedWhenItWas() {
        Attempt attempt = new Attempt();
        attempt.answered(0, null, true);
        long behind = System.nanoTime();
        Outcome outcome = attempt.outcome(List.of(FIRST));
        assertThat(outcome.acknowledgedAtNanos() - behind).isLessThanOrEqualTo(0);
    }

    @Test
    void theBoundIsThatOfTheSettingsThatHold() {
        Map<String, Object> given =
                Map.of(
                        "bootstrap.servers",
                        "localhost:1",
                        "max.block.ms",
                        "1000",
                        "delivery.timeout.ms",
                        2_000);
        assertThat(Publisher.answerBound(Publisher.transactionalSettings(given, "id")))
                .isEqualTo(Duration.ofSeconds(8));
    }

    private static Numbered event(long ord) {
        return new Numbered(
                new Event(
                        ord,
                        0,
                        "id-" + ord,
                        "a",
                        Map.of(),
                        Event.Payload.of("x"),
                        Event.UNKNOWN_AGE),
                ord);
    }
}
