package io.sluice.benchmarks.peer;

/// What all processes of the machine together have used, in ticks of all its cores; shows how much noise a reading was taken in.
///
/// Immutable.
public record MachineUsage(long busyTicks, long stolenTicks, long totalTicks) {

    /// The share of the machine, 0 to 1, that was neither idle nor used by `knownCpuSeconds` since an earlier look.
    public double backgroundSince(MachineUsage earlier, double knownCpuSeconds) {
        long total = totalTicks - earlier.totalTicks;
        if (total <= 0) {
            return 0;
        }
        double known = knownCpuSeconds * ProcFiles.TICKS_PER_SECOND;
        double busy = busyTicks + stolenTicks - earlier.busyTicks - earlier.stolenTicks;
        return Math.clamp((busy - known) / total, 0, 1);
    }
}
