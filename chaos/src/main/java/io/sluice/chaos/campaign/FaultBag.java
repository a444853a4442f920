package io.sluice.chaos.campaign;

import io.sluice.chaos.fault.Fault;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/// Draws faults in random order, but each one once before any comes again, so that a short campaign has seen every kind.
///
/// Owned by the campaign's thread.
final class FaultBag {
    private final List<Fault> all;
    private final Random random;
    private final List<Fault> left = new ArrayList<>();

    FaultBag(List<Fault> all, Random random) {
        this.all = all;
        this.random = random;
    }

    Fault draw() {
        if (left.isEmpty()) {
            left.addAll(all);
            Collections.shuffle(left, random);
        }
        return left.removeLast();
    }
}
