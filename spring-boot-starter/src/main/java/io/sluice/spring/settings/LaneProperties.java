package io.sluice.spring.settings;

import io.sluice.listener.failure.FailurePolicy.WhenOrdered;
import io.sluice.listener.lane.Order;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The properties `sluice.listener.sources.<name>.lanes.<lane>.…`; what is not said follows from the rest, see [LanePlan].
///
/// Immutable.
///
/// @param limit how many jobs at once; where an adaptive limit begins
/// @param policy what decides the limit
/// @param greatest up to where an adaptive limit goes, or a fixed one may be set while running
/// @param tooSlow for [LimitKind#AIMD]: a mean job time above this counts as overload
/// @param threads what jobs run on
/// @param poolSize how many platform threads there are
/// @param order which messages must not overtake each other
/// @param whenOrdered whether those behind a failed message wait for it
/// @param attempts how often a failing message is tried
/// @param firstPause before the second attempt; each further one is twice as long
/// @param longestPause between two attempts
/// @param deadLetterOn exceptions after which there is no further attempt
public record LaneProperties(
        @Nullable Integer limit,
        @Nullable LimitKind policy,
        @Nullable Integer greatest,
        @Nullable Duration tooSlow,
        @Nullable ThreadKind threads,
        @Nullable Integer poolSize,
        @Nullable Order order,
        @Nullable WhenOrdered whenOrdered,
        @Nullable Integer attempts,
        @Nullable Duration firstPause,
        @Nullable Duration longestPause,
        @Nullable List<Class<? extends Throwable>> deadLetterOn) {

    public static final LaneProperties NONE =
            new LaneProperties(
                    null, null, null, null, null, null, null, null, null, null, null, null);

    /// What decides a lane's limit.
    public enum LimitKind {
        /// Stays.
        FIXED,
        /// The smallest number within 5 % of the best measured CPU progress; for work that computes on the lane's own threads.
        PLATEAU_CPU,
        /// The same on finished jobs.
        PLATEAU,
        /// By job times against the shortest; for I/O.
        GRADIENT,
        /// By how many jobs seem to wait at the service; for I/O.
        VEGAS,
        /// One more while all is well, a tenth fewer on failures or slow jobs; for I/O.
        AIMD
    }

    /// What jobs run on.
    public enum ThreadKind {
        /// A pool of the lane's own.
        PLATFORM,
        /// A virtual thread per job.
        VIRTUAL
    }
}
