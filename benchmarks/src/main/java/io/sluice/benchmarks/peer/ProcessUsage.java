package io.sluice.benchmarks.peer;

import java.time.Duration;

/// What a process has used up to now (CPU, context switches) and holds right now (memory, files, threads, mappings).
///
/// Immutable.
///
/// @param compilers the part of `user` and `system` that the JVM's compilers took: those threads of them that live now
public record ProcessUsage(
        Duration user,
        Duration system,
        Duration compilers,
        long contextSwitches,
        long residentBytes,
        int openFiles,
        int threads,
        int mappings) {

    static final ProcessUsage NONE =
            new ProcessUsage(Duration.ZERO, Duration.ZERO, Duration.ZERO, 0, 0, 0, 0, 0);

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

    /// Which part of its CPU time its JVM has spent compiling since an earlier look; 0 when it has spent none.
    public double compilersShareSince(ProcessUsage earlier) {
        double compiled = compilers.minus(earlier.compilers).toNanos() / 1e9;
        double all = cpuSecondsSince(earlier);
        return all <= 0 ? 0 : Math.max(0, compiled) / all;
    }

    /// Both processes together: a broker that is started by a script is the script and what it started.
    ProcessUsage plus(ProcessUsage other) {
        return new ProcessUsage(
                user.plus(other.user),
                system.plus(other.system),
                compilers.plus(other.compilers),
                contextSwitches + other.contextSwitches,
                residentBytes + other.residentBytes,
                openFiles + other.openFiles,
                threads + other.threads,
                mappings + other.mappings);
    }
}
