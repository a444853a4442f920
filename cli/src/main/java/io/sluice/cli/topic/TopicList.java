package io.sluice.cli.topic;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine;

/// `sluice topic list`
@CommandLine.Command(name = "list", description = "Show the topics.")
public final class TopicList implements Command {
    @CommandLine.Parameters(
            arity = "0..*",
            paramLabel = "PATTERN",
            description = "Only topics that match, with * and ? as wildcards.")
    List<String> patterns = new ArrayList<>();

    @CommandLine.Option(
            names = {"-l", "--long"},
            description = "Also how many messages and bytes each holds.")
    boolean details;

    @CommandLine.Option(names = "--internal", description = "Also the broker's own topics.")
    boolean internal;

    @Override
    public ExitCode run(Session session) {
        var topics = new Topics(session.cluster());
        List<String> names =
                patterns.isEmpty() ? topics.names(internal) : topics.expand(patterns, internal);
        for (String name : names) {
            if (patterns.contains(name)) {
                var _ = topics.require(name);
            }
        }
        Collection<TopicDescription> found = topics.describe(names).values();
        List<Fields> rows =
                found.stream()
                        .sorted((a, b) -> a.name().compareTo(b.name()))
                        .map(TopicList::row)
                        .toList();
        session.printer().print(listing(details ? withSizes(topics, found, rows) : rows));
        if (!rows.isEmpty()) {
            return ExitCode.OK;
        }
        session.note(
                patterns.isEmpty()
                        ? "No topics yet. 'sluice topic create orders' makes one, 'sluice demo' several with traffic."
                        : "No topic matches.");
        return patterns.isEmpty() ? ExitCode.OK : ExitCode.NOT_FOUND;
    }

    private static Fields row(TopicDescription topic) {
        int replicas =
                topic.partitions().stream()
                        .mapToInt(partition -> partition.replicas().size())
                        .max()
                        .orElse(0);
        return Fields.of("name", Value.text(topic.name()))
                .with("partitions", Value.count(topic.partitions().size()))
                .with("replicas", Value.count(replicas))
                .with("internal", Value.flag(topic.isInternal()));
    }

    private static List<Fields> withSizes(
            Topics topics, Collection<TopicDescription> found, List<Fields> rows) {
        List<TopicPartition> partitions =
                found.stream().flatMap(topic -> Topics.partitionsOf(topic).stream()).toList();
        Map<TopicPartition, Long> starts = topics.offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = topics.offsets(partitions, OffsetSpec.latest());
        Map<TopicPartition, Long> sizes = topics.sizes(found);
        List<Fields> detailed = new ArrayList<>();
        for (Fields row : rows) {
            long messages = 0;
            long bytes = 0;
            for (TopicPartition partition : partitions) {
                if (Value.text(partition.topic()).equals(row.value("name"))) {
                    messages +=
                            ends.getOrDefault(partition, 0L) - starts.getOrDefault(partition, 0L);
                    bytes += sizes.getOrDefault(partition, 0L);
                }
            }
            detailed.add(
                    row.with("messages", Value.count(messages))
                            .with(
                                    "sizeBytes",
                                    sizes.isEmpty() ? Value.absent() : Value.bytes(bytes)));
        }
        return detailed;
    }

    private Listing listing(List<Fields> rows) {
        List<Column> columns = new ArrayList<>();
        columns.add(Column.of("name", "TOPIC"));
        columns.add(Column.of("partitions", "PARTITIONS"));
        columns.add(Column.of("replicas", "REPLICAS"));
        if (details) {
            columns.add(Column.of("messages", "MESSAGES"));
            columns.add(Column.of("sizeBytes", "SIZE"));
        }
        if (internal) {
            columns.add(Column.of("internal", "INTERNAL"));
        }
        return Listing.of(columns, rows);
    }
}
