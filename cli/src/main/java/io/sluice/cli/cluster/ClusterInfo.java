package io.sluice.cli.cluster;

import io.sluice.cli.Bootstrap;
import io.sluice.cli.Cluster;
import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import io.sluice.client.SupportedApis;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.common.Node;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice cluster info`
@CommandLine.Command(name = "info", description = "Show the brokers and what they can do.")
public final class ClusterInfo implements Command {
    @CommandLine.Option(names = "--apis", description = "Also each API with its versions.")
    boolean apis;

    @Override
    public ExitCode run(Session session) {
        Cluster cluster = session.cluster();
        DescribeClusterResult answer = cluster.admin().describeCluster();
        Collection<Node> nodes = Cluster.await(answer.nodes());
        @Nullable Node controller = Cluster.await(answer.controller());
        List<Fields> apiRows = apis(session);
        Fields fields =
                Fields.of("id", Value.text(Cluster.await(answer.clusterId())))
                        .with("bootstrap", Value.text(cluster.settings().bootstrap()))
                        .with(
                                "controller",
                                controller == null ? Value.absent() : Value.count(controller.id()))
                        .with("brokerCount", Value.count(nodes.size()))
                        .with(
                                "apiCount",
                                apiRows.isEmpty() ? Value.absent() : Value.count(apiRows.size()))
                        .with("transactions", transactions(apiRows));
        Details details =
                Details.of(
                                String.valueOf(Cluster.await(answer.clusterId())),
                                List.of(
                                        Column.of("id", "Cluster"),
                                        Column.of("bootstrap", "Asked"),
                                        Column.of("controller", "Controller"),
                                        Column.of("apiCount", "APIs"),
                                        Column.of("transactions", "Transactions")),
                                fields)
                        .with("brokers", "", brokers(nodes));
        session.printer().print(apis ? details.with("apis", "APIs", apiListing(apiRows)) : details);
        return ExitCode.OK;
    }

    private static Listing brokers(Collection<Node> nodes) {
        List<Fields> rows =
                nodes.stream()
                        .sorted(Comparator.comparingInt(Node::id))
                        .map(
                                node ->
                                        Fields.of("id", Value.count(node.id()))
                                                .with("host", Value.text(node.host()))
                                                .with(
                                                        "port",
                                                        Value.text(String.valueOf(node.port())))
                                                .with("rack", Value.text(node.rack())))
                        .toList();
        return Listing.of(
                List.of(
                        Column.of("id", "BROKER"),
                        Column.of("host", "HOST"),
                        Column.of("port", "PORT"),
                        Column.of("rack", "RACK")),
                rows);
    }

    /// Asked of the first bootstrap broker; empty when it is behind TLS or does not tell.
    private static List<Fields> apis(Session session) {
        var settings = session.cluster().settings();
        List<Fields> rows = new ArrayList<>();
        for (Bootstrap server : Bootstrap.parse(settings.bootstrap())) {
            try {
                SupportedApis.ask(server.address(), settings.timeout())
                        .versions()
                        .forEach(
                                (key, versions) ->
                                        rows.add(
                                                Fields.of("name", Value.text(ApiNames.of(key)))
                                                        .with("key", Value.count(key))
                                                        .with(
                                                                "oldest",
                                                                Value.count(versions.oldest()))
                                                        .with(
                                                                "newest",
                                                                Value.count(versions.newest()))));
                return rows;
            } catch (IOException e) {
                // the next one may tell
            }
        }
        return rows;
    }

    private static Value transactions(List<Fields> apiRows) {
        return apiRows.isEmpty()
                ? Value.absent()
                : Value.flag(
                        apiRows.stream()
                                .anyMatch(row -> row.value("name").equals(Value.text("EndTxn"))));
    }

    private static Listing apiListing(List<Fields> rows) {
        return Listing.of(
                List.of(
                        Column.of("name", "API"),
                        Column.of("key", "KEY"),
                        Column.of("oldest", "OLDEST"),
                        Column.of("newest", "NEWEST")),
                rows);
    }
}
