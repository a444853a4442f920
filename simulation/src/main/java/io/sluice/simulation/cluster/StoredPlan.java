package io.sluice.simulation.cluster;

import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What the metadata store says of a partition, read from its text (docs/formats/topic-plan.md) and not by the code under test. Immutable.
///
/// @param topic the id of its topic
public record StoredPlan(
        UUID topic,
        PartitionId id,
        int leader,
        int epoch,
        int change,
        List<Integer> replicas,
        List<Integer> inSync,
        List<Integer> eligible,
        List<Integer> adding,
        List<Integer> removing) {

    /// Adds all partitions of a topic.
    static void read(String topic, String text, SortedMap<PartitionId, StoredPlan> into) {
        UUID topicId = new UUID(0, 0);
        for (String line : text.split("\n")) {
            if (line.startsWith("id ")) {
                topicId = UUID.fromString(line.split(" ")[1]);
            } else if (line.startsWith("partitions ")) {
                String[] words = line.split(" ");
                Map<String, String> fields = new HashMap<>();
                for (int i = 2; i + 1 < words.length; i += 2) {
                    fields.put(words[i], words[i + 1]);
                }
                for (String range : words[1].split(",")) {
                    String[] steps = range.split("/");
                    int step = steps.length == 1 ? 1 : Integer.parseInt(steps[1]);
                    String[] ends = steps[0].split("-");
                    int last = Integer.parseInt(ends[ends.length - 1]);
                    for (int index = Integer.parseInt(ends[0]); index <= last; index += step) {
                        PartitionId id = new PartitionId(topic, index);
                        into.put(id, of(topicId, id, fields));
                    }
                }
            }
        }
    }

    public PartitionLife life() {
        return new PartitionLife(topic, id);
    }

    private static StoredPlan of(UUID topic, PartitionId id, Map<String, String> fields) {
        return new StoredPlan(
                topic,
                id,
                Integer.parseInt(fields.getOrDefault("leader", "")),
                Integer.parseInt(fields.getOrDefault("epoch", "")),
                Integer.parseInt(fields.getOrDefault("change", "")),
                list(fields.get("replicas")),
                list(fields.get("insync")),
                list(fields.get("eligible")),
                list(fields.get("adding")),
                list(fields.get("removing")));
    }

    private static List<Integer> list(@Nullable String text) {
        List<Integer> numbers = new ArrayList<>();
        if (text != null) {
            for (String number : text.split(",")) {
                if (!number.isEmpty()) {
                    numbers.add(Integer.valueOf(number));
                }
            }
        }
        return List.copyOf(numbers);
    }
}
