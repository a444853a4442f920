package io.sluice.coordinator.groups;

import io.sluice.coordinator.Moment;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What happens to a group by time alone: sessions end, rounds close, patience runs out. Pure.
final class Deadlines {
    private final Rounds rounds;
    private final Leaving leaving;

    Deadlines(Rounds rounds, Leaving leaving) {
        this.rounds = rounds;
        this.leaving = leaving;
    }

    /// The first time at which [#decide] would do something; [Long#MAX_VALUE] if never.
    static long next(Group group, Map<String, Long> sessions) {
        long next = nextBesidesSessions(group);
        for (Member member : group.members().all()) {
            if (canBeLate(member)) {
                next = Math.min(next, sessions.getOrDefault(member.id(), Long.MAX_VALUE));
            }
        }
        return next;
    }

    static long nextBesidesSessions(Group group) {
        long next = Long.MAX_VALUE;
        for (long deadline : group.pending().values()) {
            next = Math.min(next, deadline);
        }
        Group.JoinRound round = group.round();
        if (round != null) {
            next = Math.min(next, round.deadlineNanos());
        }
        Group.AwaitedSyncs syncs = group.syncs();
        return syncs == null ? next : Math.min(next, syncs.deadlineNanos());
    }

    /// Whether silence counts. One who waits for us has nothing to say; only a first join is not waited with for ever, since a
    /// client that gave up on it comes back under another id.
    private static boolean canBeLate(Member member) {
        return !member.isWaiting() || (member.isNew() && !member.isStatic());
    }

    void decide(Draft draft, Map<String, Long> sessions, Moment now) {
        expirePending(draft, now);
        List<Member> silent =
                draft.members()
                        .where(
                                member ->
                                        canBeLate(member)
                                                && now.hasReached(
                                                        sessions.getOrDefault(
                                                                member.id(), Long.MAX_VALUE)));
        leaving.lose(draft, silent, "was not heard of within its session time-out", now);
        expireSyncs(draft, now);
        Group.JoinRound round = draft.group().round();
        if (round != null && now.hasReached(round.deadlineNanos())) {
            rounds.atDeadline(draft, now);
        }
    }

    private void expirePending(Draft draft, Moment now) {
        for (Map.Entry<String, Long> entry : draft.group().pending().entrySet()) {
            if (now.hasReached(entry.getValue())) {
                draft.become(draft.group().withoutPending(entry.getKey()));
            }
        }
        rounds.settle(draft, now);
    }

    private void expireSyncs(Draft draft, Moment now) {
        Group.AwaitedSyncs syncs = draft.group().syncs();
        if (syncs == null || !now.hasReached(syncs.deadlineNanos())) {
            return;
        }
        Set<String> missing = syncs.missing();
        List<Member> late = draft.members().where(member -> missing.contains(member.id()));
        draft.become(draft.group().withSyncs(null));
        leaving.lose(draft, late, "did not fetch its assignment in time", now);
    }
}
