package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.services.sqs.SqsClient;

/// Endpoints that go away, come back, or let nobody in.
@Timeout(180)
class BadEndpointTest {
    private final ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();

    private LaneSettings lane() {
        return LaneSettings.lane("all", new FixedLimit(2), job -> done.add(job.message().text()));
    }

    private static SqsSettings settings(SqsClient client, String url) {
        return SqsSettings.of(client, url).longPoll(Duration.ZERO).dropDeadLetters(true);
    }

    private static SQSRestServer start(int port) {
        SQSRestServer server =
                SQSRestServerBuilder.withPort(port).withInterface("localhost").start();
        server.waitUntilStarted();
        return server;
    }

    @Test
    void anEndpointThatComesBackIsReceivedFromAgain() throws Exception {
        SQSRestServer server = start(0);
        int port = server.waitUntilStarted().localAddress().getPort();
        try (SqsClient client = Queues.client(port)) {
            String url = client.createQueue(request -> request.queueName("q")).queueUrl();
            Listener listener =
                    Listener.of(new SqsSource(settings(client, url))).lane(lane()).start();
            try {
                client.sendMessage(request -> request.queueUrl(url).messageBody("before"));
                until("before", () -> done.contains("before"));

                server.stopAndWait();
                until("trouble", () -> listener.trouble() != null);
                assertThat(listener.trouble()).startsWith("Nothing can be received from queue q");

                server = start(port);
                client.createQueue(request -> request.queueName("q"));
                client.sendMessage(request -> request.queueUrl(url).messageBody("after"));
                until("after", () -> done.contains("after"));
                until("no trouble any more", () -> listener.trouble() == null);
            } finally {
                listener.stop(Duration.ofSeconds(5));
            }
        } finally {
            server.stopAndWait();
        }
    }

    @Test
    void aThreadThatHasEndedIsTroubleInASentence() throws Exception {
        SQSRestServer server = start(0);
        int port = server.waitUntilStarted().localAddress().getPort();
        try (SqsClient client = Queues.client(port)) {
            String url = client.createQueue(request -> request.queueName("ends")).queueUrl();
            Listener listener =
                    Listener.of(new SqsSource(settings(client, url))).lane(lane()).start();
            try {
                assertThat(listener.trouble()).isNull();
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("sluice-leases-ends"))
                        .forEach(Thread::interrupt);
                until("trouble", () -> listener.trouble() != null);
                assertThat(listener.trouble()).startsWith("Thread sluice-leases-ends has ended");
            } finally {
                listener.stop(Duration.ofSeconds(5));
            }
            assertThat(listener.trouble()).as("a stop ends them all").isNull();
        } finally {
            server.stopAndWait();
        }
    }

    @Test
    void wrongCredentialsAreNamedAtStart() throws IOException {
        HttpServer refusing = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        refusing.createContext(
                "/",
                exchange -> {
                    byte[] body =
                            "{\"__type\":\"com.amazon.coral.service#InvalidClientTokenId\",\"message\":\"The security token included in the request is invalid.\"}"
                                    .getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.0");
                    exchange.sendResponseHeaders(403, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        refusing.start();
        try (SqsClient client = Queues.client(refusing.getAddress().getPort())) {
            var source = new SqsSource(settings(client, "http://localhost/000000000000/q"));
            assertThatThrownBy(() -> Listener.of(source).lane(lane()).start())
                    .hasMessageContaining("does not answer us: The security token")
                    .hasMessageContaining("credentials");
        } finally {
            refusing.stop(0);
        }
    }

    @Test
    void credentialsThatEndLaterAreTroubleInASentence() throws Exception {
        var polls = new AtomicInteger();
        HttpServer refusing = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        refusing.createContext(
                "/",
                exchange -> {
                    boolean poll =
                            exchange.getRequestHeaders()
                                    .getFirst("X-Amz-Target")
                                    .endsWith("ReceiveMessage");
                    String body =
                            poll
                                    ? "{\"__type\":\"com.amazon.coral.service#ExpiredTokenException\",\"message\":\"The security token included in the request is expired\"}"
                                    : "{\"Attributes\":{}}";
                    polls.addAndGet(poll ? 1 : 0);
                    exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.0");
                    exchange.sendResponseHeaders(poll ? 403 : 200, body.length());
                    exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
                    exchange.close();
                });
        refusing.start();
        int port = refusing.getAddress().getPort();
        try (SqsClient client = Queues.client(port)) {
            var source =
                    new SqsSource(settings(client, "http://localhost:" + port + "/000000000000/q"));
            try (Listener listener = Listener.of(source).lane(lane()).start()) {
                until("three polls", () -> polls.get() >= 3);
                assertThat(listener.trouble())
                        .startsWith("Nothing can be received from queue q")
                        .contains("expired");
                assertThat(listener.lanes().getFirst().free()).as("no slot is lost").isEqualTo(2);
            }
        } finally {
            refusing.stop(0);
        }
    }

    @Test
    void anEndpointThatIsNotThereIsNamedAtStart() {
        try (SqsClient client = Queues.client(1)) {
            var source = new SqsSource(settings(client, "http://localhost:1/000000000000/q"));
            assertThatThrownBy(() -> Listener.of(source).lane(lane()).start())
                    .hasMessageContaining("http://localhost:1/000000000000/q does not answer us");
        }
    }
}
