package io.sluice.client;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// The records of one poll that are still to be worked on, partition by partition, each in order.
///
/// Owned by its loop's thread.
final class Batch<K, V> {
    private final Map<TopicPartition, Deque<ConsumerRecord<K, V>>> waiting = new LinkedHashMap<>();
    private final Map<TopicPartition, OffsetAndMetadata> ends;

    Batch(ConsumerRecords<K, V> records) {
        for (TopicPartition partition : records.partitions()) {
            waiting.put(partition, new ArrayDeque<>(records.records(partition)));
        }
        ends = new HashMap<>(records.nextOffsets());
        // Older brokers and hand-made records come without next offsets.
        waiting.forEach(
                (partition, rest) ->
                        ends.computeIfAbsent(partition, absent -> after(rest.getLast())));
    }

    /// The record to work on next; null when there is none left.
    @Nullable ConsumerRecord<K, V> head() {
        for (Deque<ConsumerRecord<K, V>> rest : waiting.values()) {
            return rest.getFirst();
        }
        return null;
    }

    /// Takes the head away.
    ///
    /// @return where its partition stands now. After the partition's last record this is beyond control records that
    ///     follow it, so that no lag remains.
    OffsetAndMetadata remove(ConsumerRecord<K, V> head) {
        TopicPartition partition = partitionOf(head);
        Deque<ConsumerRecord<K, V>> rest = waiting.get(partition);
        if (rest == null || rest.getFirst().offset() != head.offset()) {
            throw new IllegalStateException("Not the head of its partition: " + head);
        }
        rest.removeFirst();
        if (!rest.isEmpty()) {
            return after(head);
        }
        waiting.remove(partition);
        OffsetAndMetadata end = ends.get(partition);
        return end == null ? after(head) : end;
    }

    /// Forgets what belongs to partitions that have gone.
    void drop(Collection<TopicPartition> partitions) {
        waiting.keySet().removeAll(partitions);
    }

    boolean holds(ConsumerRecord<K, V> record) {
        return waiting.containsKey(partitionOf(record));
    }

    /// Where each partition stands once the whole batch is done.
    Map<TopicPartition, OffsetAndMetadata> ends() {
        return ends;
    }

    /// Where each partition with records left has to start again.
    Map<TopicPartition, OffsetAndMetadata> untouched() {
        Map<TopicPartition, OffsetAndMetadata> starts = new HashMap<>();
        waiting.forEach(
                (partition, rest) ->
                        starts.put(partition, new OffsetAndMetadata(rest.getFirst().offset())));
        return starts;
    }

    static TopicPartition partitionOf(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }

    private static OffsetAndMetadata after(ConsumerRecord<?, ?> record) {
        return new OffsetAndMetadata(record.offset() + 1, record.leaderEpoch(), "");
    }
}
