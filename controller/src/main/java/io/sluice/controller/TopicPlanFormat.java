package io.sluice.controller;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A topic's plan as a text in the metadata store. Pure. See `docs/formats/topic-plan.md`.
///
/// ```
/// sluice-topic 2
/// id 3f0d5c1e-… flush fsync min.insync.replicas 2 unclean.leader.election.enable false
/// partitions 0-11,14 leader 1 epoch 7 change 9 replicas 1,2,3 insync 1,3
/// set retention.ms 86400000
/// ```
/// Partitions that are alike share a line, so that ten thousand of them stay small.
final class TopicPlanFormat {
    private static final String FIRST_LINE = "sluice-topic 2";

    private TopicPlanFormat() {}

    static String write(TopicPlan plan) {
        StringBuilder text =
                new StringBuilder(FIRST_LINE).append('\n').append("id ").append(plan.id());
        if (plan.rules() != null) {
            new TreeMap<>(plan.rules().settings())
                    .forEach(
                            (name, value) ->
                                    text.append(' ').append(name).append(' ').append(value));
        }
        text.append('\n');
        Map<PartitionPlan, List<Integer>> alike = new LinkedHashMap<>();
        for (int i = 0; i < plan.partitions().size(); i++) {
            alike.computeIfAbsent(plan.partitions().get(i), _ -> new ArrayList<>()).add(i);
        }
        alike.forEach(
                (same, indexes) -> {
                    text.append("partitions ").append(IndexRanges.write(indexes));
                    write(same, text);
                });
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
        TopicRules rules = null;
        SortedMap<Integer, PartitionPlan> partitions = new TreeMap<>();
        Map<String, String> settings = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            String[] words = lines[i].split(" ", 3);
            switch (words[0]) {
                case "" -> {}
                case "id" -> {
                    id = UUID.fromString(words[1]);
                    rules = readRules(lines[i].split(" ", -1));
                }
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
        return new TopicPlan(name, id, complete(name, partitions), settings, rules, version);
    }

    private static void write(PartitionPlan plan, StringBuilder text) {
        text.append(" leader ").append(plan.leader());
        text.append(" epoch ").append(plan.leaderEpoch());
        text.append(" change ").append(plan.change());
        text.append(" replicas ").append(join(plan.replicas()));
        text.append(" insync ").append(join(plan.inSync()));
        writeUnlessEmpty(" eligible ", plan.eligible(), text);
        writeUnlessEmpty(" unforced ", plan.unforced(), text);
        writeUnlessEmpty(" adding ", plan.adding(), text);
        writeUnlessEmpty(" removing ", plan.removing(), text);
        text.append('\n');
    }

    private static void writeUnlessEmpty(String word, List<Integer> brokers, StringBuilder text) {
        if (!brokers.isEmpty()) {
            text.append(word).append(join(brokers));
        }
    }

    /// `partitions 0-11,14 leader 1 epoch 7 change 9 replicas 1,2,3 insync 1,3`
    private static void readPartitions(
            String[] words, SortedMap<Integer, PartitionPlan> partitions) {
        Map<String, String> fields = fields(words);
        PartitionPlan plan =
                new PartitionPlan(
                        brokers(fields, "replicas"),
                        number(fields, "leader"),
                        number(fields, "epoch"),
                        brokers(fields, "insync"),
                        brokers(fields, "eligible"),
                        brokers(fields, "unforced"),
                        brokers(fields, "adding"),
                        brokers(fields, "removing"),
                        number(fields, "change"));
        for (int index : IndexRanges.read(words[1])) {
            partitions.put(index, plan);
        }
    }

    /// `id 3f0d5c1e-… flush fsync min.insync.replicas 2 …`; null where nothing is noted.
    private static @Nullable TopicRules readRules(String[] words) {
        Map<String, String> fields = fields(words);
        return fields.isEmpty() ? null : TopicRules.of(fields);
    }

    /// Behind the line's first word and what it is about, names and values.
    private static Map<String, String> fields(String[] words) {
        Map<String, String> fields = new HashMap<>();
        for (int i = 2; i + 1 < words.length; i += 2) {
            fields.put(words[i], words[i + 1]);
        }
        return fields;
    }

    private static List<PartitionPlan> complete(
            String topic, SortedMap<Integer, PartitionPlan> partitions) {
        int next = 0;
        for (int index : partitions.keySet()) {
            if (index != next) {
                throw new IllegalStateException(
                        "The plan of topic '" + topic + "' has no partition " + next + ".");
            }
            next++;
        }
        return List.copyOf(partitions.values());
    }

    private static int number(Map<String, String> fields, String name) {
        return Integer.parseInt(fields.getOrDefault(name, ""));
    }

    private static List<Integer> brokers(Map<String, String> fields, String name) {
        return numbers(fields.getOrDefault(name, ""));
    }

    static List<Integer> numbers(String list) {
        List<Integer> numbers = new ArrayList<>();
        if (!list.isEmpty()) {
            for (String number : list.split(",", -1)) {
                numbers.add(Integer.valueOf(number));
            }
        }
        return numbers;
    }

    static String join(List<Integer> numbers) {
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
