package io.sluice.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.OutboxSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/// The deployment without a Docker: what the file says, and that all it names is there.
class ComposeTest {
    private static final Path EXAMPLE =
            Path.of(System.getProperty("basedir", ".")).toAbsolutePath().normalize();
    private static final String MIGRATION = "/migration/";

    private final Map<String, Object> file = load();

    @Test
    @DisplayName("O8: the document's deployment: PostgreSQL, a broker, three relays")
    void theServicesAreTheDocuments() {
        assertThat(at("services"))
                .containsOnlyKeys(
                        "postgres",
                        "kafka",
                        "transfer-relay-0",
                        "transfer-relay-1",
                        "transfer-relay-2");
        assertThat(at("services", "postgres", "environment"))
                .isEqualTo(
                        Map.of(
                                "POSTGRES_DB",
                                "transfer",
                                "POSTGRES_USER",
                                "postgres",
                                "POSTGRES_PASSWORD",
                                "pass1234"));
    }

    @Test
    @DisplayName("O8: every relay has the document's variables, and a number of its own")
    void relaysHaveTheDocumentsVariables() {
        for (int i = 0; i < 3; i++) {
            String relay = "transfer-relay-" + i;
            assertThat(at("services", relay)).containsKeys("image", "command", "restart");
            assertThat(at("services", relay, "environment"))
                    .as(relay)
                    .isEqualTo(
                            Map.of(
                                    "RELAY_INSTANCE_ID",
                                    i,
                                    "RELAY_TOTAL_INSTANCES",
                                    3,
                                    "RELAY_TOPIC",
                                    "transfers",
                                    "SPRING_DATASOURCE_URL",
                                    "jdbc:postgresql://postgres:5432/transfer",
                                    "SPRING_DATASOURCE_USERNAME",
                                    "postgres",
                                    "SPRING_DATASOURCE_PASSWORD",
                                    "pass1234",
                                    "KAFKA_BOOTSTRAP_SERVERS",
                                    "kafka:9092"));
        }
    }

    /// A script that is forgotten here would be missing in the database, and the relay would refuse to begin.
    @Test
    void allScriptsAreRunInTheirOrder() {
        List<String> scripts =
                volumes("postgres").stream()
                        .map(volume -> volume.substring(0, volume.indexOf(':')))
                        .filter(source -> source.contains(MIGRATION))
                        .map(source -> source.substring(source.lastIndexOf('/') + 1))
                        .toList();
        assertThat(scripts).isEqualTo(OutboxSchema.SCRIPTS);
    }

    @Test
    void allThatIsNamedIsThere() {
        assertThat(at("services", "kafka", "build"))
                .isEqualTo(
                        Map.of(
                                "context", "../..",
                                "dockerfile", "examples/transfer/Dockerfile"));
        assertThat(EXAMPLE.resolve("Dockerfile")).exists();
        for (String service : at("services").keySet()) {
            assertThat(list(at("services", service).getOrDefault("depends_on", List.of())))
                    .allMatch(name -> at("services").containsKey(name));
            for (String volume : volumes(service)) {
                String source = volume.substring(0, volume.indexOf(':'));
                if (source.startsWith(".")) {
                    assertThat(EXAMPLE.resolve(source)).exists();
                } else {
                    assertThat(at("volumes").containsKey(source)).as(source).isTrue();
                }
            }
        }
    }

    private List<String> volumes(String service) {
        return list(at("services", service).getOrDefault("volumes", List.of()));
    }

    private static List<String> list(Object value) {
        return value instanceof List<?> items
                ? items.stream().map(String::valueOf).toList()
                : List.of();
    }

    private Map<String, Object> at(String... path) {
        Map<String, Object> found = file;
        for (String name : path) {
            assertThat(found.get(name)).as(name).isInstanceOf(Map.class);
            found = named((Map<?, ?>) found.get(name));
        }
        return found;
    }

    private static Map<String, Object> named(Map<?, ?> map) {
        Map<String, Object> named = new LinkedHashMap<>();
        map.forEach((name, value) -> named.put(String.valueOf(name), value == null ? "" : value));
        return named;
    }

    private static Map<String, Object> load() {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        try {
            return named(
                    (Map<?, ?>)
                            new Yaml(new SafeConstructor(options))
                                    .load(Files.readString(EXAMPLE.resolve("compose.yaml"))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
