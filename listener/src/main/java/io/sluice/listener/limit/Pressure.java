package io.sluice.listener.limit;

import io.sluice.listener.limit.Limit.Progress;

/// Whether the machine is at its end, as a guard saw it.
///
/// Immutable.
///
/// @param tooMuch whether fewer jobs have to run
/// @param ofCpu whether it is only the CPU that is short
/// @param why for people
public record Pressure(boolean tooMuch, boolean ofCpu, String why) {
    private static final Pressure NONE = new Pressure(false, false, "");

    public static Pressure none() {
        return NONE;
    }

    public static Pressure because(String why) {
        return new Pressure(true, false, why);
    }

    public static Pressure ofCpu(String why) {
        return new Pressure(true, true, why);
    }

    /// Whether memory is at its end.
    public boolean ofMemory() {
        return tooMuch && !ofCpu;
    }

    /// Whether a limit that measures this progress has to go down. One that measures CPU time is there to use all of it, and sees by itself when there is no more to
    /// be had; a neighbour who takes the CPU is no reason to leave it to him.
    boolean concerns(Progress progress) {
        return tooMuch && !(ofCpu && progress == Progress.CPU);
    }
}
