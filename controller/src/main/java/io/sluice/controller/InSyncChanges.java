package io.sluice.controller;

import io.sluice.controller.InSyncAnswer.Flaw;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Checks what a leader asks for its in-sync set; and takes out whoever asks for a set without itself, because it has lost records. Pure.
///
/// A leader that is not the leader any more, or does not know the present plan, must not decide who counts (R5, KIP-903): the term, the change that it goes
/// by and the broker epoch of every member must be the present ones.
final class InSyncChanges {
    private InSyncChanges() {}

    /// @param changed null when nothing is to be written
    record Decision(@Nullable PartitionPlan changed, InSyncAnswer answer) {
        static Decision refuse(Flaw flaw, String sentence) {
            return new Decision(null, new InSyncAnswer.Refused(flaw, sentence));
        }
    }

    /// @param view for the brokers; the partition's plan may be newer
    /// @param mayJoin false for brokers that are about to stop
    static Decision decide(
            int broker,
            InSyncChange asked,
            PartitionPlan plan,
            TopicRules rules,
            ClusterView view,
            IntPredicate mayJoin) {
        Decision outdated = outdated(broker, asked, plan);
        if (outdated != null) {
            return outdated;
        }
        if (resigns(broker, asked)) {
            return resigned(broker, plan, rules, view);
        }
        List<Integer> inSync = new ArrayList<>();
        for (int replica : plan.replicas()) {
            if (asked.inSync().containsKey(replica)) {
                inSync.add(replica);
            }
        }
        if (inSync.size() != asked.inSync().size()) {
            return Decision.refuse(
                    Flaw.INVALID,
                    "The in-sync set "
                            + asked.inSync().keySet()
                            + " must have none but the replicas "
                            + plan.replicas()
                            + ".");
        }
        for (Map.Entry<Integer, Long> member : asked.inSync().entrySet()) {
            String flaw = ineligible(broker, member.getKey(), member.getValue(), view, mayJoin);
            if (flaw != null) {
                return Decision.refuse(Flaw.INELIGIBLE_REPLICA, flaw);
            }
        }
        PartitionPlan changed =
                plan.counting(inSync, Elections.eligible(plan, inSync, rules)).after(plan);
        return new Decision(changed, accepted(changed));
    }

    /// Whoever does not count itself has lost what it had, and is neither in sync nor eligible before its leader has seen that it has everything again. If it leads, whoever else has everything committed does instead, or nobody until one
    /// of those is back. Where there is no other, it stays, and is told so.
    private static Decision resigned(
            int broker, PartitionPlan plan, TopicRules rules, ClusterView view) {
        PartitionPlan known = Elections.withoutData(plan, broker, true);
        if (known.equals(plan)) {
            return new Decision(null, accepted(plan));
        }
        if (plan.leader() != broker) {
            PartitionPlan without = known.after(plan);
            return new Decision(without, accepted(without));
        }
        // Not by an unclean election: the others may be back in a moment.
        TopicRules careful = new TopicRules(rules.minInSync(), false, rules.losesUnflushed());
        PartitionPlan changed =
                Elections.settle(known, other -> other != broker && view.isLive(other), careful)
                        .after(plan);
        return new Decision(changed, accepted(changed));
    }

    private static boolean resigns(int broker, InSyncChange asked) {
        return !asked.inSync().containsKey(broker);
    }

    private static @Nullable Decision outdated(int broker, InSyncChange asked, PartitionPlan plan) {
        if (asked.leaderEpoch() > plan.leaderEpoch() || asked.change() > plan.change()) {
            return Decision.refuse(
                    Flaw.BEHIND, "The controller has not seen the plan yet that the leader knows.");
        }
        boolean mayAsk = plan.leader() == broker || resigns(broker, asked);
        if (asked.leaderEpoch() < plan.leaderEpoch() || !mayAsk) {
            return Decision.refuse(
                    Flaw.FENCED_LEADER_EPOCH,
                    "Broker "
                            + broker
                            + " led in term "
                            + asked.leaderEpoch()
                            + "; now broker "
                            + plan.leader()
                            + " leads in term "
                            + plan.leaderEpoch()
                            + ".");
        }
        if (asked.change() == plan.change()) {
            // One that is not in sync may be eligible.
            boolean same =
                    !resigns(broker, asked)
                            && List.copyOf(asked.inSync().keySet())
                                    .equals(plan.inSync().stream().sorted().toList());
            // The leader was in doubt, and nothing has come of what it asked for before.
            // Noted as a change all the same: that may be on its way yet, and must not count any
            // more.
            if (same) {
                PartitionPlan renewed = plan.counting(plan.inSync(), plan.eligible());
                return new Decision(renewed, accepted(renewed));
            }
            return null;
        }
        // Also where it is so already, because an answer was lost: the leader would take what it
        // knows for the present plan, and may not have heard of its present rules.
        return Decision.refuse(
                Flaw.STALE_CHANGE,
                "The plan has changed since: change "
                        + asked.change()
                        + " was asked for, "
                        + plan.change()
                        + " is the present one.");
    }

    private static @Nullable String ineligible(
            int leader, int member, long epoch, ClusterView view, IntPredicate mayJoin) {
        if (member == leader) {
            return null;
        }
        if (!view.isLive(member)) {
            return "Broker " + member + " is not live.";
        }
        if (!mayJoin.test(member)) {
            return "Broker " + member + " is about to stop.";
        }
        return epoch == -1 || epoch == view.brokerEpoch(member)
                ? null
                : "Broker "
                        + member
                        + " has caught up in broker epoch "
                        + epoch
                        + ", and has registered anew since, in "
                        + view.brokerEpoch(member)
                        + ".";
    }

    private static InSyncAnswer accepted(PartitionPlan plan) {
        return new InSyncAnswer.Accepted(
                plan.leader(), plan.leaderEpoch(), plan.inSync(), plan.change());
    }
}
