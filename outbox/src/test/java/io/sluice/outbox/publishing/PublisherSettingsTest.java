package io.sluice.outbox.publishing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Settings of the producer under which events would be lost, repeated or exchanged.
class PublisherSettingsTest {
    @ParameterizedTest
    @CsvSource({
        "acks, 1",
        "enable.idempotence, false",
        "max.in.flight.requests.per.connection, 5",
        "partitioner.ignore.keys, true"
    })
    void whatWouldBreakAPromiseIsRefused(String name, String value) {
        assertThatThrownBy(() -> publisher(Map.of(name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(name + "=" + value)
                .hasMessageEndingWith("remove the setting");
    }

    /// One that spreads the events of an aggregate over partitions.
    @Test
    void anotherPartitionerIsRefusedWithBothGuarantees() {
        Map<String, Object> other =
                Map.of("partitioner.class", RoundRobinPartitioner.class.getName());
        assertThatThrownBy(() -> publisher(other))
                .hasMessageContaining("partitioner.class=" + RoundRobinPartitioner.class.getName());
        assertThatThrownBy(
                        () ->
                                new TransactionalPublisher(
                                        "t", "i", 64, with(other), _ -> true, new LeftBehind()))
                .hasMessageContaining("partitioner.class");
    }

    @Test
    void whatIsSaidAsItIsAnywayIsTaken() {
        publisher(Map.of("acks", "all", "partitioner.ignore.keys", "false")).close();
    }

    private static Publisher publisher(Map<String, Object> settings) {
        return new Publisher("t", event -> Headers.numbered("t", event), with(settings));
    }

    private static Map<String, Object> with(Map<String, ?> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", "localhost:1");
        return all;
    }
}
