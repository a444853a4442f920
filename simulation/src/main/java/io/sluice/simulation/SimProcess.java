package io.sluice.simulation;

/// One life of a simulated program: everything it has posted or scheduled dies with it.
///
/// Owned by its world.
public final class SimProcess {
    private final String name;
    private boolean alive = true;

    public SimProcess(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    public boolean isAlive() {
        return alive;
    }

    /// `kill -9`: from now on nothing of it runs.
    public void kill() {
        alive = false;
    }
}
