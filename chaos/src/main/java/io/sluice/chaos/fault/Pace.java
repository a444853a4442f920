package io.sluice.chaos.fault;

import java.time.Duration;
import java.util.Random;

/// How long faults last and how much rest there is between them.
///
/// Immutable.
public enum Pace {
    /// As life plays: some faults are over at once, some last long enough for everything to time out.
    CALM(1, 1_500, 1_000),
    /// As many faults as possible: what is away comes back soon, what hangs does so just long enough to be given up.
    BRISK(0.35, 1_000, 500);

    private final double share;
    private final int quietMillis;
    private final int moreMillis;

    Pace(double share, int quietMillis, int moreMillis) {
        this.share = share;
        this.quietMillis = quietMillis;
        this.moreMillis = moreMillis;
    }

    /// The rest before the next fault.
    public Duration quiet(Random random) {
        return Duration.ofMillis(quietMillis + random.nextInt(moreMillis));
    }

    /// Somewhere between the two, evenly; at this pace nearer to the shorter one.
    Duration between(double fromSeconds, double toSeconds, Random random) {
        double part = random.nextDouble() * share;
        return Duration.ofMillis(
                Math.round(1_000 * (fromSeconds + part * (toSeconds - fromSeconds))));
    }
}
