package io.sluice.cli.broker;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.Node;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice broker list`
@CommandLine.Command(
        name = "list",
        description = "Show the brokers, how they are, and what they hold.")
public final class BrokerList implements Command {
    @Override
    public ExitCode run(Session session) {
        BrokerStates states = new BrokerStates(session.cluster());
        Map<Integer, Node> nodes = states.nodes();
        Map<Integer, BrokerStates.Load> loads = states.loads();
        Set<Integer> draining = states.draining();
        Stranded stranded = Stranded.ask(session.cluster(), draining);
        Set<Integer> full = states.fullDisks();
        TreeSet<Integer> ids = new TreeSet<>(nodes.keySet());
        ids.addAll(loads.keySet());
        List<Fields> rows = new ArrayList<>();
        for (int id : ids) {
            @Nullable Node node = nodes.get(id);
            BrokerStates.Load load = loads.getOrDefault(id, new BrokerStates.Load(0, 0));
            rows.add(
                    Fields.of("id", Value.count(id))
                            .with("host", Value.text(node == null ? null : node.host()))
                            .with(
                                    "port",
                                    Value.text(node == null ? null : String.valueOf(node.port())))
                            .with("rack", Value.text(node == null ? null : node.rack()))
                            .with("state", state(node, draining.contains(id), full.contains(id)))
                            .with("leaders", Value.count(load.leaders()))
                            .with("replicas", Value.count(load.replicas()))
                            .with("stranded", Value.count(stranded.of(id))));
        }
        session.printer()
                .print(
                        Listing.of(
                                List.of(
                                        Column.of("id", "BROKER"),
                                        Column.of("host", "HOST"),
                                        Column.of("port", "PORT"),
                                        Column.of("rack", "RACK"),
                                        Column.of("state", "STATE"),
                                        Column.of("leaders", "LEADERS"),
                                        Column.of("replicas", "REPLICAS")),
                                rows));
        stranded.tell(session);
        return ExitCode.OK;
    }

    private static Value state(@Nullable Node node, boolean draining, boolean full) {
        if (node == null) {
            return Value.state("away", Value.Mood.BAD);
        }
        if (node.isFenced()) {
            return Value.state("fenced", Value.Mood.BAD);
        }
        if (full) {
            return Value.state(draining ? "draining, disk full" : "disk full", Value.Mood.BAD);
        }
        return draining
                ? Value.state("draining", Value.Mood.DOUBTFUL)
                : Value.state("active", Value.Mood.GOOD);
    }
}
