package io.sluice.controller;

import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// What it means for the plan that a broker has registered again. Pure.
///
/// Every registration is a new life: whatever the process before led or was in sync with ends with it (KIP-380, KIP-903). What its disk still has decides
/// whether it may lead when nobody else can.
///
/// | came back | leads again | in-sync and eligible sets |
/// | --- | --- | --- |
/// | with its data | only where no other in-sync replica is live | leaves them there, too |
/// | without what was in the page cache, topic in the page cache, or unforced since it was | as above | leaves them unless nobody else is left |
/// | with another data directory | never by itself | leaves all of them, the last one, too |
final class Admissions {
    private Admissions() {}

    /// @param wiped its data directory is not the one that it had
    /// @param cacheLost what it had not forced to its disk may be gone
    /// @param closed everything that it had was forced to its disk
    record Return(int broker, boolean wiped, boolean cacheLost, boolean closed) {}

    static Return of(Registered registered, @Nullable Member member) {
        Registration said = registered.registration();
        if (member == null) {
            return new Return(said.id(), false, false, false);
        }
        boolean closed = isClosed(said, member);
        return new Return(
                said.id(),
                !member.directory().equals(said.directory()),
                !closed && !isRunningOn(said, member),
                closed);
    }

    /// In order, and everything was forced.
    private static boolean isClosed(Registration said, Member member) {
        return member.epoch() == said.cleanEpoch();
    }

    /// The process, which has only lost its session, or at least the machine: its page cache outlives a crash of the process.
    private static boolean isRunningOn(Registration said, Member member) {
        return said.incarnation().equals(member.incarnation())
                || (said.boot() != null && said.boot().equals(member.boot()));
    }

    /// The plan without the former life of this broker.
    ///
    /// @param others the live brokers, without this one
    static PartitionPlan fence(
            PartitionPlan plan, Return back, IntPredicate others, TopicRules rules) {
        if (!plan.replicas().contains(back.broker())) {
            return plan;
        }
        PartitionPlan known = plan;
        if (back.wiped()) {
            known = Elections.withoutData(plan, back.broker(), false);
        } else if (back.cacheLost()
                && (rules.losesUnflushed() || plan.unforced().contains(back.broker()))) {
            known = Elections.withoutData(plan, back.broker(), true);
        } else if (back.closed() && plan.unforced().contains(back.broker())) {
            known = plan.unforced(PartitionPlan.without(plan.unforced(), List.of(back.broker())));
        }
        // Not by an unclean election: the broker itself may be the one that has the data.
        TopicRules careful = new TopicRules(rules.minInSync(), false, rules.losesUnflushed());
        return Elections.settle(known, others, careful);
    }

    static Member admitted(Registered registered, @Nullable Member member) {
        return new Member(
                registered.registration().id(),
                registered.epoch(),
                registered.registration().directory(),
                registered.registration().incarnation(),
                registered.registration().boot(),
                member == null ? Member.State.ACTIVE : member.state(),
                Member.PRESENT,
                false,
                member == null ? Member.NEW : member.version());
    }
}
