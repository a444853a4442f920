package io.sluice.simulation;

/// Something that must never happen has happened in a run. Names the rule that it breaks.
public final class InvariantBroken extends RuntimeException {
    private final String invariant;

    public InvariantBroken(String invariant, String what) {
        super(invariant + ": " + what);
        this.invariant = invariant;
    }

    public String invariant() {
        return invariant;
    }
}
