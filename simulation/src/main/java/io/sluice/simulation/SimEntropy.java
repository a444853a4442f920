package io.sluice.simulation;

import io.sluice.env.Entropy;
import java.util.List;

/// Random numbers that follow from a seed (splitmix64).
///
/// Each part of a world forks its own by name: what one part draws never changes what another gets. Owned by its user.
public final class SimEntropy implements Entropy {
    private final long seed;
    private long state;

    public SimEntropy(long seed) {
        this.seed = seed;
        this.state = seed;
    }

    /// Depends on the seed and the name alone, not on what was drawn before.
    public SimEntropy fork(String name) {
        return new SimEntropy(mix(seed ^ mix(name.hashCode())));
    }

    @Override
    public long nextLong() {
        state += 0x9e3779b97f4a7c15L;
        return mix(state);
    }

    /// From 0 to below the bound.
    public int below(int bound) {
        return (int) below((long) bound);
    }

    public long below(long bound) {
        return Long.remainderUnsigned(nextLong(), bound);
    }

    /// From the first to the last number, both included.
    public int between(int first, int last) {
        return first + below(last - first + 1);
    }

    public boolean chance(int percent) {
        return below(100) < percent;
    }

    public boolean oneIn(int times) {
        return below(times) == 0;
    }

    public <T> T pick(List<T> choices) {
        return choices.get(below(choices.size()));
    }

    static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
