package io.sluice.listener.limit;

/// Stays what it was set to.
///
/// Owned by its lane, called under its lock.
public final class FixedLimit implements Limit {
    private final int greatest;
    private int current;

    public FixedLimit(int limit) {
        this(limit, limit);
    }

    /// @param greatest up to where it may be raised while running
    public FixedLimit(int limit, int greatest) {
        this.greatest = greatest;
        Bounds.requireInside(limit, greatest);
        this.current = limit;
    }

    @Override
    public int current() {
        return current;
    }

    @Override
    public int greatest() {
        return greatest;
    }

    @Override
    public boolean adaptive() {
        return false;
    }

    @Override
    public boolean enough(Window window) {
        return false;
    }

    @Override
    public void on(Window window) {}

    @Override
    public void set(int limit) {
        Bounds.requireInside(limit, greatest);
        current = limit;
    }

    @Override
    public String reason() {
        return "is fixed at " + current;
    }
}
