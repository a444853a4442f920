package io.sluice.controller;

import io.sluice.env.Coordination.Change;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// Moves of a topic's partitions that were asked for and have not begun, since only so many move at a time. Immutable.
///
/// @param targets the wanted replicas, by partition
/// @param version of the node in the metadata store; -1 when there is none yet
record MoveQueue(String topic, UUID id, SortedMap<Integer, List<Integer>> targets, int version) {
    static final String PATH = "/moves";
    private static final String FORMAT = "sluice-moves 1";
    private static final int NEW = -1;

    MoveQueue {
        targets = Collections.unmodifiableSortedMap(new TreeMap<>(targets));
    }

    /// What waits for this topic; nothing when it was asked for an earlier topic of the same name.
    static MoveQueue of(TopicPlan topic, ClusterView view) {
        MoveQueue present = view.upcoming().moves().get(topic.name());
        if (present != null && present.id().equals(topic.id())) {
            return present;
        }
        return new MoveQueue(
                topic.name(),
                topic.id(),
                new TreeMap<>(),
                present == null ? NEW : present.version());
    }

    static String path(String topic) {
        return PATH + "/" + topic;
    }

    MoveQueue with(SortedMap<Integer, List<Integer>> others) {
        return new MoveQueue(topic, id, others, version);
    }

    /// What brings the store from this queue's version to its content.
    Change change() {
        if (version == NEW) {
            return new Change.Create(path(topic), write());
        }
        return targets.isEmpty()
                ? new Change.Delete(path(topic), version)
                : new Change.Set(path(topic), write(), version);
    }

    private String write() {
        StringBuilder text = new StringBuilder(FORMAT).append('\n');
        text.append("id ").append(id).append('\n');
        targets.forEach(
                (partition, target) ->
                        text.append("partition ")
                                .append(partition)
                                .append(" replicas ")
                                .append(TopicPlanFormat.join(target))
                                .append('\n'));
        return text.toString();
    }

    static MoveQueue read(String topic, String text, int version) {
        String[] lines = text.split("\n", -1);
        if (!lines[0].equals(FORMAT)) {
            throw new IllegalStateException(
                    path(topic)
                            + " in the metadata store begins with '"
                            + lines[0]
                            + "'; this version reads '"
                            + FORMAT
                            + "'. It was written by a newer Sluice.");
        }
        UUID id = new UUID(0, 0);
        SortedMap<Integer, List<Integer>> targets = new TreeMap<>();
        for (int i = 1; i < lines.length; i++) {
            String[] words = lines[i].split(" ", -1);
            if (words[0].equals("id")) {
                id = UUID.fromString(words[1]);
            } else if (words[0].equals("partition")) {
                targets.put(Integer.valueOf(words[1]), TopicPlanFormat.numbers(words[3]));
            }
        }
        return new MoveQueue(topic, id, targets, version);
    }
}
