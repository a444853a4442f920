package io.sluice.cli.cluster;

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
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/// `sluice cluster health`
@CommandLine.Command(
        name = "health",
        description =
                "Say whether the cluster is well, and why not. Ends with 0 when it is, 6 when one more failure would hurt, 1 when something is broken.")
public final class ClusterHealth implements Command {
    @CommandLine.Option(
            names = "--partitions",
            description = "Also each partition that is not as it should be.")
    boolean partitions;

    @Override
    public ExitCode run(Session session) {
        Cluster cluster = session.cluster();
        ClusterState state = ClusterState.ask(cluster.admin());
        List<String> reasons = state.reasons();
        Fields fields =
                Fields.of("verdict", Value.state(state.verdict().label(), state.verdict().mood()))
                        .with(
                                "reason",
                                Value.text(
                                        reasons.isEmpty()
                                                ? "every partition has its leader and all of its replicas"
                                                : String.join("; ", reasons)))
                        .with("brokers", Value.count(state.liveBrokers().size()))
                        .with("fencedBrokers", Value.counts(state.fencedBrokers()))
                        .with("awayBrokers", Value.counts(state.away()))
                        .with("silentBrokers", Value.counts(state.silent()))
                        .with("undirectedBrokers", Value.counts(state.undirected()))
                        .with("fullDisks", Value.counts(state.fullDisks()))
                        .with("partitions", Value.count(state.partitionCount()))
                        .with("withoutLeader", Value.count(state.offline().size()))
                        .with("underMinInSync", Value.count(state.underMinInSync().size()))
                        .with("underReplicated", Value.count(state.underReplicated().size()))
                        .with("moving", Value.count(state.moving().size()))
                        .with("damagedPlaces", Value.count(state.damages()));
        Details details =
                Details.of(
                        state.verdict().label(),
                        List.of(
                                Column.of("verdict", "Cluster"),
                                Column.of("reason", "Because"),
                                Column.of("brokers", "Brokers"),
                                Column.of("partitions", "Partitions"),
                                Column.of("withoutLeader", "Without leader"),
                                Column.of("underMinInSync", "Too few in sync"),
                                Column.of("underReplicated", "Under-replicated"),
                                Column.of("moving", "Moving"),
                                Column.of("damagedPlaces", "Damaged places")),
                        fields);
        session.printer()
                .print(
                        partitions
                                ? details.with("troubled", "Partitions", listing(state))
                                : details);
        return state.verdict().exitCode();
    }

    private static Listing listing(ClusterState state) {
        List<Fields> rows = new ArrayList<>();
        Stream.of(
                        row(state.offline(), "no leader"),
                        row(state.underMinInSync(), "too few in sync for acks=all"),
                        row(state.underReplicated(), "a replica is not in sync"),
                        row(state.moving(), "on the move"))
                .forEach(rows::addAll);
        return Listing.of(
                List.of(Column.of("partition", "PARTITION"), Column.of("state", "STATE")), rows);
    }

    private static List<Fields> row(List<String> names, String state) {
        return names.stream()
                .map(
                        name ->
                                Fields.of("partition", Value.text(name))
                                        .with("state", Value.text(state)))
                .toList();
    }
}
