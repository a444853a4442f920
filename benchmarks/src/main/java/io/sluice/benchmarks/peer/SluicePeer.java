package io.sluice.benchmarks.peer;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Sluice, started as a user starts it.
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
    public void prepare(Place place) {
        // Sluice makes and checks its data folder itself when it starts.
    }

    @Override
    public List<String> startCommand(Place place) {
        Map<String, String> values =
                Map.of(
                        "{data}", place.data().toString(),
                        "{port}", Integer.toString(place.port()),
                        "{adminPort}", Integer.toString(place.secondPort()));
        return Stream.of(commandTemplate.trim().split(" +"))
                .map(word -> filled(word, values))
                .toList();
    }

    private static String filled(String word, Map<String, String> values) {
        String result = word;
        for (Map.Entry<String, String> value : values.entrySet()) {
            result = result.replace(value.getKey(), value.getValue());
        }
        return result;
    }
}
