package io.sluice.simulation.cluster;

import io.sluice.record.RecordBatch;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What clients have sent, had acknowledged and read: the truth against which the cluster is held. Owned by its run.
///
/// A batch is known by its checksum, since no two have the same content.
public final class History {
    private final Map<PartitionLife, OfPartition> partitions = new HashMap<>();

    /// One batch of a producer.
    public static final class Sent {
        private final PartitionLife partition;
        private final String producer;
        private final int number;
        private final int checksum;
        private final boolean safe;
        private long ackedAt = -1;

        /// @param number counts the producer's batches for this partition
        /// @param safe sent with `acks=all` by an idempotent producer
        public Sent(
                PartitionLife partition, String producer, int number, int checksum, boolean safe) {
            this.partition = partition;
            this.producer = producer;
            this.number = number;
            this.checksum = checksum;
            this.safe = safe;
        }

        public PartitionLife partition() {
            return partition;
        }

        public String producer() {
            return producer;
        }

        public int number() {
            return number;
        }

        public boolean isSafe() {
            return safe;
        }

        /// Its offset, or -1.
        public long ackedAt() {
            return ackedAt;
        }

        @Override
        public String toString() {
            return "batch " + number + " of " + producer + " for " + partition;
        }
    }

    /// A batch that is committed, because its ack or a reader has seen it so.
    public record Committed(long baseOffset, long nextOffset, int checksum, String proof) {}

    private static final class OfPartition {
        private final Map<Integer, Sent> sent = new HashMap<>();
        private final NavigableMap<Long, Committed> committed = new TreeMap<>();
    }

    private OfPartition of(PartitionLife id) {
        return partitions.computeIfAbsent(id, _ -> new OfPartition());
    }

    public void sent(Sent batch) {
        Sent twin = of(batch.partition).sent.put(batch.checksum, batch);
        if (twin != null) {
            throw new IllegalStateException(
                    "two batches with one checksum: " + batch + ", " + twin);
        }
    }

    /// The batch with this content, or null when no client has sent it.
    public @Nullable Sent find(PartitionLife partition, int checksum) {
        return of(partition).sent.get(checksum);
    }

    /// What was known of the place before; null when nothing was, or the same.
    @Nullable Committed acked(Sent batch, long baseOffset, int records) {
        batch.ackedAt = baseOffset;
        return commit(
                batch.partition,
                new Committed(baseOffset, baseOffset + records, batch.checksum, "ack of " + batch));
    }

    /// The same for what a reader got.
    @Nullable Committed read(PartitionLife partition, RecordBatch batch, String reader) {
        return commit(
                partition,
                new Committed(
                        batch.baseOffset(),
                        batch.nextOffset(),
                        batch.checksum(),
                        "read by " + reader));
    }

    private @Nullable Committed commit(PartitionLife partition, Committed now) {
        NavigableMap<Long, Committed> all = of(partition).committed;
        Map.Entry<Long, Committed> before = all.floorEntry(now.nextOffset() - 1);
        if (before == null || before.getValue().nextOffset() <= now.baseOffset()) {
            all.put(now.baseOffset(), now);
            return null;
        }
        Committed known = before.getValue();
        return known.checksum() == now.checksum() && known.baseOffset() == now.baseOffset()
                ? null
                : known;
    }

    /// What is committed at this offset, if that is known.
    @Nullable Committed at(PartitionLife partition, long baseOffset) {
        return of(partition).committed.get(baseOffset);
    }

    /// In the order of their offsets.
    public Collection<Committed> committed(PartitionLife partition) {
        return Collections.unmodifiableCollection(of(partition).committed.values());
    }
}
