package io.sluice.replication;

import io.sluice.partition.FetchPosition;
import io.sluice.partition.Partition;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The partitions that a fetcher copies from one leader. It knows which of them have changed since the leader was last told, so that a round costs as much as has happened, however many partitions there are.
///
/// Pure. Owned by its fetcher.
final class FollowedPartitions {
    private final Map<PartitionId, Followed> byId = new LinkedHashMap<>();
    private final Map<Place, Followed> byPlace = new HashMap<>();

    /// At least all of whom the leader has not heard where they stand now.
    private final Set<Followed> changed = new LinkedHashSet<>();

    private final Set<Followed> heldBack = new LinkedHashSet<>();
    private int ready;

    /// How the leader names a partition.
    private record Place(UUID topic, int index) {}

    boolean isEmpty() {
        return byId.isEmpty();
    }

    @Nullable Followed find(PartitionId id) {
        return byId.get(id);
    }

    @Nullable Followed at(UUID topic, int index) {
        return byPlace.get(new Place(topic, index));
    }

    boolean has(Followed one) {
        return byId.get(one.partition().id()) == one;
    }

    Followed add(Partition partition, int leaderEpoch) {
        Followed fresh = new Followed(partition, leaderEpoch);
        byId.put(partition.id(), fresh);
        byPlace.put(new Place(partition.topicId(), partition.id().index()), fresh);
        return fresh;
    }

    @Nullable Followed remove(PartitionId id) {
        Followed gone = byId.remove(id);
        if (gone != null) {
            byPlace.remove(new Place(gone.topicId(), gone.index()));
            changed.remove(gone);
            heldBack.remove(gone);
            ready -= gone.position() == null ? 0 : 1;
        }
        return gone;
    }

    void clear() {
        byId.clear();
        byPlace.clear();
        changed.clear();
        heldBack.clear();
        ready = 0;
    }

    void stands(Followed one, FetchPosition at) {
        ready += one.position() == null ? 1 : 0;
        one.stands(at);
        changed.add(one);
    }

    /// What comes next is being worked on, or not known.
    void moves(Followed one) {
        ready -= one.position() == null ? 0 : 1;
        one.moves();
        changed.add(one);
    }

    /// It moves here, and others need the network: it goes on then.
    void holdBack(Followed one, long untilNanos) {
        moves(one);
        one.holdBack(untilNanos);
        heldBack.add(one);
    }

    void goOn(Followed one, FetchPosition at) {
        heldBack.remove(one);
        stands(one, at);
    }

    /// How long until somebody who is held back may go on, and not longer than this.
    long heldBackNanos(long nowNanos, long atMost) {
        long least = atMost;
        for (Followed one : heldBack) {
            least = one.heldBackNanos(nowNanos, least);
        }
        return least;
    }

    boolean isAnyReady() {
        return ready > 0;
    }

    /// Somebody could be fetched, and the leader does not know of it.
    boolean isAnyUntold() {
        for (Followed one : changed) {
            if (one.position() != null && !one.isTold()) {
                return true;
            }
        }
        return false;
    }

    /// The leader knows nothing any more.
    void forgetTold() {
        for (Followed one : byId.values()) {
            one.forgetTold();
            changed.add(one);
        }
    }

    /// Those of whom the leader may have to hear; it will, before this is asked again.
    List<Followed> takeChanged() {
        List<Followed> taken = new ArrayList<>(changed);
        changed.clear();
        return taken;
    }
}
