package io.sluice.simulation.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// What a broker's disk has lost, until the controller has heard of it. Owned by its broker.
final class Losses {
    private boolean wiped;
    private boolean unforced;

    /// Of processes that have begun since the last loss.
    private final List<String> truthful = new ArrayList<>();

    void wipe() {
        wiped = true;
        truthful.clear();
    }

    void power() {
        unforced = true;
        truthful.clear();
    }

    void registers(UUID incarnation) {
        truthful.add(incarnation.toString());
    }

    void admitted(String registration) {
        if (truthful.stream().anyMatch(registration::contains)) {
            wiped = false;
            unforced = false;
        }
    }

    boolean mayLack(boolean pageCache) {
        return wiped || (pageCache && unforced);
    }
}
