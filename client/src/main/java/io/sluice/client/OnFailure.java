package io.sluice.client;

import java.time.Duration;

/// What a loop does when the work on a record fails.
///
/// Immutable.
public sealed interface OnFailure {

    /// Ends the loop with a [ProcessingFailedException]. What was done is committed, the failed record is not (except
    /// with at-most-once, which never tries a record twice).
    record Stop() implements OnFailure {}

    /// Tries the record again after a pause that doubles from `first` to `longest`; after `attempts` tries in all, stops
    /// as [Stop] does. The records behind it in the same partition wait, and so do the other partitions. The
    /// consumer stays a member of its group meanwhile.
    record Retry(int attempts, Duration first, Duration longest) implements OnFailure {
        public Retry {
            if (attempts < 2) {
                throw new IllegalArgumentException(
                        "Retry needs at least 2 attempts, not " + attempts + "; use stop().");
            }
            if (first.isNegative() || longest.compareTo(first) < 0) {
                throw new IllegalArgumentException(
                        "Retry needs 0 <= first <= longest, not "
                                + first
                                + " and "
                                + longest
                                + ".");
            }
        }

        /// The pause after that many failed attempts (1 and up).
        Duration pauseAfter(int failures) {
            long millis = first.toMillis();
            for (int i = 1; i < failures && millis < longest.toMillis(); i++) {
                millis *= 2;
            }
            return Duration.ofMillis(Math.min(millis, longest.toMillis()));
        }
    }

    /// Logs the failure and goes on with the next record. Only for at-most-once: elsewhere it would lose a record that
    /// was promised.
    record Skip() implements OnFailure {}

    static OnFailure stop() {
        return new Stop();
    }

    /// Retries for ever, from 100 ms up to 30 s.
    static OnFailure retry() {
        return new Retry(Integer.MAX_VALUE, Duration.ofMillis(100), Duration.ofSeconds(30));
    }

    static OnFailure retry(int attempts, Duration first, Duration longest) {
        return new Retry(attempts, first, longest);
    }

    static OnFailure skip() {
        return new Skip();
    }
}
