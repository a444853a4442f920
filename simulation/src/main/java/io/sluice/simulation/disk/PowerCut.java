package io.sluice.simulation.disk;

/// The power went off in the middle of a disk operation. An error, so that nobody handles it: it unwinds to the scenario.
public final class PowerCut extends Error {
    public PowerCut(String operation) {
        super("the power went off during: " + operation, null, false, false);
    }
}
