package io.sluice.listener.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.SmallHeap;
import io.sluice.testing.Sluice;
import io.sluice.testing.SluiceExtension;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A process with a heap of 128 MB reads a corpus that is more than twice as large, and arrives packed: a megabyte of a batch is a hundred of documents.
@ExtendWith(SluiceExtension.class)
@Timeout(180)
class SmallHeapTest {
    private static final int DOCUMENTS = 160;
    private static final int LENGTH = 2 << 20;

    @Test
    @DisplayName("B3: what nobody has room for is not in memory, however well it was packed")
    void aCorpusLargerThanTheHeapIsReadToTheEnd(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            send(sluice, topic.name);
            String said =
                    SmallHeap.run(
                            "128m",
                            SmallHeapWorker.class,
                            sluice.bootstrap(),
                            topic.name,
                            Integer.toString(DOCUMENTS));
            assertThat(said).contains("read " + (long) DOCUMENTS * LENGTH + " ");
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
