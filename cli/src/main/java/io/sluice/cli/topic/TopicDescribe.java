package io.sluice.cli.topic;

import io.sluice.cli.Cluster;
import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import picocli.CommandLine;

/// `sluice topic describe`
@CommandLine.Command(name = "describe", description = "Show one topic's partitions and settings.")
public final class TopicDescribe implements Command {
    @CommandLine.Parameters(paramLabel = "TOPIC", description = "Its name.")
    String name = "";

    @CommandLine.Option(
            names = "--all-configs",
            description = "Also settings that have their default.")
    boolean allConfigs;

    @Override
    public ExitCode run(Session session) {
        Cluster cluster = session.cluster();
        var topics = new Topics(cluster);
        TopicDescription topic = topics.require(name);
        List<Fields> partitions = partitions(topics, topic);
        Fields fields =
                Fields.of("name", Value.text(topic.name()))
                        .with("id", Value.text(topic.topicId().toString()))
                        .with("internal", Value.flag(topic.isInternal()))
                        .with("messages", sum(partitions, "messages"))
                        .with("sizeBytes", sum(partitions, "sizeBytes"));
        session.printer()
                .print(
                        Details.of(
                                        topic.name(),
                                        List.of(
                                                Column.of("name", "Topic"),
                                                Column.of("id", "Id"),
                                                Column.of("messages", "Messages"),
                                                Column.of("sizeBytes", "Size")),
                                        fields)
                                .with("partitions", "", partitionListing(partitions))
                                .with("configs", "Settings", configs(cluster)));
        return ExitCode.OK;
    }

    private static List<Fields> partitions(Topics topics, TopicDescription topic) {
        List<TopicPartition> all = Topics.partitionsOf(topic);
        Map<TopicPartition, Long> starts = topics.offsets(all, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = topics.offsets(all, OffsetSpec.latest());
        Map<TopicPartition, Long> sizes = topics.sizes(List.of(topic));
        Map<TopicPartition, Long> lags = topics.lags(topic);
        List<Fields> rows = new ArrayList<>();
        for (TopicPartitionInfo info : topic.partitions()) {
            var partition = new TopicPartition(topic.name(), info.partition());
            long start = starts.getOrDefault(partition, 0L);
            long end = ends.getOrDefault(partition, 0L);
            Long size = sizes.get(partition);
            Long lag = lags.get(partition);
            rows.add(
                    Fields.of("partition", Value.count(info.partition()))
                            .with("leader", leader(info))
                            .with("replicas", ids(info.replicas()))
                            .with("inSync", ids(info.isr()))
                            .with("lag", lag == null ? Value.absent() : Value.count(lag))
                            .with("firstOffset", Value.count(start))
                            .with("nextOffset", Value.count(end))
                            .with("messages", Value.count(end - start))
                            .with("sizeBytes", size == null ? Value.absent() : Value.bytes(size)));
        }
        return rows;
    }

    private static Value leader(TopicPartitionInfo info) {
        return info.leader() == null || info.leader().isEmpty()
                ? Value.state("none", Value.Mood.BAD)
                : Value.count(info.leader().id());
    }

    private static Value ids(List<Node> nodes) {
        return Value.counts(nodes.stream().map(Node::id).toList());
    }

    private static Value sum(List<Fields> rows, String key) {
        long sum = 0;
        boolean bytes = false;
        for (Fields row : rows) {
            switch (row.value(key)) {
                case Value.Count(long count) -> sum += count;
                case Value.Bytes(long size) -> {
                    sum += size;
                    bytes = true;
                }
                default -> {
                    return Value.absent();
                }
            }
        }
        return bytes ? Value.bytes(sum) : Value.count(sum);
    }

    private static Listing partitionListing(List<Fields> rows) {
        return Listing.of(
                List.of(
                        Column.of("partition", "PARTITION"),
                        Column.of("leader", "LEADER"),
                        Column.of("replicas", "REPLICAS"),
                        Column.of("inSync", "IN SYNC"),
                        Column.of("lag", "LAG"),
                        Column.of("firstOffset", "FIRST OFFSET"),
                        Column.of("nextOffset", "NEXT OFFSET"),
                        Column.of("messages", "MESSAGES"),
                        Column.of("sizeBytes", "SIZE")),
                rows);
    }

    private Listing configs(Cluster cluster) {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        var config =
                Cluster.await(cluster.admin().describeConfigs(List.of(resource)).all())
                        .get(resource);
        List<Fields> rows =
                config == null
                        ? List.of()
                        : config.entries().stream()
                                .filter(entry -> allConfigs || !entry.isDefault())
                                .sorted(Comparator.comparing(ConfigEntry::name))
                                .map(TopicDescribe::config)
                                .toList();
        return Listing.of(
                List.of(
                        Column.of("name", "SETTING"),
                        Column.of("value", "VALUE"),
                        Column.of("source", "SET BY")),
                rows);
    }

    private static Fields config(ConfigEntry entry) {
        return Fields.of("name", Value.text(entry.name()))
                .with("value", Value.text(entry.isSensitive() ? "(hidden)" : entry.value()))
                .with("source", Value.text(source(entry.source())));
    }

    private static String source(ConfigEntry.ConfigSource source) {
        return switch (source) {
            case DYNAMIC_TOPIC_CONFIG -> "topic";
            case DEFAULT_CONFIG -> "default";
            default -> "broker";
        };
    }
}
