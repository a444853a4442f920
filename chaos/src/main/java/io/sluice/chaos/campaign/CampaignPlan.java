package io.sluice.chaos.campaign;

import io.sluice.chaos.fault.Fault;
import io.sluice.chaos.load.LoadPlan;
import java.time.Duration;
import java.util.List;

/// What a campaign is to do: which faults, how many or for how long, by which seed, under which load.
///
/// After `faultsPerRound` faults the load ends, everything is read once more and judged, and a new topic begins: what goes wrong is found soon, and a history
/// stays small enough to be looked at whole.
///
/// Immutable.
public record CampaignPlan(
        List<Fault> faults,
        int count,
        Duration limit,
        long seed,
        int faultsPerRound,
        LoadPlan load) {

    public CampaignPlan {
        faults = List.copyOf(faults);
        if (faults.isEmpty()) {
            throw new IllegalArgumentException("A campaign needs at least one fault.");
        }
    }
}
