package io.sluice.chaos.fault;

import io.sluice.chaos.cluster.BrokerProcess;
import java.util.List;
import java.util.stream.Collectors;

/// `kill -9` of several brokers in the same moment; they come back together.
///
/// Immutable.
record KillSeveral(String kind, int survivors) implements Fault {
    @Override
    public Needs needs() {
        return Needs.NOTHING;
    }

    @Override
    public Injury inflict(Scene scene) {
        int spared = survivors == 0 ? 0 : scene.choose(scene.brokersBut(0));
        List<BrokerProcess> victims = scene.brokersBut(spared).stream().map(scene::broker).toList();
        BrokerProcess.killTogether(victims);
        return new Injury(
                "killed "
                        + victims.stream()
                                .map(victim -> scene.describe(victim.id()))
                                .collect(Collectors.joining(", ")),
                scene.allPartitions(),
                scene.between(0.2, 5),
                () -> victims.forEach(BrokerProcess::start));
    }
}
