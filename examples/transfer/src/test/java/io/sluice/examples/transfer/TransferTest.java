package io.sluice.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.examples.transfer.fds.FraudDetection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/// Transfers in, alerts out, through a real database, three relays and a real broker.
@Timeout(120)
class TransferTest {
    private static final Pattern SHARE = Pattern.compile("\"relay-\\d\":2[12]\\b");

    @Test
    @DisplayName("O1, O8: every transfer is checked once, and what is suspicious becomes an alert")
    void suspiciousTransfersBecomeAlerts() throws Exception {
        try (ConfigurableApplicationContext context =
                TransferApplication.application()
                        .run("--server.port=0", "--transfer.generate=100")) {
            FraudDetection detection = context.getBean(FraudDetection.class);
            Transfers transfers = context.getBean(Transfers.class);
            String service =
                    "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
            assertThat(post(service, "account-1", 11_000_000)).isEqualTo(200);
            assertThat(post(service, "account-1", 999_000_000)).as("too much").isEqualTo(422);
            await(() -> detection.checked() == transfers.count());
            await(
                    () ->
                            detection.alerts().stream()
                                    .anyMatch(
                                            alert ->
                                                    alert.account().equals("account-1")
                                                            && alert.reason().startsWith("11")));
            assertThat(detection.alerts())
                    .anyMatch(alert -> alert.reason().endsWith("within a minute"));
            assertThat(transfers.balances().values().stream().mapToLong(Long::longValue).sum())
                    .as("no money made or lost")
                    .isEqualTo(50L * 100_000_000);
            // 64 lanes among three: which of them has one more is nobody's business.
            await(() -> SHARE.matcher(get(service + "/")).results().count() == 3);
            assertThat(get(service + "/actuator/health")).contains("\"outbox\":{");
        }
    }

    @Test
    void relaysMayRunElsewhere() {
        try (ConfigurableApplicationContext context =
                TransferApplication.application()
                        .run(
                                "--server.port=0",
                                "--transfer.generate=0",
                                "--transfer.more-relays=0",
                                "--app.outbox.relay.enabled=false")) {
            assertThat(context.isRunning()).isTrue();
        }
    }

    private static int post(String service, String from, long amount) throws Exception {
        String body =
                "{\"from\":\"%s\",\"to\":\"account-2\",\"amount\":%d}".formatted(from, amount);
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(service + "/transfers"))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body))
                        .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request, BodyHandlers.discarding()).statusCode();
        }
    }

    private static String get(String url) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(url)).build(),
                            BodyHandlers.ofString())
                    .body();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(50);
        }
    }
}
