package io.sluice.listener.limit;

/// Whether the machine is at its end, as a guard saw it.
///
/// Immutable.
///
/// @param tooMuch whether fewer jobs have to run
/// @param why for people
public record Pressure(boolean tooMuch, String why) {
    private static final Pressure NONE = new Pressure(false, "");

    public static Pressure none() {
        return NONE;
    }

    public static Pressure because(String why) {
        return new Pressure(true, why);
    }
}
