package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.launcher.Installation;
import io.sluice.conformance.launcher.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Somebody who operates a cluster with the script `sluice` alone, and goes by its exit codes and by what it prints.
///
/// Each command is a process of its own. Immutable.
record Console(Shell shell, Supplier<String> brokers) {
    private static final JsonMapper JSON = JsonMapper.shared();

    /// @param root an empty folder for what the script needs
    /// @param brokers what the brokers have printed, for who has to find out why something failed
    static Console at(Path root, String bootstrap, Supplier<String> brokers) {
        try {
            Shell shell = Installation.built(root, "sluice-home").withoutTraining().shell();
            return new Console(shell.with("SLUICE_BOOTSTRAP", bootstrap), brokers);
        } catch (IOException failure) {
            throw new UncheckedIOException("The script cannot be installed", failure);
        }
    }

    Shell.Result run(String... words) {
        return shell.run(Installation.sluice(words));
    }

    /// Must end with 0.
    Shell.Result done(String... words) {
        Shell.Result result = run(words);
        assertThat(result.exitCode())
                .as("%s: %s%s", String.join(" ", words), result.out(), result.err())
                .isZero();
        return result;
    }

    /// Must end with this exit code, and a sentence for people in which this stands.
    void refused(int exitCode, String sentence, String... words) {
        Shell.Result result = run(words);
        assertThat(result.exitCode()).as(result.err()).isEqualTo(exitCode);
        assertThat(result.err()).contains(sentence).doesNotContain("Exception", "\tat ");
    }

    /// What programs get of a command that ends with 0.
    JsonNode json(String... words) {
        return JSON.readTree(done(asJson(words)).out());
    }

    private static String[] asJson(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-o", "json"));
        return all.toArray(String[]::new);
    }

    /// Asks again and again until this can be said of the answer.
    JsonNode awaitJson(Predicate<JsonNode> wanted, String... words) {
        AtomicReference<JsonNode> last = new AtomicReference<>(JSON.nullNode());
        Eventually.holds(
                () -> String.join(" ", words) + " says " + last + "\n" + brokers.get(),
                () -> {
                    last.set(json(words));
                    return wanted.test(last.get());
                });
        return last.get();
    }

    /// Asks `sluice cluster health` until it ends with this exit code and says this; returns the reason.
    JsonNode awaitHealth(int exitCode, Predicate<JsonNode> wanted) {
        AtomicReference<JsonNode> last = new AtomicReference<>(JSON.nullNode());
        Eventually.holds(
                () -> "cluster health says " + last + "\n" + brokers.get(),
                () -> {
                    Shell.Result result = run(asJson("cluster", "health"));
                    if (result.exitCode() != exitCode || result.out().isBlank()) {
                        last.set(JSON.valueToTree(result));
                        return false;
                    }
                    last.set(JSON.readTree(result.out()));
                    return wanted.test(last.get());
                });
        return last.get();
    }

    /// Ends with 0, and says so.
    void awaitHealthy(int brokers) {
        awaitHealth(
                0,
                health ->
                        health.path("verdict").asString().equals("healthy")
                                && health.path("brokers").asInt() == brokers
                                && health.path("moving").asInt() == 0);
    }

    /// Asks `sluice broker list` until this can be said of one of them.
    void awaitBroker(int id, Predicate<JsonNode> wanted) {
        awaitJson(list -> wanted.test(broker(list, id)), "broker", "list");
    }

    JsonNode broker(int id) {
        return broker(json("broker", "list"), id);
    }

    /// A node that is missing when the list does not have it.
    private static JsonNode broker(JsonNode list, int id) {
        return StreamSupport.stream(list.spliterator(), false)
                .filter(row -> row.path("id").asInt() == id)
                .findFirst()
                .orElse(JSON.missingNode());
    }
}
