package io.sluice.outbox.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

/// What kafka-clients says, and what it means for the lanes.
class RefusalTest {
    /// Asked of kafka-clients itself, whose words these are.
    @Test
    void aBrokerWhoseNameIsNotResolvedIsNotReached() {
        try (Publisher publisher = publisher("no-such-host.invalid:9092")) {
            assertThat(publisher.prepare())
                    .get()
                    .isInstanceOf(Refusal.Transport.class)
                    .asString()
                    .contains("bootstrap");
        }
        var unknown = new KafkaException("x", new ConfigException("Unknown host in bootstrap"));
        assertThat(Refusal.of(unknown)).isInstanceOf(Refusal.Transport.class);
    }

    @Test
    void anAddressThatIsNoneIsAWrongSetting() {
        try (Publisher publisher = publisher("no port")) {
            assertThat(publisher.prepare()).get().isInstanceOf(Refusal.OfConfiguration.class);
        }
        assertThat(Refusal.of(new ConfigException("Invalid url in bootstrap.servers")))
                .isInstanceOf(Refusal.OfConfiguration.class);
    }

    private static Publisher publisher(String bootstrap) {
        return new Publisher(
                "t",
                event -> Headers.numbered("t", event),
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap));
    }
}
