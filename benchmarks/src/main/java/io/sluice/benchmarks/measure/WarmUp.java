package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.peer.ProcessUsage;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

/// The unmeasured load before a figure, until the brokers' compilers have little left to do.
///
/// A broker runs for months, and what its JVM spends in the first minutes to compile it is spent once; on a machine whose processors are busy that takes several minutes. A figure that is taken meanwhile is one of the
/// compiler.
final class WarmUp {
    private static final Duration SLICE = Duration.ofSeconds(5);

    /// Of the brokers' CPU time: below that, what is compiled changes no figure.
    private static final double LITTLE = 0.05;

    private WarmUp() {}

    /// @param atLeast how long
    /// @param load puts load on the brokers for so long
    static void run(Session session, Duration atLeast, Consumer<Duration> load) {
        load.accept(atLeast);
        long end = System.nanoTime() + session.pace().patience().toNanos();
        double share = 1;
        while (share > LITTLE && System.nanoTime() - end < 0) {
            ProcessUsage before = session.brokers().usage();
            load.accept(SLICE);
            share = session.brokers().usage().compilersShareSince(before);
        }
        if (share > LITTLE && !session.pace().patience().isZero()) {
            session.say(
                    String.format(
                            Locale.ROOT,
                            "its compilers still take %.0f %% of its CPU time after %d s of this load",
                            100 * share,
                            atLeast.plus(session.pace().patience()).toSeconds()));
        }
    }
}
