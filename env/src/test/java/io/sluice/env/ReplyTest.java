package io.sluice.env;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.record.Invariant;
import org.junit.jupiter.api.Test;

class ReplyTest {
    private final Reply<String> answer = new Reply<>();

    @Test
    void aFunctionThatFailsFailsTheReplyThatIsMadeOfIt() {
        IllegalStateException bug = new IllegalStateException("a bug");
        Reply<Integer> mapped =
                answer.map(
                        _ -> {
                            throw bug;
                        });
        answer.complete("yes");
        assertThat(mapped.failure()).isSameAs(bug);
    }

    /// An error, not an exception: whoever waits would wait for ever.
    @Test
    void aViolatedInvariantFailsItToo() {
        Reply<Integer> mapped =
                answer.map(
                        text -> {
                            Invariant.check(text.isEmpty(), "the answer is not empty");
                            return 1;
                        });
        answer.complete("yes");
        assertThat(mapped.failure()).isInstanceOf(Invariant.Violation.class);
    }
}
