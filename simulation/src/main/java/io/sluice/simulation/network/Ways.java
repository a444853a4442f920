package io.sluice.simulation.network;

import io.sluice.simulation.SimEntropy;
import java.util.Set;
import java.util.TreeSet;

/// Which machine can reach which, in each direction, and how long it takes. Owned by its world.
public final class Ways {
    private static final long MICROSECOND_NANOS = 1_000L;

    private final SimEntropy entropy;
    private final Set<String> cut = new TreeSet<>();
    private final Set<String> slow = new TreeSet<>();
    private final Set<String> off = new TreeSet<>();
    private final Set<String> straggling = new TreeSet<>();

    Ways(SimEntropy entropy) {
        this.entropy = entropy;
    }

    /// Nothing gets from one machine to the other any more. The opposite direction is another matter.
    public void cut(String from, String to) {
        cut.add(way(from, to));
    }

    public void cutBoth(String one, String other) {
        cut(one, other);
        cut(other, one);
    }

    /// Takes a cut back.
    public void open(String from, String to) {
        cut.remove(way(from, to));
    }

    /// Everything takes up to some hundred milliseconds from one machine to the other.
    public void slow(String from, String to) {
        slow.add(way(from, to));
    }

    public void quick(String from, String to) {
        slow.remove(way(from, to));
    }

    /// What the machine has sent on connections that break arrives all the same, seconds later.
    public void straggle(String machine) {
        straggling.add(machine);
    }

    public void keepUp(String machine) {
        straggling.remove(machine);
    }

    boolean straggles(String machine) {
        return !straggling.isEmpty() && straggling.contains(machine);
    }

    long latenessNanos(int latestMillis) {
        return entropy.between(1, latestMillis) * 1_000L * MICROSECOND_NANOS;
    }

    /// The machine has no power: nothing gets to it or from it.
    public void off(String machine) {
        off.add(machine);
    }

    public void on(String machine) {
        off.remove(machine);
    }

    public boolean isOff(String machine) {
        return off.contains(machine);
    }

    /// All ways are open and quick again; machines without power stay without.
    public void heal() {
        cut.clear();
        slow.clear();
        straggling.clear();
    }

    public boolean isHealthy() {
        return cut.isEmpty() && slow.isEmpty() && straggling.isEmpty();
    }

    public boolean isOpen(String from, String to) {
        return (off.isEmpty() && cut.isEmpty())
                || (!cut.contains(way(from, to)) && !off.contains(from) && !off.contains(to));
    }

    /// How long something takes that sets out now.
    public long delayNanos(String from, String to) {
        if (from.equals(to)) {
            return entropy.between(5, 50) * MICROSECOND_NANOS;
        }
        int longest = !slow.isEmpty() && slow.contains(way(from, to)) ? 400_000 : 1_000;
        return entropy.between(20, longest) * MICROSECOND_NANOS;
    }

    private static String way(String from, String to) {
        return from + " > " + to;
    }
}
