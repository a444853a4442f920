package io.sluice.controller;

import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Where a [Rebalance] would have a partition's replicas, the preferred leader first. Owned by whoever plans with it.
///
/// Brokers go by their places among the usable ones.
final class Arrangement {
    /// The place of a broker that is not usable: away, stopping or drained.
    static final int NOWHERE = -1;

    private final PartitionId partition;
    private final Shares topic;
    private final List<Integer> before;
    private final List<Integer> replicas;
    private final int[] places;
    private final boolean fixed;

    /// @param before where they are, or where they go already
    /// @param fixed they are on the move and stay as they are
    Arrangement(
            PartitionId partition,
            Shares topic,
            List<Integer> before,
            List<Integer> usable,
            boolean fixed) {
        this.partition = partition;
        this.topic = topic;
        this.before = before;
        this.replicas = new ArrayList<>(before);
        this.places = before.stream().mapToInt(usable::indexOf).toArray();
        this.fixed = fixed;
    }

    PartitionId partition() {
        return partition;
    }

    /// What brokers have of its topic.
    Shares topic() {
        return topic;
    }

    List<Integer> replicas() {
        return replicas;
    }

    boolean isFixed() {
        return fixed;
    }

    boolean isChanged() {
        return !replicas.equals(before);
    }

    int size() {
        return places.length;
    }

    int place(int index) {
        return places[index];
    }

    /// Of the preferred leader.
    int first() {
        return places[0];
    }

    boolean has(int place) {
        return indexOf(place) >= 0;
    }

    boolean isOnUsableOnly() {
        return !has(NOWHERE);
    }

    /// Of its replicas on usable brokers.
    int[] places() {
        return Arrays.stream(places).filter(place -> place != NOWHERE).toArray();
    }

    private int indexOf(int place) {
        for (int i = 0; i < places.length; i++) {
            if (places[i] == place) {
                return i;
            }
        }
        return -1;
    }

    /// A replica goes to another broker, with its rank.
    void replace(int from, int to, int broker) {
        int index = indexOf(from);
        places[index] = to;
        replicas.set(index, broker);
    }

    /// Another of its replicas becomes the preferred leader.
    void prefer(int place) {
        int index = indexOf(place);
        places[index] = places[0];
        places[0] = place;
        int broker = replicas.get(index);
        replicas.set(index, replicas.getFirst());
        replicas.set(0, broker);
    }
}
