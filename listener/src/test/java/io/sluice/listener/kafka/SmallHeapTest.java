package io.sluice.listener.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.Sluice;
import io.sluice.testing.SluiceExtension;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A process with a heap of 128 MB reads a corpus that is four times as large, and arrives packed: a megabyte of a batch is a hundred of documents.
@ExtendWith(SluiceExtension.class)
@Timeout(180)
class SmallHeapTest {
    private static final int DOCUMENTS = 256;
    private static final int LENGTH = 2 << 20;

    @Test
    @DisplayName("B3: what nobody has room for is not in memory, however well it was packed")
    void aCorpusLargerThanTheHeapIsReadToTheEnd(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            send(sluice, topic.name);
            Process worker =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-Xmx128m",
                                    "-XX:+UseSerialGC",
                                    "-XX:+ExitOnOutOfMemoryError",
                                    "-cp",
                                    System.getProperty("java.class.path")
                                            .replace("\n", File.pathSeparator),
                                    SmallHeapWorker.class.getName(),
                                    sluice.bootstrap(),
                                    topic.name,
                                    Integer.toString(DOCUMENTS))
                            .redirectErrorStream(true)
                            .start();
            try {
                String said =
                        new String(worker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(worker.waitFor()).as(said).isZero();
                assertThat(said).contains("read " + (long) DOCUMENTS * LENGTH + " ");
            } finally {
                worker.destroyForcibly().waitFor();
            }
        }
    }

    private static void send(Sluice sluice, String topic) {
        String document = "so say we all ".repeat(LENGTH / 14 + 1).substring(0, LENGTH);
        Map<String, Object> packed =
                Map.of(
                        "bootstrap.servers",
                        sluice.bootstrap(),
                        "compression.type",
                        "gzip",
                        "batch.size",
                        1 << 20,
                        "linger.ms",
                        1_000,
                        "max.request.size",
                        2 * LENGTH);
        try (var producer =
                new KafkaProducer<>(packed, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < DOCUMENTS; i++) {
                var _ = producer.send(new ProducerRecord<>(topic, document));
            }
            producer.flush();
        }
    }
}
