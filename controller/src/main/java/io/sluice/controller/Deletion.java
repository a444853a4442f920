package io.sluice.controller;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;

/// A topic that is deleted in the plan while its data may still be on some brokers' disks. Immutable.
///
/// Every member is asked, also those that have no replica: one may have had it before a move, and have been down since.
///
/// @param brokers that have not said yet that the data is out of the way
record Deletion(String topic, UUID id, int partitions, List<Integer> brokers) {
    Deletion {
        brokers = List.copyOf(brokers);
    }

    static Deletion of(TopicPlan plan, Collection<Integer> members) {
        TreeSet<Integer> brokers = new TreeSet<>(members);
        for (PartitionPlan partition : plan.partitions()) {
            brokers.addAll(partition.replicas());
        }
        return new Deletion(
                plan.name(), plan.id(), plan.partitions().size(), new ArrayList<>(brokers));
    }

    Deletion without(int broker) {
        return new Deletion(topic, id, partitions, PartitionPlan.without(brokers, List.of(broker)));
    }
}
