package io.sluice.partition;

import io.sluice.partition.AckListener.Settled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/// Producers that wait until everything below an offset is safe, in the order of these offsets. Owned by its shard; pure.
final class PendingAcks {
    /// For those who wait as long as it takes.
    static final long NO_DEADLINE = Long.MAX_VALUE;

    private final ArrayDeque<Pending> waiting = new ArrayDeque<>();

    /// Nobody's time is up before; may be that of somebody who was told meanwhile.
    private long nextDeadline = NO_DEADLINE;

    private record Pending(long offset, long sinceNanos, long deadlineNanos, AckListener listener) {
        boolean waitsAsLongAsItTakes() {
            return deadlineNanos == NO_DEADLINE;
        }
    }

    void add(long offset, long nowNanos, long deadlineNanos, AckListener listener) {
        insert(new Pending(offset, nowNanos, deadlineNanos, listener));
        nextDeadline = Math.min(nextDeadline, deadlineNanos);
    }

    /// Mostly the last one. A batch that was sent again is older than those that wait, and must not wait for them.
    private void insert(Pending one) {
        Pending last = waiting.peekLast();
        if (last == null || last.offset() <= one.offset()) {
            waiting.add(one);
            return;
        }
        ArrayDeque<Pending> later = new ArrayDeque<>();
        while (last != null && last.offset() > one.offset()) {
            later.push(waiting.removeLast());
            last = waiting.peekLast();
        }
        waiting.add(one);
        waiting.addAll(later);
    }

    /// Everything below the offset is safe. Returns how many were told.
    int settle(long offset) {
        int told = 0;
        for (Pending first = waiting.peek();
                first != null && first.offset() <= offset;
                first = waiting.peek()) {
            waiting.poll();
            first.listener().onSettled(Settled.SAFE);
            told++;
        }
        return told;
    }

    int size() {
        return waiting.size();
    }

    void failAll(Settled how) {
        for (Pending one = waiting.poll(); one != null; one = waiting.poll()) {
            one.listener().onSettled(how);
        }
    }

    /// Tells those whose time is up.
    void expire(long nowNanos) {
        if (nowNanos >= nextDeadline) {
            failThose(one -> one.deadlineNanos() <= nowNanos, Settled.TIMED_OUT);
        }
    }

    /// Tells those who have waited since then or longer that it may be in vain; but for who waits as long as it takes.
    void giveUp(long sinceNanos) {
        failThose(
                one -> one.sinceNanos() <= sinceNanos && !one.waitsAsLongAsItTakes(),
                Settled.IN_DOUBT);
    }

    private void failThose(Predicate<Pending> whom, Settled how) {
        List<Pending> failed = new ArrayList<>();
        nextDeadline = NO_DEADLINE;
        for (Iterator<Pending> all = waiting.iterator(); all.hasNext(); ) {
            Pending one = all.next();
            if (whom.test(one)) {
                all.remove();
                failed.add(one);
            } else {
                nextDeadline = Math.min(nextDeadline, one.deadlineNanos());
            }
        }
        failed.forEach(one -> one.listener().onSettled(how));
    }

    /// When [#expire] is worth calling, at the earliest; [#NO_DEADLINE] when never.
    long nextDeadline() {
        return waiting.isEmpty() ? NO_DEADLINE : nextDeadline;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }
}
