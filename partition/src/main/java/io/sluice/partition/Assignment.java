package io.sluice.partition;

import io.sluice.record.PartitionId;
import java.util.List;

/// Who has a partition and who leads it, as the controller's plan says. Immutable.
///
/// Plans of one partition are ordered by `(leaderEpoch, change)`; an older one never takes the place of a newer one. A leader that [stands down][#stoodDown] does not come back in the same term.
///
/// @param leader the broker that leads, or [#NOBODY]
/// @param leaderEpoch counts the leaders; a batch carries that of the leader who wrote it
/// @param replicas in the order of preference
/// @param inSync those that have everything that is committed
/// @param change counts all changes of the plan of this partition, for compare-and-set
/// @param self this broker
public record Assignment(
        int leader,
        int leaderEpoch,
        List<Integer> replicas,
        List<Integer> inSync,
        int change,
        int self) {
    public static final int NOBODY = -1;

    /// Before the plan is known: older than every other.
    static final Assignment NONE =
            new Assignment(NOBODY, -1, List.of(), List.of(), -1, Integer.MIN_VALUE);

    public Assignment {
        replicas = List.copyOf(replicas);
        inSync = List.copyOf(inSync);
    }

    /// The only replica leads itself: a single node.
    public static Assignment alone(int self, int leaderEpoch) {
        return new Assignment(self, leaderEpoch, List.of(self), List.of(self), 0, self);
    }

    public boolean isLeaderHere() {
        return leader == self;
    }

    /// There is no other replica: the leader's own progress is everybody's.
    public boolean isAlone() {
        return replicas.size() == 1 && replicas.getFirst() == self;
    }

    /// For somebody who asked the wrong broker.
    String whoLeads(PartitionId id) {
        return leader == NOBODY
                ? id + " has no leader now."
                : id + " is led by broker " + leader + ".";
    }

    public boolean isNewerThan(Assignment other) {
        if (leaderEpoch != other.leaderEpoch) {
            return leaderEpoch > other.leaderEpoch;
        }
        return change != other.change
                ? change > other.change
                : leader == NOBODY && other.isLeaderHere();
    }

    /// What is left when this broker has lost its place, and cannot lead what the plan says that it does.
    Assignment stoodDown() {
        return isLeaderHere()
                ? new Assignment(NOBODY, leaderEpoch, replicas, inSync, change, self)
                : this;
    }

    /// The same leader's term with another in-sync set.
    Assignment withInSync(List<Integer> members, int newChange) {
        return new Assignment(leader, leaderEpoch, replicas, members, newChange, self);
    }
}
