package io.sluice.listener.lane;

import io.sluice.listener.limit.Limit.Progress;
import io.sluice.listener.limit.Pressure;
import io.sluice.listener.limit.Window;
import java.time.Duration;

/// Measures a lane between two decisions of its limit.
///
/// A window begins only when the jobs of the time before have had time to end: otherwise a new number would be judged by what the
/// old one got done.
///
/// Owned by its lane, under the lock of [Lanes]. Time comes in with the call.
final class LaneMeter {
    private long beginsNanos;
    private long seenNanos;
    private double busyNanos;
    private long done;
    private long failed;
    private long jobNanos;
    private double work;
    private long cpuNanos;
    private boolean begun;

    /// Begins a new window after this time.
    void restart(long nowNanos, Duration settling) {
        beginsNanos = nowNanos + settling.toNanos();
        begun = false;
    }

    /// The number of jobs in flight is about to change.
    void changes(int inFlight, long nowNanos) {
        if (begun) {
            busyNanos += (double) inFlight * (nowNanos - seenNanos);
        }
        seenNanos = nowNanos;
    }

    /// @return whether a window is being measured
    boolean measures(LaneTally tally, long nowNanos) {
        if (!begun && nowNanos - beginsNanos >= 0) {
            begin(tally, nowNanos);
            return false;
        }
        return begun;
    }

    /// Begins a new window now.
    void begin(LaneTally tally, long nowNanos) {
        begun = true;
        beginsNanos = nowNanos;
        seenNanos = nowNanos;
        busyNanos = 0;
        done = tally.done;
        failed = failures(tally);
        jobNanos = tally.jobNanos;
        work = tally.work;
        cpuNanos = tally.cpuNanos;
    }

    Window window(Lane lane, Pressure pressure, long nowNanos) {
        LaneTally tally = lane.tally();
        changes(lane.inFlight(), nowNanos);
        long length = Math.max(1, nowNanos - beginsNanos);
        long completed = tally.done - done;
        long failures = failures(tally) - failed;
        long ended = completed + failures;
        return new Window(
                Duration.ofNanos(length),
                lane.limit(),
                busyNanos / ((double) length * lane.limit()),
                progress(lane),
                completed,
                failures,
                ended == 0 ? Duration.ZERO : Duration.ofNanos((tally.jobNanos - jobNanos) / ended),
                pressure);
    }

    /// Finished work is counted by what a busy slot got done on average (Little's law), not by what happened to end inside the window: with
    /// many jobs at once, whether a wave of them ends before or after its last moment would be worth more than the limit.
    private double progress(Lane lane) {
        LaneTally tally = lane.tally();
        if (lane.policy().progress() == Progress.CPU) {
            return (tally.cpuNanos - cpuNanos) / 1e9;
        }
        long nanos = tally.jobNanos - jobNanos;
        return nanos == 0 ? 0 : busyNanos * (tally.work - work) / nanos;
    }

    private static long failures(LaneTally tally) {
        return tally.retried + tally.deadLettered;
    }
}
