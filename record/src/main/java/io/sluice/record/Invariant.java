package io.sluice.record;

/// Checks that are always on. A violated one is a bug: the owner of the state stops rather than go on with wrong data.
public final class Invariant {
    private Invariant() {}

    public static void check(boolean holds, String message) {
        if (!holds) {
            throw new Violation(message);
        }
    }

    public static void check(boolean holds, String message, long first, long second) {
        if (!holds) {
            throw new Violation(message + ": " + first + ", " + second);
        }
    }

    /// An error and not an exception, so that nobody handles it by accident.
    public static final class Violation extends Error {
        public Violation(String message) {
            super(message);
        }
    }
}
