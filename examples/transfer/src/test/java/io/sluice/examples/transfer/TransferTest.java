package io.sluice.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.examples.transfer.fds.FraudDetection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/// Transfers in, alerts out, through a real database, three relays and a real broker.
@Timeout(120)
class TransferTest {
    private static final String FROM =
            "{\"id\": 7, \"from\": %s, \"to\": \"account-2\", \"amount\": 13000000, \"at\": \"2026-01-01T00:00:00Z\"}";
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
    @DisplayName("a database that fails, and a value that is no transfer, cost no alert")
    void whatCannotBeCheckedNowIsCheckedLater() throws Exception {
        try (ConfigurableApplicationContext context =
                TransferApplication.application()
                        .run(
                                "--server.port=0",
                                "--transfer.generate=0",
                                "--transfer.more-relays=0")) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE SEQUENCE attempt");
            jdbc.execute(
                    "CREATE FUNCTION refuse_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('attempt') <= 2 THEN RAISE 'not now'; END IF; RETURN NEW; END $$");
            jdbc.execute(
                    "CREATE TRIGGER refuse_twice BEFORE INSERT ON alert FOR EACH ROW EXECUTE FUNCTION refuse_twice()");
            String broker =
                    context.getEnvironment().getRequiredProperty("spring.kafka.bootstrap-servers");
            send(broker, "no transfer");
            send(broker, FROM.formatted("null"));
            send(broker, FROM.formatted("\"a\\u0000b\""));
            Transfers transfers = context.getBean(Transfers.class);
            transfers.transfer("account-1", "account-2", 11_000_000);
            transfers.transfer("account-1", "account-2", 12_000_000);
            FraudDetection detection = context.getBean(FraudDetection.class);
            await(() -> detection.alerts().size() == 2);
            assertThat(jdbc.queryForObject("SELECT last_value FROM attempt", Long.class))
                    .as("refused twice")
                    .isGreaterThan(2);
            await(() -> count(jdbc, "SELECT count(*) FROM unreadable") == 3);
            assertThat(count(jdbc, "SELECT count(*) FROM unreadable WHERE value = 'no transfer'"))
                    .isEqualTo(1);
            assertThat(detection.isRunning()).isTrue();
            await(
                    () ->
                            committed(broker).values().stream().mapToLong(of -> of.offset()).sum()
                                    == 5);
            assertThat(committed(broker).values())
                    .as("what the filter has seen is kept with the offset")
                    .anyMatch(of -> of.metadata().matches("\\d+:\\d+"));
        }
    }

    private static long count(JdbcTemplate jdbc, String sql) {
        Long count = jdbc.queryForObject(sql, Long.class);
        return count == null ? 0 : count;
    }

    private static void send(String broker, String value) throws Exception {
        try (var producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", broker),
                        new StringSerializer(),
                        new StringSerializer())) {
            producer.send(new ProducerRecord<>("transfers", "account-1", value)).get();
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> committed(String broker) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker))) {
            return admin.listConsumerGroupOffsets("fds").partitionsToOffsetAndMetadata().get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
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
