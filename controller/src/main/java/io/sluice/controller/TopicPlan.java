package io.sluice.controller;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Everything decided about one topic. Immutable.
///
/// @param settings only what was set for this topic; the rest follows the broker's defaults, but for what the rules say
/// @param rules by which its leaders are chosen and commit; null in a plan from before they were noted, until a controller has seen it
/// @param version of the node in the metadata store, for compare-and-set
public record TopicPlan(
        String name,
        UUID id,
        List<PartitionPlan> partitions,
        Map<String, String> settings,
        @Nullable TopicRules rules,
        int version) {
    public TopicPlan {
        partitions = List.copyOf(partitions);
        settings = Map.copyOf(settings);
    }

    /// Without rules.
    public TopicPlan(
            String name,
            UUID id,
            List<PartitionPlan> partitions,
            Map<String, String> settings,
            int version) {
        this(name, id, partitions, settings, null, version);
    }

    /// Internal topics belong to the broker; clients may read them, but not create, change or delete them.
    public boolean isInternal() {
        return TopicNames.isInternal(name);
    }

    TopicPlan withVersion(int newVersion) {
        return new TopicPlan(name, id, partitions, settings, rules, newVersion);
    }

    TopicPlan with(List<PartitionPlan> changed) {
        return new TopicPlan(name, id, changed, settings, rules, version);
    }

    TopicPlan ruled(@Nullable TopicRules noted) {
        return new TopicPlan(name, id, partitions, settings, noted, version);
    }
}
