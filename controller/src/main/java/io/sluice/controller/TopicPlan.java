package io.sluice.controller;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Everything decided about one topic. Immutable.
///
/// @param settings only what was set for this topic; the rest follows the broker's defaults
/// @param version of the node in the metadata store, for compare-and-set
public record TopicPlan(
        String name,
        UUID id,
        List<PartitionPlan> partitions,
        Map<String, String> settings,
        int version) {
    public TopicPlan {
        partitions = List.copyOf(partitions);
        settings = Map.copyOf(settings);
    }

    /// Internal topics belong to the broker; clients may read them, but not create, change or delete them.
    public boolean isInternal() {
        return TopicNames.isInternal(name);
    }

    TopicPlan withVersion(int newVersion) {
        return new TopicPlan(name, id, partitions, settings, newVersion);
    }

    TopicPlan with(List<PartitionPlan> changed) {
        return new TopicPlan(name, id, changed, settings, version);
    }
}
