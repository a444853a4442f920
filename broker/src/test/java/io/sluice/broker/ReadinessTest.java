package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `/health/ready` through a broker's whole life: a load balancer sends nobody to one that starts or stops, and a supervisor does not take it for dead.
class ReadinessTest {
    @TempDir Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        client.close();
    }

    private record Answer(int status, String text) {}

    private Answer ask(String url, String path) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                client.send(
                        HttpRequest.newBuilder(URI.create(url + path)).build(),
                        HttpResponse.BodyHandlers.ofString());
        return new Answer(answer.statusCode(), answer.body());
    }

    private Map<String, String> settings(int id) {
        Map<String, String> settings = new HashMap<>();
        settings.put("node.id", "" + id);
        settings.put("data", folder.resolve("data-" + id).toString());
        settings.put("kafka.listen", "127.0.0.1:0");
        settings.put("admin.listen", "127.0.0.1:0");
        return settings;
    }

    @Test
    void aBrokerThatWaitsForItsClusterIsLiveAndNotReadyUntilItServes() throws Exception {
        int store = freePort();
        int admin = freePort();
        Map<String, String> waiting = settings(2);
        waiting.put("admin.listen", "127.0.0.1:" + admin);
        waiting.put("cluster.zookeeper", "127.0.0.1:" + store + "/sluice");
        waiting.put("cluster.zookeeper.start-timeout", "10m");
        CompletableFuture<Broker> starting =
                CompletableFuture.supplyAsync(() -> Broker.start(waiting));
        String url = "http://127.0.0.1:" + admin;
        awaitListening(url, starting);

        assertThat(ask(url, "/health/live")).isEqualTo(new Answer(200, "live\n"));
        for (String page : List.of("/health/ready", "/health/cluster", "/metrics")) {
            assertThat(ask(url, page)).as(page).isEqualTo(new Answer(503, "not ready: starting\n"));
        }
        assertThat(starting).isNotDone();

        Map<String, String> ensemble = settings(1);
        ensemble.put(
                "cluster.ensemble", "1@127.0.0.1:" + freePort() + ":" + freePort() + ":" + store);
        try (Broker first = Broker.start(ensemble);
                Broker second = starting.get(5, TimeUnit.MINUTES)) {
            assertThat(ask(first.adminUrl(), "/health/ready").status()).isEqualTo(200);
            assertThat(second.adminUrl()).isEqualTo(url);
            assertThat(ask(url, "/health/ready")).isEqualTo(new Answer(200, "ready\n"));
        }
    }

    @Test
    void aBrokerThatStopsIsLiveAndNotReadyToTheEnd() throws Exception {
        Lifecycle parts = new Lifecycle();
        Broker broker = Broker.start(BrokerSettings.read(settings(1)), parts);
        String url = broker.adminUrl();
        List<Answer> whileStopping = new ArrayList<>();
        // Closed as the first of all parts.
        parts.own(
                "observer",
                () -> {
                    whileStopping.add(ask(url, "/health/ready"));
                    whileStopping.add(ask(url, "/health/live"));
                    whileStopping.add(new Answer(ask(url, "/metrics").status(), ""));
                });
        assertThat(ask(url, "/health/ready").status()).isEqualTo(200);

        broker.close();

        assertThat(whileStopping)
                .containsExactly(
                        new Answer(503, "not ready: stopping\n"),
                        new Answer(200, "live\n"),
                        new Answer(200, ""));
    }

    private void awaitListening(String url, CompletableFuture<Broker> starting) throws Exception {
        while (true) {
            try {
                ask(url, "/health/live");
                return;
            } catch (IOException notYet) {
                assertThat(starting).isNotCompletedExceptionally();
                Thread.sleep(10);
            }
        }
    }

    /// Below the range from which outgoing connections get theirs.
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 32_000);
            try (ServerSocket held = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return held.getLocalPort();
            } catch (IOException _) {
                // Somebody else's.
            }
        }
    }
}
