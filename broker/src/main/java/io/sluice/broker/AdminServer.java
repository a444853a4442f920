package io.sluice.broker;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.sluice.node.ClusterHealth;
import io.sluice.node.Node;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/// Health and metrics over HTTP: `/health/live`, `/health/ready`, `/health/cluster`, `/metrics`. Thread-safe: a virtual thread for each request.
///
/// It answers from the beginning of a start to the end of a stop: who watches a broker must be able to tell one that waits for its cluster, or hands over, from one that is gone.
final class AdminServer implements AutoCloseable {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final int STOP_SECONDS = 0;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile @Nullable Served served;
    private volatile boolean stopping;

    /// What there is to ask, once the start is done.
    private record Served(BrokerMetrics metrics, Node node) {}

    AdminServer(Address address) {
        try {
            server = HttpServer.create(address.resolve("admin.listen"), 64);
        } catch (IOException e) {
            throw new IllegalStateException(
                    "Cannot listen on "
                            + address
                            + " for health and metrics ("
                            + e.getMessage()
                            + "). Stop what uses the port, or choose another with --admin.listen.",
                    e);
        }
        server.setExecutor(threads);
        server.createContext("/health/live", exchange -> answer(exchange, 200, "live\n"));
        server.createContext("/health/ready", onceServed(this::ready));
        server.createContext("/health/cluster", onceServed(AdminServer::cluster));
        server.createContext("/metrics", onceServed(AdminServer::metrics));
        server.createContext("/", this::index);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /// The broker takes requests.
    void serve(BrokerMetrics metrics, Node node) {
        served = new Served(metrics, node);
    }

    /// Nobody should be sent here any longer.
    void stopping() {
        stopping = true;
    }

    private interface Page {
        void answer(HttpExchange exchange, Served served) throws IOException;
    }

    /// What a broker cannot answer while it starts.
    private HttpHandler onceServed(Page page) {
        return exchange -> {
            Served broker = served;
            if (broker == null) {
                answer(exchange, 503, "not ready: starting\n");
            } else {
                page.answer(exchange, broker);
            }
        };
    }

    private void ready(HttpExchange exchange, Served broker) throws IOException {
        if (stopping) {
            answer(exchange, 503, "not ready: stopping\n");
            return;
        }
        long offline = broker.node().shardCounters().partitionsOffline.sum();
        if (offline > 0) {
            answer(
                    exchange,
                    503,
                    "not ready: "
                            + offline
                            + " partition(s) are offline after a disk failure; see the log\n");
        } else {
            answer(exchange, 200, "ready\n");
        }
    }

    /// The whole cluster, as this broker sees it: a broker can be ready while others are not.
    private static void cluster(HttpExchange exchange, Served broker) throws IOException {
        ClusterHealth health = broker.node().health();
        int status = health.verdict() == ClusterHealth.Verdict.BROKEN ? 503 : 200;
        String verdict = health.verdict().name().toLowerCase(Locale.ROOT);
        answer(exchange, status, verdict + ": " + health.reason() + "\n");
    }

    private static void metrics(HttpExchange exchange, Served broker) throws IOException {
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        broker.metrics().write(page);
        send(exchange, 200, BrokerMetrics.CONTENT_TYPE, page.toByteArray());
    }

    private void index(HttpExchange exchange) throws IOException {
        boolean known = exchange.getRequestURI().getPath().equals("/");
        answer(
                exchange,
                known ? 200 : 404,
                "/health/live\n/health/ready\n/health/cluster\n/metrics\n");
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        send(exchange, status, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body)
            throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Override
    public void close() {
        server.stop(STOP_SECONDS);
        threads.shutdown();
    }
}
