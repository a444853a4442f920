package io.sluice.record;

/// A partition of a topic, by name and number. Immutable.
public record PartitionId(String topic, int index) implements Comparable<PartitionId> {
    @Override
    public int compareTo(PartitionId other) {
        int byTopic = topic.compareTo(other.topic);
        return byTopic != 0 ? byTopic : Integer.compare(index, other.index);
    }

    /// As Kafka writes it, and the name of the partition's folder: `orders-3`.
    @Override
    public String toString() {
        return topic + "-" + index;
    }
}
