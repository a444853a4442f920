package io.sluice.listener.failure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// What to do with a failure, by its class: the first rule that fits the exception or one of its causes.
///
/// ```java
/// FailurePolicy.standard()
///         .deadLetter(MalformedPdfException.class)
///         .retry(ThrottledException.class, Backoff.exponential(Duration.ofSeconds(5), Duration.ofMinutes(10), 20))
/// ```
/// Immutable.
///
/// @param whenOrdered what the messages behind a failed one do, in a lane with an order
public record FailurePolicy(List<Rule> rules, Backoff otherwise, WhenOrdered whenOrdered) {
    /// In a lane with an order: whether those behind a failed message wait for it.
    public enum WhenOrdered {
        /// They wait: the failed one is tried again in its slot, and nothing overtakes it.
        WAIT,
        /// They go on; the failed one comes again later, out of order.
        CONTINUE
    }

    /// What is done with exceptions of this class.
    public sealed interface Rule {
        Class<? extends Throwable> kind();

        /// Tried again with these pauses; after the last attempt it is a dead letter.
        record Retry(Class<? extends Throwable> kind, Backoff backoff) implements Rule {}

        /// Never tried again.
        record Never(Class<? extends Throwable> kind) implements Rule {}
    }

    /// What follows a failure.
    public sealed interface Decision {
        record Again(Duration pause) implements Decision {}

        record DeadLetter() implements Decision {}
    }

    public FailurePolicy {
        rules = List.copyOf(rules);
    }

    /// Five attempts, then a dead letter; what cannot be converted is never tried again; order is kept.
    public static FailurePolicy standard() {
        return new FailurePolicy(
                List.of(new Rule.Never(UnprocessableException.class)),
                Backoff.standard(),
                WhenOrdered.WAIT);
    }

    public FailurePolicy deadLetter(Class<? extends Throwable> kind) {
        return with(new Rule.Never(kind));
    }

    public FailurePolicy retry(Class<? extends Throwable> kind, Backoff backoff) {
        return with(new Rule.Retry(kind, backoff));
    }

    /// For exceptions that no rule fits.
    public FailurePolicy otherwise(Backoff backoff) {
        return new FailurePolicy(rules, backoff, whenOrdered);
    }

    public FailurePolicy whenOrdered(WhenOrdered choice) {
        return new FailurePolicy(rules, otherwise, choice);
    }

    private FailurePolicy with(Rule rule) {
        List<Rule> more = new ArrayList<>(rules);
        more.add(rule);
        return new FailurePolicy(more, otherwise, whenOrdered);
    }

    /// @param attempts how often the work was tried, this time included
    /// @param chance from 0 to 1, for the jitter
    public Decision decide(Throwable failure, int attempts, double chance) {
        for (Rule rule : rules) {
            if (fits(rule.kind(), failure)) {
                return switch (rule) {
                    case Rule.Never never -> new Decision.DeadLetter();
                    case Rule.Retry retry -> again(retry.backoff(), attempts, chance);
                };
            }
        }
        return again(otherwise, attempts, chance);
    }

    private static Decision again(Backoff backoff, int attempts, double chance) {
        return attempts >= backoff.attempts()
                ? new Decision.DeadLetter()
                : new Decision.Again(backoff.pauseAfter(attempts, chance));
    }

    /// A chain of causes can be a ring; no honest one is longer than this.
    private static final int LONGEST_CHAIN = 20;

    private static boolean fits(Class<? extends Throwable> kind, Throwable failure) {
        Throwable link = failure;
        for (int i = 0; link != null && i < LONGEST_CHAIN; i++) {
            if (kind.isInstance(link)) {
                return true;
            }
            link = link.getCause();
        }
        return false;
    }
}
