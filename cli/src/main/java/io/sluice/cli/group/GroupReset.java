package io.sluice.cli.group;

import io.sluice.cli.Cluster;
import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import io.sluice.cli.topic.Topics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import picocli.CommandLine;

/// `sluice group reset`
@CommandLine.Command(
        name = "reset",
        description =
                "Move a group to other offsets. Shows what would change, and does it with --yes.")
public final class GroupReset implements Command {
    @CommandLine.Parameters(paramLabel = "GROUP", description = "Its name.")
    String name = "";

    @CommandLine.ArgGroup(multiplicity = "1")
    ResetTarget target = new ResetTarget();

    @CommandLine.Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC[:PARTITION]",
            description =
                    "Only this topic or partition. Repeatable. Default: all that the group has read.")
    List<String> places = new ArrayList<>();

    @CommandLine.Option(
            names = {"-y", "--yes"},
            description = "Do it.")
    boolean yes;

    @Override
    public ExitCode run(Session session) {
        Cluster cluster = session.cluster();
        var groups = new Groups(cluster);
        var topics = new Topics(cluster);
        Map<TopicPartition, Long> committed = committed(groups);
        List<TopicPartition> partitions = partitions(groups, topics, committed);
        Map<TopicPartition, Long> targets =
                target.resolve(
                        topics, partitions, committed, session.now(), session.terminal().zone());
        List<Fields> rows = changes(topics, partitions, committed, targets);
        String refusal = refusal(groups);
        if (yes && refusal.isEmpty()) {
            move(cluster, targets);
        }
        session.printer().print(listing(rows));
        if (!refusal.isEmpty()) {
            throw new Failure(
                    ExitCode.FAILED,
                    (yes ? "Nothing was changed: " : "This would be refused: ") + refusal);
        }
        if (!yes) {
            session.note("Nothing was changed. Add --yes to do it.");
        }
        return ExitCode.OK;
    }

    /// A group may be given offsets before it exists.
    private Map<TopicPartition, Long> committed(Groups groups) {
        try {
            return groups.committed(name);
        } catch (GroupIdNotFoundException e) {
            return Map.of();
        }
    }

    private List<TopicPartition> partitions(
            Groups groups, Topics topics, Map<TopicPartition, Long> committed) {
        List<TopicPartition> partitions = new ArrayList<>();
        if (places.isEmpty()) {
            if (committed.isEmpty()) {
                var _ = groups.require(name);
                throw Failure.notFound(
                        "Group '%s' has committed nothing yet; say with --topic what to set."
                                .formatted(name));
            }
            groups.lags(committed).forEach(lag -> partitions.add(lag.partition()));
        }
        for (String place : places) {
            partitions.addAll(place(topics, place));
        }
        partitions.sort(
                Comparator.comparing(TopicPartition::topic)
                        .thenComparingInt(TopicPartition::partition));
        return partitions.stream().distinct().toList();
    }

    private static List<TopicPartition> place(Topics topics, String place) {
        int colon = place.lastIndexOf(':');
        String topic = colon < 0 ? place : place.substring(0, colon);
        List<TopicPartition> all = Topics.partitionsOf(topics.require(topic));
        if (colon < 0) {
            return all;
        }
        String number = place.substring(colon + 1);
        return all.stream()
                .filter(partition -> String.valueOf(partition.partition()).equals(number))
                .findFirst()
                .map(List::of)
                .orElseThrow(
                        () ->
                                Failure.notFound(
                                        "Topic '%s' has no partition '%s'; it has %d, counted from 0."
                                                .formatted(topic, number, all.size())));
    }

    /// Why the broker would not let us; empty if it would.
    private String refusal(Groups groups) {
        ConsumerGroupDescription group;
        try {
            group = groups.describe(List.of(name)).get(name);
        } catch (GroupIdNotFoundException e) {
            return "";
        }
        if (group == null || !Groups.live(group)) {
            return "";
        }
        String members =
                group.members().stream()
                        .map(member -> member.clientId() + " at " + member.host().replace("/", ""))
                        .distinct()
                        .limit(5)
                        .collect(Collectors.joining(", "));
        return "group '%s' is live with %d member%s (%s), who would overwrite the offsets with their next commit. Stop them first."
                .formatted(
                        name,
                        group.members().size(),
                        group.members().size() == 1 ? "" : "s",
                        members);
    }

    private void move(Cluster cluster, Map<TopicPartition, Long> targets) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        targets.forEach(
                (partition, offset) -> offsets.put(partition, new OffsetAndMetadata(offset)));
        Cluster.await(cluster.admin().alterConsumerGroupOffsets(name, offsets).all());
    }

    private static List<Fields> changes(
            Topics topics,
            List<TopicPartition> partitions,
            Map<TopicPartition, Long> committed,
            Map<TopicPartition, Long> targets) {
        Map<TopicPartition, Long> ends = topics.offsets(partitions, OffsetSpec.latest());
        List<Fields> rows = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            Long before = committed.get(partition);
            long after = targets.getOrDefault(partition, 0L);
            rows.add(
                    Fields.of("topic", Value.text(partition.topic()))
                            .with("partition", Value.count(partition.partition()))
                            .with("before", before == null ? Value.absent() : Value.count(before))
                            .with("after", Value.count(after))
                            .with(
                                    "change",
                                    before == null ? Value.absent() : Value.count(after - before))
                            .with(
                                    "lagAfter",
                                    Value.count(ends.getOrDefault(partition, after) - after)));
        }
        return rows;
    }

    private static Listing listing(List<Fields> rows) {
        return Listing.of(
                List.of(
                        Column.of("topic", "TOPIC"),
                        Column.of("partition", "PARTITION"),
                        Column.of("before", "BEFORE"),
                        Column.of("after", "AFTER"),
                        Column.of("change", "CHANGE"),
                        Column.of("lagAfter", "LAG AFTER")),
                rows);
    }
}
