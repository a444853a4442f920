package io.sluice.simulation;

import java.util.ArrayList;
import java.util.List;

/// Which seeds to run: by default a fixed range, so that a build means the same everywhere; by system property any other.
///
/// | property           | meaning                        |
/// |--------------------|--------------------------------|
/// | `sluice.seed`      | this one only                  |
/// | `sluice.seeds`     | how many                       |
/// | `sluice.firstSeed` | where to begin; default 1      |
public final class Seeds {
    private Seeds() {}

    public static List<Long> asked(int defaultCount) {
        Long single = Long.getLong("sluice.seed");
        if (single != null) {
            return List.of(single);
        }
        return range(
                Long.getLong("sluice.firstSeed", 1),
                Integer.getInteger("sluice.seeds", defaultCount));
    }

    public static List<Long> range(long first, int count) {
        List<Long> seeds = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            seeds.add(first + i);
        }
        return seeds;
    }
}
