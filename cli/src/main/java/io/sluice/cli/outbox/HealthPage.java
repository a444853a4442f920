package io.sluice.cli.outbox;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.cli.Bootstrap;
import io.sluice.outbox.Health;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// `GET /health` for whoever watches the process: 200 and `UP`, or 503 and `DOWN`; then what there is to say, one sentence per line. `GET /metrics` for Prometheus.
///
/// Thread-safe: the server has one thread of its own.
final class HealthPage implements AutoCloseable {
    private final @Nullable HttpServer server;

    private HealthPage(@Nullable HttpServer server) {
        this.server = server;
    }

    /// @param address host:port, or null for no page
    static HealthPage at(@Nullable String address, Supplier<Health> health, PrometheusMeters meters)
            throws IOException {
        if (address == null) {
            return new HealthPage(null);
        }
        HttpServer server = HttpServer.create(Bootstrap.parse(address).getFirst().address(), 0);
        server.createContext("/health", exchange -> answer(exchange, health.get()));
        server.createContext("/metrics", exchange -> answer(exchange, meters));
        server.start();
        return new HealthPage(server);
    }

    private static void answer(HttpExchange exchange, Health health) throws IOException {
        StringBuilder text = new StringBuilder(health.up() ? "UP\n" : "DOWN\n");
        health.reasons().forEach(reason -> text.append(reason).append('\n'));
        answer(exchange, health.up() ? 200 : 503, text.toString());
    }

    private static void answer(HttpExchange exchange, PrometheusMeters meters) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", PrometheusMeters.CONTENT_TYPE);
        answer(exchange, 200, meters.text());
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        if (server != null) {
            server.stop(0);
        }
    }
}
