package io.sluice.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/// Finds out whether a broker has transactions, and says so in a sentence when it has not.
///
/// Stateless.
final class Transactions {
    private static final short ADD_PARTITIONS_TO_TXN = 24;
    private static final short ADD_OFFSETS_TO_TXN = 25;
    private static final short END_TXN = 26;
    private static final short TXN_OFFSET_COMMIT = 28;
    private static final Duration ASKING = Duration.ofSeconds(3);

    private Transactions() {}

    /// Asks the first bootstrap broker that answers. Behind TLS, or with none answering, nothing is known and
    /// nothing is refused: the first use decides.
    static void requireSupport(Map<String, Object> settings) {
        if (encrypted(settings)) {
            return;
        }
        for (String server : bootstrapServers(settings)) {
            Optional<SupportedApis> apis = ask(server);
            if (apis.isPresent()) {
                if (!apis.get()
                        .offers(
                                ADD_PARTITIONS_TO_TXN,
                                ADD_OFFSETS_TO_TXN,
                                END_TXN,
                                TXN_OFFSET_COMMIT)) {
                    throw unsupported(server, null);
                }
                return;
            }
        }
    }

    static void initialize(Producer<?, ?> producer, Map<String, Object> settings) {
        String servers = String.join(",", bootstrapServers(settings));
        try {
            producer.initTransactions();
        } catch (UnsupportedVersionException e) {
            producer.close(Duration.ZERO);
            throw unsupported(servers, e);
        } catch (TimeoutException e) {
            producer.close(Duration.ZERO);
            throw new DeliveryUnsupportedException(
                    "The broker at "
                            + servers
                            + " did not start a transaction in time. Check that it is reachable and that its"
                            + " transaction coordinator is available; delivery=at-least-once works without one.",
                    e);
        } catch (KafkaException e) {
            producer.close(Duration.ZERO);
            throw e;
        }
    }

    private static Optional<SupportedApis> ask(String server) {
        int colon = server.lastIndexOf(':');
        if (colon < 0) {
            return Optional.empty();
        }
        try {
            String host = server.substring(0, colon).replace("[", "").replace("]", "");
            var address =
                    new InetSocketAddress(host, Integer.parseInt(server.substring(colon + 1)));
            return Optional.of(SupportedApis.ask(address, ASKING));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static List<String> bootstrapServers(Map<String, Object> settings) {
        Object servers = settings.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
        if (servers instanceof Collection<?> many) {
            return many.stream().map(String::valueOf).toList();
        }
        return servers == null ? List.of() : List.of(String.valueOf(servers).split("\\s*,\\s*"));
    }

    private static boolean encrypted(Map<String, Object> settings) {
        Object protocol = settings.get(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG);
        return protocol != null
                && String.valueOf(protocol).toUpperCase(Locale.ROOT).endsWith("SSL");
    }

    private static DeliveryUnsupportedException unsupported(
            String servers, @Nullable Throwable cause) {
        return new DeliveryUnsupportedException(
                "The broker at "
                        + servers
                        + " has no transactions, and delivery=exactly-once needs them. Choose"
                        + " delivery=at-least-once and make the work safe to repeat, or use a broker that has them.",
                cause);
    }
}
