package io.sluice.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/// What happened in a run, told for a person who looks for the cause of a failure.
///
/// Off in ordinary runs, where building the sentences would cost more than the run. Owned by its run.
public final class Story {
    private static final int LONGEST = 400;

    private final boolean told;
    private final Deque<String> lines = new ArrayDeque<>();

    private Story(boolean told) {
        this.told = told;
    }

    public static Story untold() {
        return new Story(false);
    }

    public static Story told() {
        return new Story(true);
    }

    public boolean isTold() {
        return told;
    }

    public void add(SimWorld world, Supplier<String> sentence) {
        if (told) {
            if (lines.size() == LONGEST) {
                lines.removeFirst();
            }
            lines.add(world.clock().monotonicNanos() / 1_000 + " µs  " + sentence.get());
        }
    }

    /// The last few hundred sentences, one a line.
    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
