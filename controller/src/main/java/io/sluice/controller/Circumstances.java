package io.sluice.controller;

import java.util.Set;

/// What the active controller knows beside the plan. Immutable.
///
/// @param stopping brokers that have asked to stop
record Circumstances(ClusterView view, Set<Integer> stopping) {
    /// May get new replicas and lead.
    boolean isUsable(int broker) {
        Member member = view.members().get(broker);
        return view.isLive(broker)
                && !stopping.contains(broker)
                && member != null
                && !member.isDraining();
    }

    boolean isStaying(int broker) {
        return view.isLive(broker) && !stopping.contains(broker);
    }

    /// Is to lead where it is the first replica. One with a full disk could take nothing.
    boolean mayLead(int broker) {
        return isUsable(broker) && !view.isDiskFull(broker);
    }

    Placement placement() {
        return new Placement(view, this::isUsable);
    }
}
