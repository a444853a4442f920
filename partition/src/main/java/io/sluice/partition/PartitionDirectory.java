package io.sluice.partition;

import io.sluice.log.TopicSettings;
import io.sluice.record.PartitionId;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Which partitions this broker has, and which shard owns each. Thread-safe: a concurrent map.
public final class PartitionDirectory {
    private final List<Shard> shards;
    private final Map<PartitionId, Partition> partitions = new ConcurrentHashMap<>();

    public PartitionDirectory(List<Shard> shards) {
        this.shards = List.copyOf(shards);
    }

    public @Nullable Partition find(PartitionId id) {
        return partitions.get(id);
    }

    /// A partition that has no other replica and leads itself.
    public Partition add(PartitionId id, UUID topicId, TopicSettings settings, int leaderEpoch) {
        return add(id, topicId, settings, Assignment.alone(0, leaderEpoch));
    }

    /// A partition that neither leads nor follows until it is told ([Partition#follow]).
    public Partition add(PartitionId id, UUID topicId, TopicSettings settings) {
        return add(id, topicId, settings, Assignment.NONE);
    }

    /// Neighbouring partitions of a topic go to different shards, so that one topic uses all cores.
    public Partition add(
            PartitionId id, UUID topicId, TopicSettings settings, Assignment assignment) {
        int slot = Math.floorMod(id.topic().hashCode() + id.index(), shards.size());
        Partition partition = shards.get(slot).add(id, topicId, settings, assignment);
        partitions.put(id, partition);
        return partition;
    }

    public @Nullable Partition remove(PartitionId id) {
        return partitions.remove(id);
    }

    public Collection<Partition> all() {
        return Collections.unmodifiableCollection(partitions.values());
    }

    public List<Shard> shards() {
        return shards;
    }
}
