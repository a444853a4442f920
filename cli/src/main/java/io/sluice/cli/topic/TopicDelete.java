package io.sluice.cli.topic;

import io.sluice.cli.Cluster;
import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Outcomes;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine;

/// `sluice topic delete`
@CommandLine.Command(
        name = "delete",
        description =
                "Delete topics with everything in them. Shows what would go, and does it with --yes.")
public final class TopicDelete implements Command {
    @CommandLine.Parameters(
            arity = "1..*",
            paramLabel = "TOPIC",
            description = "Their names, or patterns with * and ?.")
    List<String> patterns = new ArrayList<>();

    @CommandLine.Option(
            names = {"-y", "--yes"},
            description = "Do it.")
    boolean yes;

    @Override
    public ExitCode run(Session session) {
        Cluster cluster = session.cluster();
        var topics = new Topics(cluster);
        List<String> names = topics.expand(patterns, false);
        var outcomes = new Outcomes();
        List<Fields> rows = new ArrayList<>();
        for (String name : names) {
            outcomes.attempt("delete", name, () -> rows.add(delete(cluster, topics, name)));
        }
        session.printer().print(listing(rows));
        if (names.isEmpty()) {
            session.note("No topic matches.");
            return ExitCode.NOT_FOUND;
        }
        if (!yes && !rows.isEmpty()) {
            session.note("Nothing was deleted. Add --yes to do it; there is no way back.");
        }
        return outcomes.exit(session);
    }

    private Fields delete(Cluster cluster, Topics topics, String name) {
        TopicDescription topic = topics.require(name);
        List<TopicPartition> partitions = Topics.partitionsOf(topic);
        Map<TopicPartition, Long> starts = topics.offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = topics.offsets(partitions, OffsetSpec.latest());
        long messages = 0;
        for (TopicPartition partition : partitions) {
            messages += ends.getOrDefault(partition, 0L) - starts.getOrDefault(partition, 0L);
        }
        if (yes) {
            Cluster.await(cluster.admin().deleteTopics(List.of(name)).all());
        }
        return Fields.of("name", Value.text(name))
                .with("partitions", Value.count(partitions.size()))
                .with("messages", Value.count(messages))
                .with(
                        "status",
                        yes
                                ? Value.state("deleted", Value.Mood.BAD)
                                : Value.state("would be deleted", Value.Mood.DOUBTFUL));
    }

    private static Listing listing(List<Fields> rows) {
        return Listing.of(
                List.of(
                        Column.of("name", "TOPIC"),
                        Column.of("partitions", "PARTITIONS"),
                        Column.of("messages", "MESSAGES"),
                        Column.of("status", "STATUS")),
                rows);
    }
}
