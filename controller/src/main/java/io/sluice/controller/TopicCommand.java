package io.sluice.controller;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What can be asked of the controller about a topic. Immutable.
public sealed interface TopicCommand {
    String topic();

    /// @param partitions -1 for the default
    /// @param replicationFactor -1 for the default
    /// @param assignment replicas of each partition, or empty to let the controller choose
    record Create(
            String topic,
            int partitions,
            int replicationFactor,
            List<List<Integer>> assignment,
            Map<String, String> settings)
            implements TopicCommand {}

    record Delete(String topic) implements TopicCommand {}

    /// More partitions; old data stays where it is (Q29).
    record Grow(String topic, int partitions, List<List<Integer>> assignment)
            implements TopicCommand {}

    /// A null value takes the setting back to its default.
    record ChangeSettings(String topic, Map<String, @Nullable String> changes)
            implements TopicCommand {}

    /// All of a topic's settings at once.
    record ReplaceSettings(String topic, Map<String, String> settings) implements TopicCommand {}

    /// Another number of replicas, by moves of the partitions that do not have it.
    record ChangeReplication(String topic, int replicationFactor) implements TopicCommand {}
}
