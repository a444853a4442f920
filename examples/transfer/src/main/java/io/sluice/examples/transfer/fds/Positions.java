package io.sluice.examples.transfer.fds;

import io.sluice.outbox.consuming.DuplicateFilter;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/// How far a consumer is in each of its partitions: which events it has had is committed beside the offset, as its metadata, so that whoever gets the partition next
/// drops the same repetitions.
///
/// Owned by the consumer's thread.
final class Positions implements ConsumerRebalanceListener {
    /// An account's transfers are in one partition, so the rules need know no other.
    record Position(DuplicateFilter filter, Rules rules) {}

    private final Consumer<?, ?> consumer;
    private final Map<TopicPartition, Position> positions = new HashMap<>();

    Positions(Consumer<?, ?> consumer) {
        this.consumer = consumer;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> committed =
                consumer.committed(new HashSet<>(partitions));
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata last = committed.get(partition);
            DuplicateFilter filter = DuplicateFilter.from(last == null ? null : last.metadata());
            positions.put(partition, new Position(filter, new Rules()));
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        partitions.forEach(positions::remove);
    }

    Position of(ConsumerRecord<?, ?> record) {
        return of(new TopicPartition(record.topic(), record.partition()));
    }

    private Position of(TopicPartition partition) {
        Position position = positions.get(partition);
        if (position == null) {
            throw new IllegalStateException("a record of " + partition + ", which is not ours");
        }
        return position;
    }

    /// To be committed when all of these are done.
    Map<TopicPartition, OffsetAndMetadata> behind(ConsumerRecords<?, ?> records) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition partition : records.partitions()) {
            long last = records.records(partition).getLast().offset();
            String seen = of(partition).filter().state();
            offsets.put(partition, new OffsetAndMetadata(last + 1, seen));
        }
        return offsets;
    }
}
