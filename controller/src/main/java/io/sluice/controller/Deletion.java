package io.sluice.controller;

import io.sluice.env.Coordination.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// A topic that is deleted in the plan while its data may still be on disk: kept in the store until the data is out of the way. Immutable.
record Deletion(String topic, UUID id, int partitions) {
    static final String PATH = "/deletions";

    static Deletion of(TopicPlan plan) {
        return new Deletion(plan.name(), plan.id(), plan.partitions().size());
    }

    static String path(String topic) {
        return PATH + "/" + topic;
    }

    String write() {
        return id + " " + partitions;
    }

    static List<Deletion> readAll(Map<String, Node> nodes) {
        List<Deletion> deletions = new ArrayList<>();
        nodes.forEach(
                (path, node) -> {
                    if (path.startsWith(PATH + "/")) {
                        String[] words = node.value().split(" ", 2);
                        deletions.add(
                                new Deletion(
                                        path.substring(PATH.length() + 1),
                                        UUID.fromString(words[0]),
                                        Integer.parseInt(words[1])));
                    }
                });
        return deletions;
    }
}
