package io.sluice.node;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.controller.Controller;
import io.sluice.replication.PeerAddress;
import org.jspecify.annotations.Nullable;

/// Where the other brokers are, and in which life. Thread-safe, as the controller's views are.
record AddressBook(Controller controller) {
    /// By the plan that this broker is part of.
    @Nullable PeerAddress find(int broker) {
        return find(controller.view(), broker);
    }

    /// For signs of life, which begin before this broker is part of the plan.
    @Nullable PeerAddress findRegistered(int broker) {
        return find(controller.registered(), broker);
    }

    private static @Nullable PeerAddress find(ClusterView view, int broker) {
        BrokerView found = view.findRegistered(broker);
        return found == null ? null : new PeerAddress(broker, found.host(), found.port());
    }

    /// Of a broker that is not live none: it must not be proposed for an in-sync set, where it would keep the others out, too.
    long liveEpochOf(int broker) {
        ClusterView view = controller.view();
        return view.isLive(broker) ? view.brokerEpoch(broker) : -1;
    }
}
