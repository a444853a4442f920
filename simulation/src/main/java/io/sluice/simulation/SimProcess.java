package io.sluice.simulation;

import java.util.ArrayList;
import java.util.List;

/// One life of a simulated program: everything it has posted or scheduled dies with it.
///
/// Owned by its world.
public final class SimProcess {
    private final String name;
    private final List<SimWorld.Event> held = new ArrayList<>();
    private boolean alive = true;
    private boolean paused;

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
        held.clear();
    }

    /// `SIGSTOP`: what would have happened in it happens when it goes on ([SimWorld#resume]).
    public void pause() {
        paused = true;
    }

    public boolean isPaused() {
        return paused;
    }

    void hold(SimWorld.Event event) {
        held.add(event);
    }

    /// What was held back, in order.
    List<SimWorld.Event> goOn() {
        paused = false;
        List<SimWorld.Event> due = List.copyOf(held);
        held.clear();
        return due;
    }
}
