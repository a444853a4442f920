package io.sluice.controller;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Chooses leaders, and says who counts as in sync when brokers go. Pure.
///
/// ```
///   leader is live ─▶ its disk is full, and that of another live in-sync replica is not?
///                     yes ──────────────────────▶ the first such one leads, in sync are all as before
///                     no ───────────────────────▶ stays; in-sync set without those that are not live
///   leader is gone ─▶ a live in-sync replica? ──▶ leads: the first in the order of preference, those with room before those without
///                     else a live eligible one? ▶ leads, alone in sync (KIP-966)
///                     else unclean allowed? ────▶ the first live one leads, and data is lost
///                     else ─────────────────────▶ nobody leads; the in-sync set stays as it was
/// ```
/// Whoever leaves the in-sync set when that becomes too small for anything to be committed has everything committed, too: it stays eligible until the set is
/// large enough again.
final class Elections {
    private Elections() {}

    /// The plan when only these brokers are live, and all of them have room.
    static PartitionPlan settle(PartitionPlan plan, IntPredicate live, TopicRules rules) {
        return settle(plan, live, _ -> false, rules);
    }

    /// The plan when only these brokers are live.
    ///
    /// @param full whose disk has no room
    static PartitionPlan settle(
            PartitionPlan plan, IntPredicate live, IntPredicate full, TopicRules rules) {
        List<Integer> inSync = only(plan.inSync(), live);
        if (plan.hasLeader() && live.test(plan.leader())) {
            Integer roomier =
                    full.test(plan.leader()) ? firstOf(plan, only(inSync, full.negate())) : null;
            if (roomier != null) {
                return plan.led(roomier, inSync, eligible(plan, inSync, rules));
            }
            return inSync.equals(plan.inSync())
                    ? plan
                    : plan.counting(inSync, eligible(plan, inSync, rules));
        }
        Integer successor = bestOf(plan, inSync, full);
        if (successor != null) {
            return plan.led(successor, inSync, eligible(plan, inSync, rules));
        }
        Integer lastHope = bestOf(plan, only(plan.eligible(), live), full);
        if (lastHope != null) {
            List<Integer> alone = List.of(lastHope);
            return plan.led(lastHope, alone, eligible(plan, alone, rules));
        }
        if (rules.uncleanElection()) {
            PartitionPlan unclean = unclean(plan, live);
            if (unclean != null) {
                return unclean;
            }
        }
        return plan.hasLeader()
                ? plan.led(PartitionPlan.NONE, plan.inSync(), plan.eligible())
                : plan;
    }

    /// A live broker that is about to stop hands over what it leads and leaves the in-sync set, where another live one is in sync.
    ///
    /// @param full whose disk has no room: leads only where no other can
    static PartitionPlan handOver(
            PartitionPlan plan,
            int broker,
            IntPredicate live,
            IntPredicate full,
            TopicRules rules) {
        IntPredicate others = other -> other != broker && live.test(other);
        List<Integer> inSync = only(plan.inSync(), others);
        boolean stays = plan.hasLeader() && plan.leader() != broker && others.test(plan.leader());
        if (!plan.inSync().contains(broker) || inSync.isEmpty()) {
            return plan;
        }
        Integer successor = stays ? null : bestOf(plan, inSync, full);
        List<Integer> eligible = eligible(plan, inSync, rules);
        return successor == null
                ? plan.counting(inSync, eligible)
                : plan.led(successor, inSync, eligible);
    }

    /// Its first replica leads, if it can; otherwise the plan as it is.
    ///
    /// @param able who is live and can take messages
    static PartitionPlan preferred(PartitionPlan plan, IntPredicate able) {
        int first = plan.staying().getFirst();
        boolean possible =
                plan.hasLeader()
                        && plan.leader() != first
                        && plan.inSync().contains(first)
                        && able.test(first);
        return possible ? plan.led(first, plan.inSync(), plan.eligible()) : plan;
    }

    /// Anyone who is live leads, whatever it has; null when nobody is.
    static @Nullable PartitionPlan unclean(PartitionPlan plan, IntPredicate live) {
        Integer anyone = firstOf(plan, only(plan.replicas(), live));
        return anyone == null ? null : plan.led(anyone, List.of(anyone), List.of());
    }

    /// The new leader may lack what was committed.
    static boolean losesData(PartitionPlan before, PartitionPlan after) {
        return after.hasLeader()
                && after.leaderEpoch() != before.leaderEpoch()
                && !before.inSync().contains(after.leader())
                && !before.eligible().contains(after.leader());
    }

    /// A broker does not have any more what it had.
    ///
    /// @param keepLast if nobody else has it either, better somebody who may have it than nobody
    static PartitionPlan withoutData(PartitionPlan plan, int broker, boolean keepLast) {
        if (!plan.inSync().contains(broker) && !plan.eligible().contains(broker)) {
            return plan;
        }
        List<Integer> gone = List.of(broker);
        List<Integer> inSync = PartitionPlan.without(plan.inSync(), gone);
        List<Integer> eligible = PartitionPlan.without(plan.eligible(), gone);
        if (inSync.isEmpty()) {
            inSync = eligible;
            eligible = List.of();
        }
        return inSync.isEmpty() && keepLast ? plan : plan.counting(inSync, eligible);
    }

    /// The plan under other settings of its topic, in the same write as they.
    ///
    /// - What a leader has asked for by the rules before does not count any more: one that shrinks its in-sync set, and goes on committing with those who are left, must know when that set is too small.
    /// - Where a leader may commit with those who are in sync, the others are not eligible any more: else one of them could lead without what was committed since. Without a leader nothing is.
    /// - Where what was committed may be in the page cache alone, it still may be when the topic is not kept there any more. A new term begins: a follower that has not heard of the end of the old one confirms
    ///   nothing, and whoever follows in the new one forces what it has before it asks.
    static PartitionPlan ruled(PartitionPlan plan, TopicRules before, TopicRules rules) {
        if (rules.equals(before)) {
            return plan;
        }
        PartitionPlan changed = plan;
        if (before.losesUnflushed() && !rules.losesUnflushed()) {
            List<Integer> having = new ArrayList<>(plan.inSync());
            having.addAll(plan.eligible());
            changed = plan.led(plan.leader(), plan.inSync(), plan.eligible()).unforced(having);
        }
        boolean commits = plan.hasLeader() && plan.inSync().size() >= rules.minInSync(plan);
        return changed.counting(plan.inSync(), commits ? List.of() : plan.eligible()).after(plan);
    }

    /// The plan when its rules are noted for the first time. Until then every broker went by its own: the leader may have committed what those who are eligible by the controller's rules lack.
    static PartitionPlan firstRuled(PartitionPlan plan) {
        return plan.counting(plan.inSync(), plan.hasLeader() ? List.of() : plan.eligible());
    }

    /// Who is outside of the in-sync set and has everything committed, because nothing could be committed since it left.
    static List<Integer> eligible(PartitionPlan plan, List<Integer> inSync, TopicRules rules) {
        if (inSync.size() >= rules.minInSync(plan)) {
            return List.of();
        }
        List<Integer> eligible = new ArrayList<>();
        for (int replica : plan.replicas()) {
            boolean had = plan.inSync().contains(replica) || plan.eligible().contains(replica);
            if (had && !inSync.contains(replica)) {
                eligible.add(replica);
            }
        }
        return eligible;
    }

    private static List<Integer> only(List<Integer> brokers, IntPredicate fit) {
        List<Integer> rest = new ArrayList<>(brokers.size());
        for (int broker : brokers) {
            if (fit.test(broker)) {
                rest.add(broker);
            }
        }
        return rest;
    }

    /// The first with room; where none has, the first.
    private static @Nullable Integer bestOf(
            PartitionPlan plan, List<Integer> candidates, IntPredicate full) {
        Integer roomy = firstOf(plan, only(candidates, full.negate()));
        return roomy == null ? firstOf(plan, candidates) : roomy;
    }

    private static @Nullable Integer firstOf(PartitionPlan plan, List<Integer> candidates) {
        for (Integer replica : plan.replicas()) {
            if (candidates.contains(replica)) {
                return replica;
            }
        }
        return null;
    }
}
