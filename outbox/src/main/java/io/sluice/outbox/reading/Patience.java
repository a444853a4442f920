package io.sluice.outbox.reading;

import java.time.Duration;

/// How long a reading may take: twice as long after each that failed. Nobody can tell how much there is to be sorted before the first page of a large
/// backlog comes, and a bound that never grew would end every attempt at the same place.
///
/// Owned by one thread.
public final class Patience {
    public static final Duration LONGEST = Duration.ofHours(2);

    private final Duration first;
    private Duration now;

    public Patience(Duration first) {
        this.first = first;
        this.now = first;
    }

    public Duration now() {
        return now;
    }

    public void rewarded() {
        now = first;
    }

    public void exhausted() {
        Duration twice = now.multipliedBy(2);
        now = twice.compareTo(LONGEST) > 0 ? LONGEST : twice;
    }
}
