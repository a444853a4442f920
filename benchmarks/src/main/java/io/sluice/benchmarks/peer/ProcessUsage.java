package io.sluice.benchmarks.peer;

import java.time.Duration;

/// What a process has used up to now (CPU, context switches) and holds right now (memory, files, threads, mappings).
///
/// Immutable.
public record ProcessUsage(
        Duration user,
        Duration system,
        long contextSwitches,
        long residentBytes,
        int openFiles,
        int threads,
        int mappings) {

    static final ProcessUsage NONE = new ProcessUsage(Duration.ZERO, Duration.ZERO, 0, 0, 0, 0, 0);

    public Duration cpu() {
        return user.plus(system);
    }

    public double cpuSeconds() {
        return cpu().toNanos() / 1e9;
    }

    /// CPU seconds spent since an earlier look at the same process.
    public double cpuSecondsSince(ProcessUsage earlier) {
        return cpuSeconds() - earlier.cpuSeconds();
    }

    /// Both processes together: a broker that is started by a script is the script and what it started.
    ProcessUsage plus(ProcessUsage other) {
        return new ProcessUsage(
                user.plus(other.user),
                system.plus(other.system),
                contextSwitches + other.contextSwitches,
                residentBytes + other.residentBytes,
                openFiles + other.openFiles,
                threads + other.threads,
                mappings + other.mappings);
    }
}
