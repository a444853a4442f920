package io.sluice.listener.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/// Whether a broker answers. Kafka's clients do not say when none does: they go on looking, and polls bring nothing, as if there were nothing.
///
/// A member of a group hears from its broker at each heartbeat at least. So whoever has heard nothing for several of them is cut off, however many connections it
/// believes to have.
///
/// Thread-safe. Time comes in with the call.
final class Contact {
    private static final String HEARD = "incoming-byte-total";
    private static final int HEARTBEATS = 5;
    private static final long LOOKS_EVERY = Duration.ofMillis(200).toNanos();

    private final Supplier<? extends Map<MetricName, ? extends Metric>> metrics;
    private final String servers;
    private final long patienceNanos;
    private double heard = -1;
    private long heardNanos;
    private long lookedNanos;

    /// @param metrics those of the client
    Contact(
            KafkaSettings settings,
            Supplier<? extends Map<MetricName, ? extends Metric>> metrics,
            long nowNanos) {
        this.metrics = metrics;
        this.servers = String.valueOf(settings.client().get("bootstrap.servers"));
        this.patienceNanos = settings.heartbeat().multipliedBy(HEARTBEATS).toNanos();
        this.heardNanos = nowNanos;
        this.lookedNanos = nowNanos - LOOKS_EVERY;
    }

    /// In a few words, that nobody answers.
    synchronized @Nullable String silence(long nowNanos) {
        if (nowNanos - lookedNanos >= LOOKS_EVERY) {
            look(nowNanos);
        }
        long nanos = nowNanos - heardNanos;
        return nanos < patienceNanos
                ? null
                : "no broker of %s has answered for %d s"
                        .formatted(servers, Duration.ofNanos(nanos).toSeconds());
    }

    /// The client has nothing to ask, so that nobody has anything to answer.
    synchronized void rest(long nowNanos) {
        heardNanos = nowNanos;
    }

    private void look(long nowNanos) {
        lookedNanos = nowNanos;
        double bytes = 0;
        boolean tells = false;
        for (Map.Entry<MetricName, ? extends Metric> metric : metrics.get().entrySet()) {
            // Those with a node are parts of the one without.
            if (metric.getKey().name().equals(HEARD)
                    && !metric.getKey().tags().containsKey("node-id")
                    && metric.getValue().metricValue() instanceof Number number) {
                bytes += number.doubleValue();
                tells = true;
            }
        }
        if (!tells || bytes != heard) {
            heard = bytes;
            heardNanos = nowNanos;
        }
    }
}
