package io.sluice.controller;

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
/// | after a crash, topic in the page cache | as above | leaves them unless nobody else is left |
/// | with another data directory | never by itself | leaves all of them, the last one, too |
final class Admissions {
    private Admissions() {}

    /// @param wiped its data directory is not the one that it had
    /// @param crashed it was not closed cleanly; a process that has only lost its session has not crashed
    record Return(int broker, boolean wiped, boolean crashed) {}

    static Return of(Registered registered, @Nullable Member member) {
        Registration said = registered.registration();
        return new Return(
                said.id(),
                member != null && !member.directory().equals(said.directory()),
                member != null
                        && member.epoch() != said.cleanEpoch()
                        && !said.incarnation().equals(member.incarnation()));
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
        } else if (back.crashed() && rules.losesUnflushed()) {
            known = Elections.withoutData(plan, back.broker(), true);
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
                member == null ? Member.State.ACTIVE : member.state(),
                Member.PRESENT,
                member == null ? Member.NEW : member.version());
    }
}
