package io.sluice.spring;

import static io.sluice.spring.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sluice.spring.settings.ListenerProperties;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.services.sqs.SqsClient;

@Timeout(180)
class OwnSqsClientTest {
    @Test
    void anAnswerThatNeverComesIsNotWaitedForWithoutEnd() {
        var settings =
                new ListenerProperties.Sqs(
                        URI.create("http://localhost:1"), "eu-central-1", "x", "x");
        try (var own = new OwnSqsClient(settings)) {
            assertThat(
                            own.client()
                                    .serviceClientConfiguration()
                                    .overrideConfiguration()
                                    .apiCallAttemptTimeout())
                    .as("longer than a long poll")
                    .hasValueSatisfying(time -> assertThat(time).hasSeconds(30));
        }
    }

    @Test
    @DisplayName("B6: polls of many queues take no connection from leases and acknowledgements")
    void manyPollsWaitAtOnce() throws Exception {
        var polls = new AtomicInteger();
        var end = new CountDownLatch(1);
        HttpServer server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            server.setExecutor(threads);
            server.createContext(
                    "/",
                    exchange -> {
                        polls.incrementAndGet();
                        try {
                            end.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        byte[] body = {'{', '}'};
                        exchange.getResponseHeaders()
                                .add("Content-Type", "application/x-amz-json-1.0");
                        exchange.sendResponseHeaders(200, body.length);
                        exchange.getResponseBody().write(body);
                        exchange.close();
                    });
            server.start();
            String address = "http://localhost:" + server.getAddress().getPort();
            try (var own =
                    new OwnSqsClient(
                            new ListenerProperties.Sqs(
                                    URI.create(address), "eu-central-1", "x", "x"))) {
                SqsClient client = own.client();
                for (int i = 0; i < 80; i++) {
                    threads.execute(
                            () ->
                                    client.receiveMessage(
                                            request -> request.queueUrl(address + "/q")));
                }
                until("all of them wait", () -> polls.get() >= 80);
                end.countDown();
                threads.shutdown();
                until("all have ended", threads::isTerminated);
                assertThat(polls).as("none had to give up for another one").hasValue(80);
            } finally {
                end.countDown();
                server.stop(0);
            }
        }
    }
}
