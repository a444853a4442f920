package io.sluice.coordinator.groups;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// All that is known of a group but its offsets and the last signs of life. Immutable.
///
/// @param generation as last recorded; while a round is open, the one that is ending
/// @param members those who count now; outside a round the same as the generation's
/// @param round open while members are to join
/// @param syncs who has yet to ask for its assignment; null when all have
/// @param pending ids given out to those who have yet to join with them (KIP-394), with their deadlines
record Group(
        String id,
        Generation generation,
        Members members,
        @Nullable JoinRound round,
        @Nullable AwaitedSyncs syncs,
        Map<String, Long> pending) {

    /// A round of joining.
    ///
    /// @param isInitial of an empty group: ends at its deadline and not when all have joined, since nobody knows how many will come
    /// @param limitNanos how far newcomers can move the deadline of an initial round
    /// @param hasGrown whether a newcomer has joined since the deadline was last moved
    record JoinRound(boolean isInitial, long deadlineNanos, long limitNanos, boolean hasGrown) {}

    /// Members who have joined a generation but not yet fetched their assignment. At the deadline they are given up.
    record AwaitedSyncs(Set<String> missing, long deadlineNanos) {
        @Nullable AwaitedSyncs without(Set<String> memberIds) {
            Set<String> rest = new TreeSet<>(missing);
            rest.removeAll(memberIds);
            return rest.isEmpty() ? null : new AwaitedSyncs(rest, deadlineNanos);
        }

        AwaitedSyncs renaming(String oldId, String newId) {
            if (!missing.contains(oldId)) {
                return this;
            }
            Set<String> renamed = new TreeSet<>(missing);
            renamed.remove(oldId);
            renamed.add(newId);
            return new AwaitedSyncs(renamed, deadlineNanos);
        }
    }

    static Group unknown(String id) {
        return new Group(id, Generation.NONE, Members.NONE, null, null, Map.of());
    }

    /// As the log alone tells it: nobody waits, nothing is due.
    static Group restored(String id, Generation generation) {
        return new Group(id, generation, Members.restored(generation), null, null, Map.of());
    }

    GroupPhase phase() {
        if (round != null) {
            return GroupPhase.PREPARING_REBALANCE;
        }
        if (generation.isEmpty()) {
            return GroupPhase.EMPTY;
        }
        return generation.isAssigned() ? GroupPhase.STABLE : GroupPhase.COMPLETING_REBALANCE;
    }

    /// Of the members, or of the last ones; null for a group that only holds offsets.
    @Nullable String protocolType() {
        for (Member member : members.all()) {
            return member.protocolType();
        }
        return generation.protocolType();
    }

    boolean isLeader(String memberId) {
        return memberId.equals(generation.leader());
    }

    /// Nothing to remember, nothing logged.
    boolean isBlank() {
        return generation.number() == 0 && members.isEmpty() && pending.isEmpty() && round == null;
    }

    /// The longest that any member may take to rejoin.
    int rebalanceTimeoutMillis() {
        int longest = 0;
        for (Member member : members.all()) {
            longest = Math.max(longest, member.timeouts().rebalanceMillis());
        }
        return longest;
    }

    Group withGeneration(Generation next) {
        return new Group(id, next, members, round, syncs, pending);
    }

    Group withMembers(Members next) {
        return new Group(id, generation, next, round, syncs, pending);
    }

    Group withRound(@Nullable JoinRound next) {
        return new Group(id, generation, members, next, syncs, pending);
    }

    Group withSyncs(@Nullable AwaitedSyncs next) {
        return new Group(id, generation, members, round, next, pending);
    }

    /// Nobody waits for these any more.
    Group withoutAwaited(Set<String> memberIds) {
        return syncs == null ? this : withSyncs(syncs.without(memberIds));
    }

    Group withPending(String memberId, long deadlineNanos) {
        Map<String, Long> next = new LinkedHashMap<>(pending);
        next.put(memberId, deadlineNanos);
        return new Group(id, generation, members, round, syncs, next);
    }

    Group withoutPending(String memberId) {
        if (!pending.containsKey(memberId)) {
            return this;
        }
        Map<String, Long> next = new LinkedHashMap<>(pending);
        next.remove(memberId);
        return new Group(id, generation, members, round, syncs, next);
    }
}
