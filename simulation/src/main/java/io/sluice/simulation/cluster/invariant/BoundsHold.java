package io.sluice.simulation.cluster.invariant;

import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.SimBroker;

/// Nothing piles up: events, connections, open files.
public final class BoundsHold extends ClusterInvariant {
    private static final int EVENTS = 20_000;
    private static final int CONNECTIONS = 200;
    private static final int FILES = 200;

    public BoundsHold(Facts facts) {
        super(facts);
    }

    @Override
    public void checkpoint() {
        int waiting = facts().cluster().world().waiting();
        require(waiting <= EVENTS, () -> waiting + " events are waiting");
        for (SimBroker broker : facts().cluster().brokers()) {
            var process = broker.process();
            int connections =
                    process == null ? 0 : facts().cluster().network().connectionsOf(process);
            require(
                    connections <= CONNECTIONS,
                    () -> broker.machine() + " has " + connections + " connections");
            require(
                    broker.disk().openFiles() <= FILES,
                    () -> broker.machine() + " has " + broker.disk().openFiles() + " files open");
        }
    }
}
