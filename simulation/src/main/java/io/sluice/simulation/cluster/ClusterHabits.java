package io.sluice.simulation.cluster;

import io.sluice.controller.Registration;
import io.sluice.env.Coordination;
import io.sluice.env.Disk;
import io.sluice.env.Network;
import io.sluice.kafka.api.Handlers;
import io.sluice.node.Node;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/// Where a test can put a mistake into an otherwise correct cluster: between brokers and their doors. Immutable.
///
/// @param disk between a broker and its disk
/// @param network between a broker and the others
/// @param coordination between a broker and the metadata store
/// @param handlers between a broker's listener and what answers
/// @param registration what a broker says of itself, after what it should say; the number is the broker epoch of its last life, -1 for none
/// @param topicSettings over those that the scenario draws
record ClusterHabits(
        UnaryOperator<Disk> disk,
        BiFunction<Network, SimBroker, Network> network,
        BiFunction<Coordination, SimBroker, Coordination> coordination,
        BiFunction<Handlers, Node, Handlers> handlers,
        BiFunction<Registration, Long, Registration> registration,
        SortedMap<String, String> topicSettings) {
    static final ClusterHabits GOOD =
            new ClusterHabits(
                    UnaryOperator.identity(),
                    (network, _) -> network,
                    (store, _) -> store,
                    (handlers, _) -> handlers,
                    (registration, _) -> registration,
                    new TreeMap<>());

    ClusterHabits disk(UnaryOperator<Disk> other) {
        return new ClusterHabits(
                other, network, coordination, handlers, registration, topicSettings);
    }

    ClusterHabits network(BiFunction<Network, SimBroker, Network> other) {
        return new ClusterHabits(disk, other, coordination, handlers, registration, topicSettings);
    }

    ClusterHabits coordination(BiFunction<Coordination, SimBroker, Coordination> other) {
        return new ClusterHabits(disk, network, other, handlers, registration, topicSettings);
    }

    ClusterHabits handlers(BiFunction<Handlers, Node, Handlers> other) {
        return new ClusterHabits(disk, network, coordination, other, registration, topicSettings);
    }

    ClusterHabits registration(BiFunction<Registration, Long, Registration> other) {
        return new ClusterHabits(disk, network, coordination, handlers, other, topicSettings);
    }

    ClusterHabits topic(String name, String value) {
        SortedMap<String, String> more = new TreeMap<>(topicSettings);
        more.put(name, value);
        return new ClusterHabits(disk, network, coordination, handlers, registration, more);
    }
}
