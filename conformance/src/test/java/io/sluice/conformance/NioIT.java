package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The listener without epoll, as on macOS and Windows: plain NIO serves the same clients.
@Tag("nio")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class NioIT {
    private static final int COUNT = 20_000;

    private final SluiceProcess sluice;
    private final Clients clients;

    NioIT(@TempDir Path folder) {
        sluice =
                new SluiceProcess(
                                folder,
                                folder.resolve("data"),
                                Map.of("JDK_JAVA_OPTIONS", "-Dio.netty.transport.noNative=true"),
                                List.of())
                        .start();
        clients = new Clients(sluice.broker());
    }

    @AfterEach
    void end() {
        sluice.close();
    }

    @Test
    void clientsAreServedAndNothingIsLostByAKill() {
        assertThat(sluice.output()).contains("(nio)").doesNotContain("(epoll)");
        String topic = clients.createTopic("nio", 2);
        try (Producer<String, String> producer =
                clients.producer(Map.of(ProducerConfig.BATCH_SIZE_CONFIG, 256 << 10))) {
            // Some 20 MB in large batches: more than a socket takes at once, and ranges of files.
            Clients.sendAll(
                    producer,
                    COUNT,
                    i -> new ProducerRecord<>(topic, i % 2, null, i + "x".repeat(1_000)));
        }
        assertAllThere(topic);

        sluice.kill();
        sluice.start();

        assertAllThere(topic);
        try (Consumer<String, String> member =
                clients.consumer(Map.of(ConsumerConfig.GROUP_ID_CONFIG, "members"))) {
            member.subscribe(List.of(topic));
            assertThat(Clients.read(member, COUNT)).hasSize(COUNT);
            member.commitSync();
        }
    }

    private void assertAllThere(String topic) {
        assertThat(clients.readAll(topic, 2, COUNT))
                .hasSize(COUNT)
                .extracting(ConsumerRecord::value)
                .allSatisfy(value -> assertThat(value).endsWith("x".repeat(1_000)))
                .doesNotHaveDuplicates();
    }
}
