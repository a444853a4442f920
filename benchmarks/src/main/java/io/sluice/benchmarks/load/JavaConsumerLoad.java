package io.sluice.benchmarks.load;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// One Java consumer with default settings that reads a topic from its beginning, and again when it has come to the end.
///
/// Owned by the thread that runs it.
public final class JavaConsumerLoad implements BulkLoad {
    private static final Duration POLL = Duration.ofMillis(200);

    private final Consumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;

    public JavaConsumerLoad(String bootstrap, String topic, int partitionCount) {
        consumer =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                bootstrap,
                                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                                "earliest"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        partitions =
                IntStream.range(0, partitionCount)
                        .mapToObj(partition -> new TopicPartition(topic, partition))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /// Reads for this long and counts the bytes of the values.
    @Override
    public Transfer runFor(Duration duration) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        long started = System.nanoTime();
        long deadline = started + duration.toNanos();
        long bytes = 0;
        while (System.nanoTime() < deadline) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            for (ConsumerRecord<byte[], byte[]> record : records) {
                bytes += record.serializedValueSize();
            }
            for (TopicPartition partition : records.partitions()) {
                if (consumer.position(partition) >= ends.getOrDefault(partition, 0L)) {
                    consumer.seekToBeginning(List.of(partition));
                }
            }
        }
        return new Transfer(bytes, Duration.ofNanos(System.nanoTime() - started));
    }

    @Override
    public void close() {
        consumer.close();
    }
}
