package io.sluice.cli.doctor;

import io.sluice.cli.Bootstrap;
import io.sluice.cli.ClientSettings;
import io.sluice.cli.output.HumanText;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// Compares the broker's clock with this one: retention, time-outs and "from ten minutes ago" depend on both.
///
/// Kafka's protocol tells no time. Sluice's admin address does, in its HTTP Date; elsewhere a message in a topic with the
/// broker's own timestamps does, if writing is allowed.
///
/// Owned by the main thread.
final class ClockCheck {
    private static final String CHECK = "clock";
    private static final Duration TOLERATED = Duration.ofSeconds(2);
    private static final int PATIENCE_MILLIS = 2_000;

    private final ClientSettings settings;
    private final @Nullable String admin;
    private final boolean mayWrite;

    ClockCheck(ClientSettings settings, @Nullable String admin, boolean mayWrite) {
        this.settings = settings;
        this.admin = admin;
        this.mayWrite = mayWrite;
    }

    Finding run(Bootstrap server) {
        String given = admin == null ? server.host() + ":8080" : admin;
        String url = given.contains("://") ? given : "http://" + given;
        Optional<Duration> skew = byHttp(url + "/health/live");
        if (skew.isEmpty() && mayWrite) {
            skew = byMessage();
        }
        return skew.map(ClockCheck::judge)
                .orElseGet(
                        () ->
                                Finding.skipped(
                                        CHECK,
                                        "no admin address at " + url,
                                        "Say with --admin where it is, or let --write send a message to find out."));
    }

    static Finding judge(Duration skew) {
        if (skew.abs().compareTo(TOLERATED) <= 0) {
            return Finding.ok(CHECK, "the broker's clock agrees with this one");
        }
        return Finding.warning(
                CHECK,
                "the broker's clock is %s %s this one"
                        .formatted(
                                HumanText.span(skew.abs()),
                                skew.isNegative() ? "behind" : "ahead of"),
                "Let both machines keep time with NTP (timedatectl set-ntp true).");
    }

    /// The Date header is whole seconds, so the middle of that second is compared with the middle of the exchange.
    private static Optional<Duration> byHttp(String url) {
        try {
            if (!(URI.create(url).toURL().openConnection() instanceof HttpURLConnection http)) {
                return Optional.empty();
            }
            http.setConnectTimeout(PATIENCE_MILLIS);
            http.setReadTimeout(PATIENCE_MILLIS);
            Instant before = Instant.now();
            long date = http.getDate();
            Instant after = Instant.now();
            http.disconnect();
            if (date == 0) {
                return Optional.empty();
            }
            Instant here = before.plus(Duration.between(before, after).dividedBy(2));
            return Optional.of(Duration.between(here, Instant.ofEpochMilli(date).plusMillis(500)));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private Optional<Duration> byMessage() {
        String topic = "sluice-doctor-" + UUID.randomUUID();
        Map<String, String> ownTime = Map.of("message.timestamp.type", "LogAppendTime");
        try (Admin client = Admin.create(settings.forReading())) {
            client.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(ownTime)))
                    .all()
                    .get();
            try (var producer =
                    new KafkaProducer<>(
                            settings.forWriting(),
                            new ByteArraySerializer(),
                            new ByteArraySerializer())) {
                // The first message waits for metadata; the second is quick enough to be compared.
                producer.send(new ProducerRecord<>(topic, new byte[1])).get();
                Instant before = Instant.now();
                var metadata = producer.send(new ProducerRecord<>(topic, new byte[1])).get();
                Instant here = before.plus(Duration.between(before, Instant.now()).dividedBy(2));
                return Optional.of(
                        Duration.between(here, Instant.ofEpochMilli(metadata.timestamp())));
            } finally {
                client.deleteTopics(List.of(topic)).all().get();
            }
        } catch (ExecutionException | KafkaException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
