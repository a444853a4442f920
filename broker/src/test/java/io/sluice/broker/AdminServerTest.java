package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What operators and their monitoring look at.
class AdminServerTest {
    private static Broker broker;

    @BeforeAll
    static void start() {
        broker =
                Broker.start(
                        Map.of(
                                "ephemeral", "true",
                                "kafka.listen", "127.0.0.1:0",
                                "admin.listen", "127.0.0.1:0"));
        Training.run(broker);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void aHealthyBrokerIsLiveAndReady() throws Exception {
        assertThat(ask("/health/live").statusCode()).isEqualTo(200);
        assertThat(ask("/health/ready").body()).isEqualTo("ready\n");
    }

    @Test
    void anUnknownPageSaysWhichThereAre() throws Exception {
        HttpResponse<String> answer = ask("/helth");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("/health/ready", "/metrics");
    }

    @Test
    void theMetricsTellHowLongForcesAndRequestsTook() throws Exception {
        String page = ask("/metrics").body();
        assertThat(value(page, "sluice_flush_seconds_count")).isPositive();
        assertThat(value(page, "sluice_request_seconds_count{api=\"produce\"}")).isPositive();
        assertThat(value(page, "sluice_request_seconds_sum{api=\"fetch\"}")).isPositive();
        assertThat(value(page, "sluice_partitions_offline")).isZero();
        assertThat(page).contains("sluice_request_seconds_bucket{api=\"produce\",le=\"+Inf\"}");
    }

    private static double value(String page, String metric) {
        return page.lines()
                .filter(line -> line.startsWith(metric + " "))
                .map(line -> Double.parseDouble(line.substring(metric.length() + 1)))
                .findFirst()
                .orElse(Double.NaN);
    }

    private static HttpResponse<String> ask(String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI uri = URI.create(broker.adminUrl() + path);
            return client.send(
                    HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        }
    }
}
