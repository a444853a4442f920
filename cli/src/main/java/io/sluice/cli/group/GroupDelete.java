package io.sluice.cli.group;

import io.sluice.cli.Cluster;
import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Outcomes;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import picocli.CommandLine;

/// `sluice group delete`
@CommandLine.Command(
        name = "delete",
        description =
                "Delete groups with their offsets. Shows what would go, and does it with --yes.")
public final class GroupDelete implements Command {
    @CommandLine.Parameters(arity = "1..*", paramLabel = "GROUP", description = "Their names.")
    List<String> names = new ArrayList<>();

    @CommandLine.Option(
            names = {"-y", "--yes"},
            description = "Do it.")
    boolean yes;

    @Override
    public ExitCode run(Session session) {
        Cluster cluster = session.cluster();
        var groups = new Groups(cluster);
        var outcomes = new Outcomes();
        List<Fields> rows = new ArrayList<>();
        for (String name : names.stream().distinct().toList()) {
            outcomes.attempt("delete", name, () -> rows.add(delete(cluster, groups, name)));
        }
        session.printer()
                .print(
                        Listing.of(
                                List.of(
                                        Column.of("name", "GROUP"),
                                        Column.of("committedPartitions", "COMMITTED PARTITIONS"),
                                        Column.of("status", "STATUS")),
                                rows));
        if (!yes && !rows.isEmpty()) {
            session.note("Nothing was deleted. Add --yes to do it; there is no way back.");
        }
        return outcomes.exit(session);
    }

    private Fields delete(Cluster cluster, Groups groups, String name) {
        ConsumerGroupDescription group = groups.require(name);
        if (Groups.live(group)) {
            throw new Failure(
                    ExitCode.FAILED,
                    "It is live with %d member%s; stop them first."
                            .formatted(
                                    group.members().size(),
                                    group.members().size() == 1 ? "" : "s"));
        }
        int committed = groups.committed(name).size();
        if (yes) {
            Cluster.await(cluster.admin().deleteConsumerGroups(List.of(name)).all());
        }
        return Fields.of("name", Value.text(name))
                .with("committedPartitions", Value.count(committed))
                .with(
                        "status",
                        yes
                                ? Value.state("deleted", Value.Mood.BAD)
                                : Value.state("would be deleted", Value.Mood.DOUBTFUL));
    }
}
