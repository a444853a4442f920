package io.sluice.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.examples.transfer.fds.FraudDetection;
import io.sluice.outbox.OutboxSchema;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.Relay;
import io.sluice.outbox.RelaySettings;
import io.sluice.testing.Sluice;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
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
                        "transfer-relay-2",
                        "transfer");
        assertThat(at("services", "transfer")).containsEntry("profiles", List.of("service"));
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

    /// As the service of the file is started, but for the addresses: those are the tests' own.
    @Test
    @DisplayName("O8: the service beside the deployment writes events; the relays publish them")
    @Timeout(120)
    void theServiceRunsBesideTheRelays() throws Exception {
        List<String> command = list(at("services", "transfer").getOrDefault("command", List.of()));
        int main = command.indexOf(TransferApplication.class.getName());
        assertThat(main).isPositive();
        List<String> arguments = new ArrayList<>(command.subList(main + 1, command.size()));
        assertThat(at("services", "transfer", "environment"))
                .containsOnlyKeys(
                        "SPRING_DATASOURCE_URL",
                        "SPRING_DATASOURCE_USERNAME",
                        "SPRING_DATASOURCE_PASSWORD",
                        "SPRING_KAFKA_BOOTSTRAP_SERVERS")
                .containsEntry("SPRING_KAFKA_BOOTSTRAP_SERVERS", "kafka:9092");
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start();
                Sluice kafka = Sluice.ephemeral()) {
            String url = postgres.getJdbcUrl("postgres", "postgres");
            arguments.add("--spring.datasource.url=" + url);
            arguments.add("--spring.kafka.bootstrap-servers=" + kafka.bootstrap());
            arguments.add("--server.port=0");
            arguments.add("--transfer.generate=30");
            try (Connection connection = DriverManager.getConnection(url)) {
                OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
            }
            RelaySettings settings =
                    RelaySettings.of("transfers", Map.of("bootstrap.servers", kafka.bootstrap()));
            try (Relay _ = Relay.start(() -> DriverManager.getConnection(url), settings);
                    ConfigurableApplicationContext context =
                            TransferApplication.application()
                                    .run(arguments.toArray(String[]::new))) {
                FraudDetection detection = context.getBean(FraudDetection.class);
                long transfers = context.getBean(Transfers.class).count();
                assertThat(transfers).isPositive();
                while (detection.checked() < transfers) {
                    Thread.sleep(50);
                }
            }
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
