package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// `docs/metrics.md` is made from what a broker really answers, and what other pages say of metrics exists.
class MetricsPageTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path PAGE = DOCS.resolve("metrics.md");

    @Test
    void theReferencePageNamesEveryMetric() throws Exception {
        String text = page(metrics());
        if (Boolean.getBoolean("sluice.rewrite")) {
            Files.writeString(PAGE, text);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(text);
    }

    @Test
    void everyMetricThatAPageNamesExists() throws Exception {
        Map<String, String> known = metrics();
        Pattern name = Pattern.compile("`(sluice_[a-z_]+)`");
        try (Stream<Path> pages = Files.list(DOCS)) {
            for (Path page :
                    pages.filter(path -> path.toString().endsWith(".md"))
                            .filter(path -> !path.toString().endsWith("outbox.md"))
                            .toList()) {
                Matcher found = name.matcher(Files.readString(page));
                while (found.find()) {
                    assertThat(known).as(page.toString()).containsKey(found.group(1));
                }
            }
        }
    }

    /// Name to "type | help".
    private static Map<String, String> metrics() throws Exception {
        Map<String, String> help = new LinkedHashMap<>();
        Map<String, String> metrics = new TreeMap<>();
        for (String line : answer().lines().toList()) {
            String[] words = line.split(" ", 4);
            if (line.startsWith("# HELP ")) {
                help.put(words[2], words[3]);
            } else if (line.startsWith("# TYPE ")) {
                metrics.put(words[2], words[3] + " | " + help.get(words[2]));
            }
        }
        return metrics;
    }

    private static String answer() throws Exception {
        try (Broker broker =
                        Broker.start(
                                Map.of(
                                        "ephemeral", "true",
                                        "kafka.listen", "127.0.0.1:0",
                                        "admin.listen", "127.0.0.1:0"));
                HttpClient http = HttpClient.newHttpClient()) {
            Training.run(broker);
            return http.send(
                            HttpRequest.newBuilder(URI.create(broker.adminUrl() + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private static String page(Map<String, String> metrics) {
        return metrics.entrySet().stream()
                .map(metric -> "| `" + metric.getKey() + "` | " + metric.getValue() + " |\n")
                .collect(
                        Collectors.joining(
                                "",
                                """
                                # Metrics

                                Made from what a broker answers at `/metrics` of its admin address, in Prometheus' text format; `MetricsPageTest` fails when the two differ, and
                                `mvn -pl broker -am test -Dtest=MetricsPageTest -Dsluice.rewrite=true -Dsurefire.failIfNoSpecifiedTests=false` writes the page again. Those *of the cluster* are as this broker knows the plan, so that any one of them
                                tells. What to alarm on is in [operations.md](operations.md#what-to-alarm-on).

                                | name | type | meaning |
                                | --- | --- | --- |
                                """,
                                ""));
    }
}
