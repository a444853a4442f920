package io.sluice.listener.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockShareConsumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.utils.Time;

/// Finds nothing, and hears nothing.
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // who waits must keep nobody out
final class Silence extends MockShareConsumer<byte[], byte[]> {
    final List<Duration> looks = new CopyOnWriteArrayList<>();
    final AtomicBoolean closed = new AtomicBoolean();
    private final Semaphore woken = new Semaphore(0);

    @Override
    public void wakeup() {
        woken.release();
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        looks.add(timeout);
        try {
            if (woken.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new WakeupException();
            }
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
        return ConsumerRecords.empty();
    }

    @Override
    public Map<MetricName, Metric> metrics() {
        var name = new MetricName("incoming-byte-total", "", "", Map.of());
        return Map.of(
                name,
                new KafkaMetric(
                        new Object(),
                        name,
                        (Gauge<Double>) (config, now) -> 7.0,
                        new MetricConfig(),
                        Time.SYSTEM));
    }

    @Override
    public void close() {
        closed.set(true);
    }
}
