package io.sluice.testing;

import io.sluice.broker.Broker;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A broker in this JVM, on a free port of the loopback address.
///
/// ```java
/// try (Sluice sluice = Sluice.ephemeral()) {
///     var producer = new KafkaProducer<>(Map.of("bootstrap.servers", sluice.bootstrap(), …));
/// }
/// ```
/// Thread-safe: started and closed by one thread; what it tells does not change.
public final class Sluice implements AutoCloseable {
    private static final Map<String, String> FREE_PORTS =
            Map.of("kafka.listen", "localhost:0", "admin.listen", "localhost:0");

    private final Broker broker;

    private Sluice(@Nullable Path data, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(FREE_PORTS);
        all.putAll(settings);
        all.put("ephemeral", String.valueOf(data == null));
        if (data != null) {
            all.put("data", data.toString());
        }
        broker = Broker.start(all);
    }

    /// With a temporary data directory, deleted by [#close].
    public static Sluice ephemeral() {
        return new Sluice(null, Map.of());
    }

    /// With a temporary data directory and these settings; their names are those of `sluice up`.
    public static Sluice ephemeral(Map<String, String> settings) {
        return new Sluice(null, settings);
    }

    /// On a data directory that stays: to start again on it, or to look into it.
    public static Sluice on(Path data, Map<String, String> settings) {
        return new Sluice(data, settings);
    }

    /// For `bootstrap.servers`.
    public String bootstrap() {
        return broker.bootstrap();
    }

    /// Where `/health/ready` and `/metrics` are.
    public String adminUrl() {
        return broker.adminUrl();
    }

    public Path data() {
        return broker.data();
    }

    @Override
    public void close() {
        broker.close();
    }
}
