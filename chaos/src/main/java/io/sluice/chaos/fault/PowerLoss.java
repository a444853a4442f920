package io.sluice.chaos.fault;

import io.sluice.chaos.cluster.BrokerProcess;
import java.util.List;
import java.util.stream.Collectors;

/// The power goes: whatever was not synced to disk is gone, and the process with it.
///
/// Immutable.
record PowerLoss(String kind, boolean everyone) implements Fault {
    @Override
    public Needs needs() {
        return Needs.DISKS;
    }

    @Override
    public Injury inflict(Scene scene) {
        List<Integer> victims = everyone ? scene.brokersBut(0) : List.of(Target.LEADER.pick(scene));
        victims.forEach(scene.disks()::cutPower);
        BrokerProcess.killTogether(victims.stream().map(scene::broker).toList());
        return new Injury(
                "power loss of "
                        + victims.stream().map(scene::describe).collect(Collectors.joining(", ")),
                scene.allPartitions(),
                scene.between(0.5, 4),
                () -> victims.forEach(victim -> DiskCare.repairAndStart(scene, victim)));
    }
}
