package io.sluice.chaos.place.proxy;

import io.sluice.chaos.place.Cuts;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// Which ways are shut. Whoever carries bytes asks before he hands them over, and waits until healing where it is shut.
///
/// Thread-safe: the campaign's thread cuts, those that carry ask.
final class ProxyCuts implements Cuts, AutoCloseable {
    private final Set<Way> shut = new HashSet<>();
    private int waiting;
    private boolean closed;

    @Override
    public synchronized void cut(int from, int to) {
        shut.add(new Way(from, to, false));
        shut.add(new Way(from, to, true));
    }

    @Override
    public synchronized void cutStore(int one, int other) {
        Way store = new Way(one, other, true);
        shut.add(store);
        shut.add(store.back());
    }

    @Override
    public synchronized void healAll() {
        shut.clear();
        notifyAll();
    }

    synchronized boolean isShut(Way way) {
        return shut.contains(way);
    }

    /// Waits while the way is shut. False when the network is taken down: nothing arrives any more.
    synchronized boolean awaitOpen(Way way) {
        return awaitUntil(() -> !shut.contains(way));
    }

    /// Waits until both ways are open in the same moment.
    synchronized boolean awaitOpenBothWays(Way way) {
        return awaitUntil(() -> !shut.contains(way) && !shut.contains(way.back()));
    }

    /// How many wait for healing; for tests.
    synchronized int waiting() {
        return waiting;
    }

    private synchronized boolean awaitUntil(BooleanSupplier isOpen) {
        waiting++;
        try {
            while (!closed && !isOpen.getAsBoolean()) {
                wait();
            }
            return !closed;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Nobody interrupts those that carry", interrupted);
        } finally {
            waiting--;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
