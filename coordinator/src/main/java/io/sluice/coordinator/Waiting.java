package io.sluice.coordinator;

import io.sluice.coordinator.CoordinatorLog.Position;
import io.sluice.coordinator.Decision.Answer;
import io.sluice.env.Reply;
import io.sluice.record.Invariant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Everyone who waits for a coordinator: those without an answer, and those whose answer waits for the log.
///
/// ```
/// submitted ──▶ open ──answered──▶ parked behind a position ──that is committed──▶ delivered
/// ```
/// An answer is parked behind the last batch that was accepted when it was decided, though it may have written nothing itself: it may have
/// *seen* that batch's changes, and must not show what can still be lost. Owned by its coordinator.
final class Waiting<R> {
    private final Map<Ticket, Reply<Outcome<R>>> open = new HashMap<>();
    private final ArrayDeque<Parked<R>> parked = new ArrayDeque<>();
    private long lastTicket;
    private @Nullable Position accepted;
    private long committedOffset = -1;

    private record Parked<R>(Position behind, Answer<R> answer) {}

    int size() {
        return open.size();
    }

    Ticket admit(Reply<Outcome<R>> reply) {
        Ticket ticket = new Ticket(++lastTicket);
        open.put(ticket, reply);
        return ticket;
    }

    /// The log has taken a batch: whatever is answered from now on waits for it.
    void accepted(Position position) {
        Position before = accepted;
        Invariant.check(
                before == null
                        || (position.leaderEpoch() == before.leaderEpoch()
                                && position.lastOffset() > before.lastOffset()),
                "the log accepted batches out of order or under two epochs");
        accepted = position;
    }

    void answer(Answer<R> answer) {
        Position behind = accepted;
        if (behind == null || behind.lastOffset() <= committedOffset) {
            deliver(answer.ticket(), Outcome.done(answer.reply()));
        } else {
            parked.add(new Parked<>(behind, answer));
        }
    }

    /// Delivers what waited for this position. False when it was committed under another epoch than it was accepted
    /// under: then it is not our batch that stands there, and nothing is delivered (KAFKA-20634).
    boolean committed(Position position) {
        Position latest = accepted;
        if (latest == null || position.leaderEpoch() != latest.leaderEpoch()) {
            return false;
        }
        committedOffset = Math.max(committedOffset, position.lastOffset());
        while (true) {
            Parked<R> first = parked.peek();
            if (first == null || first.behind().lastOffset() > committedOffset) {
                return true;
            }
            parked.remove();
            deliver(first.answer().ticket(), Outcome.done(first.answer().reply()));
        }
    }

    void refuse(Ticket ticket, Unavailability cause) {
        deliver(ticket, Outcome.unavailable(cause));
    }

    /// A bug has kept its answer from being decided.
    void fail(Ticket ticket, Throwable bug) {
        Reply<Outcome<R>> reply = open.remove(ticket);
        if (reply != null) {
            reply.fail(bug);
        }
    }

    /// Nobody will get a real answer any more.
    void refuseAll(Unavailability cause) {
        parked.clear();
        List<Reply<Outcome<R>>> all = new ArrayList<>(open.values());
        open.clear();
        for (Reply<Outcome<R>> reply : all) {
            reply.complete(Outcome.unavailable(cause));
        }
    }

    private void deliver(Ticket ticket, Outcome<R> outcome) {
        Reply<Outcome<R>> reply = open.remove(ticket);
        if (reply == null) {
            throw new Invariant.Violation("ticket " + ticket + " was answered twice");
        }
        reply.complete(outcome);
    }
}
