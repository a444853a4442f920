package io.sluice.controller;

import java.util.ArrayList;
import java.util.List;

/// Where a partition's replicas are, which of them count, and which one leads. Immutable.
///
/// @param replicas in the order of preference: the first is to lead when it can
/// @param leader the broker, or [#NONE]
/// @param leaderEpoch counts the terms of office: grows whenever a leader begins or ends its term, and when a replica is taken away
/// @param inSync those that have everything committed; the leader is one of them. Without a leader, those that may lead when they come back: empty
///     only when the last of them came back without its data, which leaves the choice to an operator
/// @param eligible left the in-sync set when it was already too small for anything to be committed: they have everything committed, too (KIP-966)
/// @param unforced may have what is committed in the page cache alone, though the topic is not kept there any more: of those that had everything committed when that ended, the ones that have it
///     since then without a break
/// @param adding of the replicas, those that a move has added and that have not caught up
/// @param removing of the replicas, those that leave when the move is done
/// @param change counts the changes of this plan, for compare-and-set by the leader (Kafka's partition epoch)
public record PartitionPlan(
        List<Integer> replicas,
        int leader,
        int leaderEpoch,
        List<Integer> inSync,
        List<Integer> eligible,
        List<Integer> unforced,
        List<Integer> adding,
        List<Integer> removing,
        int change) {
    /// No broker leads.
    public static final int NONE = -1;

    public PartitionPlan {
        replicas = List.copyOf(replicas);
        inSync = List.copyOf(inSync);
        eligible = List.copyOf(eligible);
        unforced = unforced.isEmpty() ? unforced : keepAny(unforced, inSync, eligible);
        adding = List.copyOf(adding);
        removing = List.copyOf(removing);
    }

    /// Of a topic that was never kept in the page cache.
    public PartitionPlan(
            List<Integer> replicas,
            int leader,
            int leaderEpoch,
            List<Integer> inSync,
            List<Integer> eligible,
            List<Integer> adding,
            List<Integer> removing,
            int change) {
        this(replicas, leader, leaderEpoch, inSync, eligible, List.of(), adding, removing, change);
    }

    /// A new partition: the first replica leads, and all are in sync, since there is nothing to have.
    public static PartitionPlan fresh(List<Integer> replicas) {
        return new PartitionPlan(
                replicas, replicas.getFirst(), 0, replicas, List.of(), List.of(), List.of(), 0);
    }

    public boolean hasLeader() {
        return leader != NONE;
    }

    public boolean isMoving() {
        return !adding.isEmpty() || !removing.isEmpty();
    }

    /// The replicas that stay when a move is done: all, when there is none.
    List<Integer> staying() {
        return without(replicas, removing);
    }

    /// The replicas that were there before a move.
    List<Integer> settled() {
        return without(replicas, adding);
    }

    /// A new term of office; [#NONE] ends one without a successor.
    PartitionPlan led(int by, List<Integer> newInSync, List<Integer> newEligible) {
        return new PartitionPlan(
                replicas,
                by,
                leaderEpoch + 1,
                newInSync,
                newEligible,
                unforced,
                adding,
                removing,
                change + 1);
    }

    PartitionPlan counting(List<Integer> newInSync, List<Integer> newEligible) {
        return new PartitionPlan(
                replicas,
                leader,
                leaderEpoch,
                newInSync,
                newEligible,
                unforced,
                adding,
                removing,
                change + 1);
    }

    /// Other replicas. Where one goes a new term begins, as in Kafka: it deletes what it has, and may be added again at once; a fetch of its time before would count for what it does not have.
    PartitionPlan placed(
            List<Integer> newReplicas, List<Integer> newAdding, List<Integer> newRemoving) {
        boolean oneGoes = !newReplicas.containsAll(replicas);
        return new PartitionPlan(
                newReplicas,
                leader,
                oneGoes ? leaderEpoch + 1 : leaderEpoch,
                keep(inSync, newReplicas),
                keep(eligible, newReplicas),
                unforced,
                newAdding,
                newRemoving,
                change + 1);
    }

    /// Others whose page cache counts.
    PartitionPlan unforced(List<Integer> brokers) {
        return new PartitionPlan(
                replicas,
                leader,
                leaderEpoch,
                inSync,
                eligible,
                brokers,
                adding,
                removing,
                change + 1);
    }

    /// This plan as the one step after another, however many decisions have led to it.
    PartitionPlan after(PartitionPlan before) {
        if (equals(before)) {
            return this;
        }
        int term = leaderEpoch == before.leaderEpoch ? leaderEpoch : before.leaderEpoch + 1;
        return new PartitionPlan(
                replicas,
                leader,
                term,
                inSync,
                eligible,
                unforced,
                adding,
                removing,
                before.change + 1);
    }

    static List<Integer> without(List<Integer> brokers, List<Integer> others) {
        List<Integer> rest = new ArrayList<>(brokers);
        rest.removeAll(others);
        return rest;
    }

    static List<Integer> keep(List<Integer> brokers, List<Integer> others) {
        List<Integer> rest = new ArrayList<>(brokers);
        rest.retainAll(others);
        return rest;
    }

    /// Who has everything committed is not kept among the unforced for longer than that.
    private static List<Integer> keepAny(
            List<Integer> brokers, List<Integer> some, List<Integer> others) {
        return brokers.stream()
                .filter(broker -> some.contains(broker) || others.contains(broker))
                .toList();
    }
}
