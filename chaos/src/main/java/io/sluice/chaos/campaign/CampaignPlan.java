package io.sluice.chaos.campaign;

import io.sluice.chaos.fault.Fault;
import io.sluice.chaos.fault.Pace;
import io.sluice.chaos.load.LoadPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// What a campaign is to do: which faults (one that comes more often is in the list more often), how many or for how long, how fast, by which seed, under which load.
///
/// After `faultsPerRound` faults the load ends, everything is read once more and judged, and a new topic begins: what goes wrong is found soon, and a history
/// stays small enough to be looked at whole. That of a round in which something was broken is kept in the folder `histories`.
///
/// Immutable.
public record CampaignPlan(
        List<Fault> faults,
        int count,
        Pace pace,
        Duration limit,
        long seed,
        int faultsPerRound,
        LoadPlan load,
        Path histories) {

    public CampaignPlan {
        faults = List.copyOf(faults);
        if (faults.isEmpty()) {
            throw new IllegalArgumentException("A campaign needs at least one fault.");
        }
    }
}
