package io.sluice.benchmarks.peer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;

/// Sluice, started as a user starts it: `sluice up`, or what `sluice cluster up` does for each of its brokers.
///
/// The command is a template in which `{data}`, `{port}` and `{adminPort}` stand for the place.
///
/// Immutable.
public record SluicePeer(String commandTemplate) implements Peer {
    public static final String NAME = "sluice";

    /// What the repository's own script needs to start a broker somewhere else than at its default place.
    public static String defaultCommand(Path repository) {
        return repository.resolve("sluice")
                + " up --data {data} --kafka.listen=127.0.0.1:{port}"
                + " --admin.listen=127.0.0.1:{adminPort}";
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "Sluice";
    }

    @Override
    public void install() {
        // The first start builds it and trains its AOT cache; the unmeasured start before the first
        // round does that.
    }

    @Override
    public void prepare(Site site) {
        // Sluice makes and checks its data folder itself when it starts.
    }

    @Override
    public List<String> startCommand(Site site, Place place) {
        Map<String, String> values =
                Map.of(
                        "{data}", place.data().toString(),
                        "{port}", Integer.toString(place.port()),
                        "{adminPort}", Integer.toString(place.secondPort()));
        List<String> words = new ArrayList<>();
        for (String word : commandTemplate.trim().split(" +")) {
            words.add(filled(word, values));
        }
        if (site.isCluster()) {
            words.add("--node.id=" + place.id());
            words.add("--cluster.ensemble=" + ensemble(site));
            words.add("--topics.default-replication-factor=" + site.replicas());
        }
        return words;
    }

    /// A member in every broker.
    private static String ensemble(Site site) {
        return site.places().stream()
                .map(
                        place ->
                                Stream.concat(
                                                Stream.of(place.id() + "@127.0.0.1"),
                                                place.storePorts().stream().map(String::valueOf))
                                        .collect(Collectors.joining(":")))
                .collect(Collectors.joining(","));
    }

    @Override
    public OptionalInt controller(Admin admin) {
        Node controller = ClusterQuestion.ask(admin.describeCluster().controller());
        return controller == null || controller.isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of(controller.id());
    }

    private static String filled(String word, Map<String, String> values) {
        String result = word;
        for (Map.Entry<String, String> value : values.entrySet()) {
            result = result.replace(value.getKey(), value.getValue());
        }
        return result;
    }
}
