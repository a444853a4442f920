package io.sluice.cli.topic;

import io.sluice.cli.Cluster;
import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Session;
import io.sluice.cli.broker.MoveThrottle;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigsOptions;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreatePartitionsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice topic alter`
@CommandLine.Command(
        name = "alter",
        description = "Change a topic's settings, add partitions or change the number of replicas.")
public final class TopicAlter implements Command {
    @CommandLine.Parameters(paramLabel = "TOPIC", description = "Its name.")
    String name = "";

    @CommandLine.Option(
            names = {"-p", "--partitions"},
            paramLabel = "N",
            description = "The new number of partitions, more than now.")
    @Nullable Integer partitions;

    @CommandLine.Option(
            names = {"-r", "--replication-factor"},
            paramLabel = "N",
            description = "The new number of replicas; partitions move while clients run.")
    @Nullable Integer replicationFactor;

    @CommandLine.Option(
            names = {"-s", "--set"},
            paramLabel = "KEY=VALUE",
            description = "A setting to change. Repeatable.")
    Map<String, String> set = new LinkedHashMap<>();

    @CommandLine.Option(
            names = {"-u", "--unset"},
            paramLabel = "KEY",
            description = "A setting to give back to the broker's default. Repeatable.")
    List<String> unset = new ArrayList<>();

    @CommandLine.Mixin MoveThrottle throttle = new MoveThrottle();

    @CommandLine.Option(
            names = "--dry-run",
            description = "Let the broker check it, but change nothing.")
    boolean dryRun;

    @Override
    public ExitCode run(Session session) {
        if (partitions == null && replicationFactor == null && set.isEmpty() && unset.isEmpty()) {
            throw Failure.usage(
                    "Say what to change: --partitions, --replication-factor, --set or --unset.");
        }
        Cluster cluster = session.cluster();
        TopicDescription topic = new Topics(cluster).require(name);
        List<Fields> rows = new ArrayList<>();
        // min.insync.replicas may not be more than there are replicas, before or after.
        boolean raised =
                replicationFactor != null
                        && replicationFactor > topic.partitions().getFirst().replicas().size();
        if (!raised) {
            rows.addAll(alterSettings(cluster, set));
        }
        if (partitions != null) {
            rows.add(addPartitions(cluster, topic, partitions));
        }
        if (replicationFactor != null) {
            if (!dryRun) {
                throttle.apply(cluster);
            }
            rows.add(new Replication(cluster).change(topic, replicationFactor, dryRun));
        }
        if (raised) {
            rows.addAll(alterSettings(cluster, dryRun ? withoutMinInSync() : set));
        }
        session.printer()
                .print(
                        Listing.of(
                                List.of(
                                        Column.of("setting", "SETTING"),
                                        Column.of("before", "BEFORE"),
                                        Column.of("after", "AFTER")),
                                rows));
        if (dryRun) {
            session.note("Nothing was changed (--dry-run); the broker would accept it.");
        }
        return ExitCode.OK;
    }

    private Fields addPartitions(Cluster cluster, TopicDescription topic, int wanted) {
        int now = topic.partitions().size();
        if (wanted <= now) {
            throw new Failure(
                    ExitCode.FAILED,
                    "Topic '%s' has %d partitions; --partitions can only add to them, so %d is refused."
                            .formatted(name, now, wanted));
        }
        Cluster.await(
                cluster.admin()
                        .createPartitions(
                                Map.of(name, NewPartitions.increaseTo(wanted)),
                                new CreatePartitionsOptions().validateOnly(dryRun))
                        .all());
        return change("partitions", Value.count(now), Value.count(wanted));
    }

    /// The broker would compare it with the replicas of now.
    private Map<String, String> withoutMinInSync() {
        Map<String, String> others = new LinkedHashMap<>(set);
        others.remove("min.insync.replicas");
        return others;
    }

    private List<Fields> alterSettings(Cluster cluster, Map<String, String> asked) {
        if (set.isEmpty() && unset.isEmpty()) {
            return List.of();
        }
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        @Nullable Config before = settings(cluster, resource);
        Collection<AlterConfigOp> changes = new ArrayList<>();
        asked.forEach(
                (key, value) ->
                        changes.add(
                                new AlterConfigOp(
                                        new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
        unset.forEach(
                key ->
                        changes.add(
                                new AlterConfigOp(
                                        new ConfigEntry(key, ""), AlterConfigOp.OpType.DELETE)));
        Cluster.await(
                cluster.admin()
                        .incrementalAlterConfigs(
                                Map.of(resource, changes),
                                new AlterConfigsOptions().validateOnly(dryRun))
                        .all());
        @Nullable Config after = dryRun ? before : settings(cluster, resource);
        List<Fields> rows = new ArrayList<>();
        set.forEach((key, value) -> rows.add(change(key, value(before, key), Value.text(value))));
        unset.forEach(
                key ->
                        rows.add(
                                change(
                                        key,
                                        value(before, key),
                                        dryRun ? Value.text("(default)") : value(after, key))));
        return rows;
    }

    private static @Nullable Config settings(Cluster cluster, ConfigResource resource) {
        return Cluster.await(cluster.admin().describeConfigs(List.of(resource)).all())
                .get(resource);
    }

    private static Value value(@Nullable Config config, String key) {
        ConfigEntry entry = config == null ? null : config.get(key);
        return entry == null ? Value.absent() : Value.text(entry.value());
    }

    static Fields change(String setting, Value before, Value after) {
        return Fields.of("setting", Value.text(setting))
                .with("before", before)
                .with("after", after);
    }
}
