package io.sluice.simulation.cluster;

import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/// What a broker's disk has lost, until the controller has heard of it. Owned by its broker.
final class Losses {
    private static final Comparator<PartitionId> BY_NAME =
            Comparator.comparing(PartitionId::toString);

    private boolean wiped;
    private boolean unforced;

    /// Files of these are gone, and they may be counted all the same.
    private final Set<PartitionId> files = new TreeSet<>(BY_NAME);

    /// Files of these are gone, and their logs may have a hole.
    private final Set<PartitionId> holes = new TreeSet<>(BY_NAME);

    /// The controller hears the process that has begun since.
    private boolean heard;

    /// Of processes that have begun since the last loss.
    private final List<String> truthful = new ArrayList<>();

    void wipe() {
        wiped = true;
        files.clear();
        holes.clear();
        truthful.clear();
    }

    void power() {
        unforced = true;
        truthful.clear();
    }

    void files(PartitionId partition) {
        files.add(partition);
        holes.add(partition);
        heard = false;
        truthful.clear();
    }

    /// Whoever has lost files and is not counted is counted again only when it has everything: from when the controller hears nobody else in its name.
    void counted(PartitionId partition, boolean counts) {
        if (heard && !counts) {
            files.remove(partition);
        }
    }

    /// What was lost is missed no more.
    void deleted(PartitionId partition) {
        files.remove(partition);
        holes.remove(partition);
    }

    void filled(PartitionId partition) {
        holes.remove(partition);
    }

    boolean mayHaveHole(PartitionId partition) {
        return holes.contains(partition);
    }

    void registers(UUID incarnation) {
        truthful.add(incarnation.toString());
    }

    void admitted(String registration) {
        if (truthful.stream().anyMatch(registration::contains)) {
            wiped = false;
            unforced = false;
            heard = true;
        }
    }

    boolean mayLack(boolean pageCache) {
        return wiped || !files.isEmpty() || (pageCache && unforced);
    }

    boolean mayLack(PartitionId partition, boolean pageCache) {
        return wiped || files.contains(partition) || (pageCache && unforced);
    }
}
