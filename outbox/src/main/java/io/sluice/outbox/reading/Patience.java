package io.sluice.outbox.reading;

import java.time.Duration;

/// How long a reading may take: twice as long after each that failed. Nobody can tell how much there is to be sorted before the first page of a large
/// backlog comes, and a bound that never grew would end every attempt at the same place.
///
/// Owned by one thread.
final class Patience {
    private static final Duration FIRST = Duration.ofSeconds(30);
    private static final Duration LONGEST = Duration.ofHours(2);

    private Duration now = FIRST;

    Duration now() {
        return now;
    }

    void rewarded() {
        now = FIRST;
    }

    void exhausted() {
        Duration twice = now.multipliedBy(2);
        now = twice.compareTo(LONGEST) > 0 ? LONGEST : twice;
    }
}
