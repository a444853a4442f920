package io.sluice.listener.lane;

import static io.sluice.listener.lane.Script.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.Unspeakable;
import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.failure.FailurePolicy.WhenOrdered;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.limit.FixedLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Jobs that fail, and what becomes of their messages.
class JobRunTest {
    private final Script.ByHand threads = new Script.ByHand();
    private final List<String> attempts = new ArrayList<>();

    private LaneSettings lane(Work work) {
        return LaneSettings.lane("heavy", new FixedLimit(3), work).on(threads);
    }

    private void failAtA1(Job job) {
        attempts.add(job.message().id() + "#" + job.attempt());
        if (job.message().id().equals("a1")) {
            throw new IllegalStateException("no");
        }
    }

    /// What the source hears of a message whose job does this.
    private List<String> told(Work work) {
        var script = new Script(lane(work));
        script.poll(message("m"));
        threads.runNext();
        assertThat(script.poll()).as("its slot is back").isEqualTo(3);
        return script.told;
    }

    @Test
    void anExceptionThatCannotSayWhatItIsHasFailedAllTheSame() {
        assertThat(
                        told(
                                job -> {
                                    throw new Unspeakable();
                                }))
                .containsExactly("m Retry");
    }

    @Test
    void whatCannotBeProcessedIsADeadLetterAtOnce() {
        assertThat(
                        told(
                                job -> {
                                    throw new RuntimeException(
                                            new UnprocessableException("not a PDF"));
                                }))
                .containsExactly("m DeadLetter");
    }

    @Test
    void anErrorGivesTheSlotBackToo() {
        assertThat(
                        told(
                                job -> {
                                    throw new OutOfMemoryError("simulated");
                                }))
                .containsExactly("m Retry");
    }

    @Test
    void whatFailsKeepsItsPlaceWhereOrderCounts() {
        var script =
                new Script(
                        lane(this::failAtA1)
                                .inOrder(Order.KEY)
                                .onFailure(
                                        FailurePolicy.standard()
                                                .otherwise(
                                                        Backoff.constant(
                                                                Duration.ofSeconds(7), 3))));
        script.poll(message("a1", "a"), message("a2", "a"));
        threads.runNext();
        threads.runNext();

        assertThat(attempts).containsExactly("a1#1", "a1#2", "a1#3", "a2#1");
        assertThat(script.told).containsExactly("a1 DeadLetter", "a2 Done");
        assertThat(script.nanos).isEqualTo(Duration.ofSeconds(14).toNanos());
        assertThat(script.state("heavy").retried()).isEqualTo(2);
    }

    @Test
    void whereOrderMayBreakTheOthersGoOn() {
        var script =
                new Script(
                        lane(this::failAtA1)
                                .inOrder(Order.KEY)
                                .onFailure(
                                        FailurePolicy.standard()
                                                .whenOrdered(WhenOrdered.CONTINUE)));
        script.poll(message("a1", "a"), message("a2", "a"));
        threads.runNext();
        threads.runNext();

        assertThat(script.told).containsExactly("a1 Retry", "a2 Done");
    }
}
