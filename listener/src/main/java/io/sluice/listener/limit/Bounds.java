package io.sluice.listener.limit;

/// The check that all limits share.
final class Bounds {
    private Bounds() {}

    static void requireInside(int limit, int greatest) {
        if (limit < 1 || limit > greatest) {
            throw new IllegalArgumentException(
                    "A limit of "
                            + limit
                            + " is not possible: it has to be from 1 to "
                            + greatest
                            + ". The upper bound is the limit's own `greatest`; raise it, and the worker pool with it.");
        }
    }
}
