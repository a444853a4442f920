package io.sluice.controller;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/// A topic's plan as a text in the metadata store. Pure. See `docs/formats/topic-plan.md`.
///
/// ```
/// sluice-topic 1
/// id 3f0d5c1e-…
/// partitions 0-11 leader 1 replicas 1,2,3
/// set retention.ms 86400000
/// ```
/// Neighbouring partitions with the same replicas share a line, so that ten thousand of them stay small.
final class TopicPlanFormat {
    private static final String FIRST_LINE = "sluice-topic 1";

    private TopicPlanFormat() {}

    static String write(TopicPlan plan) {
        StringBuilder text =
                new StringBuilder(FIRST_LINE)
                        .append('\n')
                        .append("id ")
                        .append(plan.id())
                        .append('\n');
        List<PartitionPlan> partitions = plan.partitions();
        int from = 0;
        while (from < partitions.size()) {
            PartitionPlan same = partitions.get(from);
            int to = from;
            while (to + 1 < partitions.size() && partitions.get(to + 1).equals(same)) {
                to++;
            }
            text.append("partitions ").append(from).append('-').append(to);
            text.append(" leader ")
                    .append(same.leader())
                    .append(" replicas ")
                    .append(join(same.replicas()))
                    .append('\n');
            from = to + 1;
        }
        new TreeMap<>(plan.settings())
                .forEach(
                        (name, value) ->
                                text.append("set ")
                                        .append(name)
                                        .append(' ')
                                        .append(escape(value))
                                        .append('\n'));
        return text.toString();
    }

    static TopicPlan read(String name, String text, int version) {
        String[] lines = text.split("\n", -1);
        if (!lines[0].equals(FIRST_LINE)) {
            throw new IllegalStateException(
                    "The plan of topic '"
                            + name
                            + "' begins with '"
                            + lines[0]
                            + "'; this version reads '"
                            + FIRST_LINE
                            + "'. It was written by a newer Sluice.");
        }
        UUID id = new UUID(0, 0);
        List<PartitionPlan> partitions = new ArrayList<>();
        Map<String, String> settings = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            String[] words = lines[i].split(" ", 3);
            switch (words[0]) {
                case "" -> {}
                case "id" -> id = UUID.fromString(words[1]);
                case "partitions" -> readPartitions(lines[i].split(" ", -1), partitions);
                case "set" -> settings.put(words[1], unescape(words[2]));
                default ->
                        throw new IllegalStateException(
                                "The plan of topic '"
                                        + name
                                        + "' has an unknown line: "
                                        + lines[i]);
            }
        }
        return new TopicPlan(name, id, partitions, settings, version);
    }

    /// `partitions 0-11 leader 1 replicas 1,2,3`
    private static void readPartitions(String[] words, List<PartitionPlan> partitions) {
        String[] range = words[1].split("-", 2);
        List<Integer> replicas = new ArrayList<>();
        for (String replica : words[5].split(",", -1)) {
            replicas.add(Integer.parseInt(replica));
        }
        PartitionPlan plan = new PartitionPlan(replicas, Integer.parseInt(words[3]));
        for (int i = Integer.parseInt(range[0]); i <= Integer.parseInt(range[1]); i++) {
            partitions.add(plan);
        }
    }

    private static String join(List<Integer> numbers) {
        return String.join(",", numbers.stream().map(String::valueOf).toList());
    }

    private static String escape(String value) {
        return value.replace("\\", "\\\\").replace("\n", "\\n");
    }

    private static String unescape(String value) {
        StringBuilder text = new StringBuilder(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\\' && i + 1 < value.length()) {
                i++;
                text.append(value.charAt(i) == 'n' ? '\n' : value.charAt(i));
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }
}
