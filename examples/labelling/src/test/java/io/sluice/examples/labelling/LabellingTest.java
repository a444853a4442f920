package io.sluice.examples.labelling;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.examples.labelling.documents.Documents;
import io.sluice.examples.labelling.local.Generator;
import io.sluice.testing.Sluice;
import io.sluice.testing.SluiceExtension;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/// The whole system: real PDFs, a real queue, the real model, a real database.
@ExtendWith(SluiceExtension.class)
@Timeout(300)
class LabellingTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir Path folder;

    private ConfigurableApplicationContext start(String... settings) {
        String[] all = new String[settings.length + 3];
        all[0] = "--labelling.folder=" + folder;
        all[1] = "--server.port=0";
        all[2] = "--labelling.look-every=100ms";
        System.arraycopy(settings, 0, all, 3, settings.length);
        return LabellingApplication.application().run(all);
    }

    private static Map<String, Long> awaitFinished(Documents documents, int count)
            throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (documents.finished(1_000).size() < count) {
            assertThat(System.nanoTime() - end)
                    .as("patience, at " + documents.counts())
                    .isNegative();
            Thread.sleep(50);
        }
        return documents.counts();
    }

    @Test
    @DisplayName(
            "B1, B2: PDFs become labels, broken and encrypted ones FAILED, through SQS; the page shows it")
    void documentsAreLabelledThroughSqs() throws Exception {
        new Generator(7, 1).generate(folder, 20);
        try (ConfigurableApplicationContext context =
                start("--sluice.listener.sources.documents.long-poll=1s")) {
            Documents documents = context.getBean(Documents.class);
            assertThat(awaitFinished(documents, 20))
                    .isEqualTo(Map.of("LABELLED", 18L, "FAILED", 2L));
            List<Documents.Row> rows = documents.finished(100);
            assertThat(rows)
                    .filteredOn(row -> row.status().equals("FAILED"))
                    .allSatisfy(
                            row ->
                                    assertThat(row.outcome())
                                            .contains(
                                                    switch (row.name().split("-")[0]) {
                                                        case "broken" -> "It is damaged";
                                                        case "encrypted" -> "It is encrypted";
                                                        default -> "an unexpected failure";
                                                    }));
            long right =
                    rows.stream()
                            .filter(row -> row.status().equals("LABELLED"))
                            .filter(row -> row.outcome().replace(' ', '-').startsWith(kind(row)))
                            .count();
            assertThat(right).as("documents whose best label is what they are").isGreaterThan(15);
            assertPage(context);
        }
    }

    private static String kind(Documents.Row row) {
        return row.name().replaceAll("-\\d+\\.pdf$", "");
    }

    private static void assertPage(ConfigurableApplicationContext context) throws Exception {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        try (var http = HttpClient.newHttpClient()) {
            assertThat(get(http, port, "/")).contains("Calibrate the heavy lane");
            assertThat(get(http, port, "/state"))
                    .contains("\"LABELLED\":18")
                    .contains("Lane label has room for");
            assertThat(get(http, port, "/actuator/health")).contains("\"sluiceListeners\"");
        }
    }

    private static String get(HttpClient http, String port, String path) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    @Test
    @DisplayName("B1: the same through the Kafka protocol")
    void documentsAreLabelledThroughATopic(Sluice sluice) throws Exception {
        new Generator(8, 1).generate(folder, 10);
        try (ConfigurableApplicationContext context =
                start(
                        "--labelling.source=kafka",
                        "--spring.kafka.bootstrap-servers=" + sluice.bootstrap())) {
            assertThat(awaitFinished(context.getBean(Documents.class), 10))
                    .isEqualTo(Map.of("LABELLED", 9L, "FAILED", 1L));
        }
    }
}
