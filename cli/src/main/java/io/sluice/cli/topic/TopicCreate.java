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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TopicExistsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice topic create`
@CommandLine.Command(name = "create", description = "Make topics.")
public final class TopicCreate implements Command {
    @CommandLine.Parameters(arity = "1..*", paramLabel = "TOPIC", description = "Their names.")
    List<String> names = new ArrayList<>();

    @CommandLine.Option(
            names = {"-p", "--partitions"},
            paramLabel = "N",
            description = "How many partitions. Default: the broker's.")
    @Nullable Integer partitions;

    @CommandLine.Option(
            names = {"-r", "--replicas"},
            paramLabel = "N",
            description = "How many copies of each partition. Default: the broker's.")
    @Nullable Short replicas;

    @CommandLine.Option(
            names = {"-c", "--config"},
            paramLabel = "KEY=VALUE",
            description = "A topic setting, such as retention.ms=3600000. Repeatable.")
    Map<String, String> configs = new LinkedHashMap<>();

    @CommandLine.Option(
            names = "--if-not-exists",
            description = "A topic that is there already is no failure.")
    boolean ifNotExists;

    @CommandLine.Option(
            names = "--dry-run",
            description = "Let the broker check it, but make nothing.")
    boolean dryRun;

    @Override
    public ExitCode run(Session session) {
        List<NewTopic> topics = names.stream().distinct().map(this::newTopic).toList();
        CreateTopicsResult result =
                session.cluster()
                        .admin()
                        .createTopics(topics, new CreateTopicsOptions().validateOnly(dryRun));
        var outcomes = new Outcomes();
        List<Fields> rows = new ArrayList<>();
        for (NewTopic topic : topics) {
            outcomes.attempt("create", topic.name(), () -> rows.add(outcome(topic.name(), result)));
        }
        session.printer().print(listing(rows));
        return outcomes.exit(session);
    }

    private NewTopic newTopic(String name) {
        return new NewTopic(name, Optional.ofNullable(partitions), Optional.ofNullable(replicas))
                .configs(configs);
    }

    private Fields outcome(String name, CreateTopicsResult result) {
        KafkaFuture<Void> created = result.values().get(name);
        try {
            if (created != null) {
                Cluster.await(created);
            }
        } catch (TopicExistsException e) {
            if (ifNotExists) {
                return row(name, Value.absent(), Value.absent(), "exists");
            }
            throw new TopicExistsException(
                    "topic '" + name + "' exists already; --if-not-exists lets it be");
        }
        return row(
                name,
                known(result.numPartitions(name)),
                known(result.replicationFactor(name)),
                dryRun ? "would be created" : "created");
    }

    /// Brokers of some years ago do not say what they made.
    private static Value known(KafkaFuture<Integer> answer) {
        try {
            return Value.count(Cluster.await(answer));
        } catch (KafkaException e) {
            return Value.absent();
        }
    }

    private static Fields row(String name, Value partitions, Value replicas, String status) {
        return Fields.of("name", Value.text(name))
                .with("partitions", partitions)
                .with("replicas", replicas)
                .with("status", Value.state(status, Value.Mood.GOOD));
    }

    private static Listing listing(List<Fields> rows) {
        return Listing.of(
                List.of(
                        Column.of("name", "TOPIC"),
                        Column.of("partitions", "PARTITIONS"),
                        Column.of("replicas", "REPLICAS"),
                        Column.of("status", "STATUS")),
                rows);
    }
}
