package io.sluice.broker;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/// A short run through the start and the common requests, for the JVM to remember what it loads (JEP 514).
final class Training {
    private Training() {}

    static void run(Broker broker) throws InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            client.send(
                    HttpRequest.newBuilder(
                                    URI.create(
                                            "http://localhost:" + broker.adminPort() + "/metrics"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(
                    "The training run could not read the metrics page: " + e, e);
        }
    }
}
