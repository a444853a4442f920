package io.sluice.listener.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.Test;

/// How a client that says nothing is found to be cut off.
class ContactTest {
    private final Map<MetricName, Metric> metrics = new HashMap<>();
    private final Contact contact =
            new Contact(
                    KafkaSettings.of(
                            Map.of(
                                    "bootstrap.servers",
                                    "somewhere:9092",
                                    "group.id",
                                    "g",
                                    "heartbeat.interval.ms",
                                    "2000"),
                            "orders"),
                    () -> metrics,
                    0);

    private void heard(Map<String, String> tags, double bytes) {
        var name = new MetricName("incoming-byte-total", "consumer-metrics", "", tags);
        metrics.put(
                name,
                new Metric() {
                    @Override
                    public MetricName metricName() {
                        return name;
                    }

                    @Override
                    public Object metricValue() {
                        return bytes;
                    }
                });
    }

    private static long seconds(long count) {
        return Duration.ofSeconds(count).toNanos();
    }

    @Test
    void fiveHeartbeatsWithoutAWordAreTrouble() {
        heard(Map.of("client-id", "c"), 100);
        assertThat(contact.silence(seconds(1))).isNull();
        assertThat(contact.silence(seconds(10))).isNull();
        assertThat(contact.silence(seconds(11)))
                .isEqualTo("no broker of somewhere:9092 has answered for 10 s");

        heard(Map.of("client-id", "c"), 101);
        assertThat(contact.silence(seconds(12))).isNull();
    }

    @Test
    void whoNeverHeardAnythingIsCutOffToo() {
        heard(Map.of("client-id", "c"), 0);
        assertThat(contact.silence(seconds(1))).isNull();
        assertThat(contact.silence(seconds(11))).isNotNull();
    }

    @Test
    void aClientThatDoesNotCountIsNoReasonToWorry() {
        heard(Map.of("client-id", "c", "node-id", "node-1"), 100);
        assertThat(contact.silence(seconds(100))).isNull();
    }

    @Test
    void whoRestsIsNotMissed() {
        heard(Map.of("client-id", "c"), 0);
        assertThat(contact.silence(seconds(1))).isNull();
        contact.rest(seconds(100));
        assertThat(contact.silence(seconds(105))).isNull();
        assertThat(contact.silence(seconds(111))).isNotNull();
    }
}
