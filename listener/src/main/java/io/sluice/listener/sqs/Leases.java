package io.sluice.listener.sqs;

import io.sluice.listener.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The messages that are ours for the time being, and until when.
///
/// ```
///  received ──▶ held ──renewed at a third of the lease──▶ held …
///                 ├──▶ ended            the job is done: no more renewals
///                 ├──▶ expired          not renewed in time: somebody else may have it
///                 └──▶ too long         the longest job's time is over: said until it has been told, and held on until somebody ends it
/// ```
/// A renewal takes a while, and what it says may arrive after what somebody else says later. So renewals are numbered: whoever lets a message go says so to its queue
/// only when the renewal that may still speak of it has ended.
///
/// Thread-safe: each call is one step under its lock. Time comes in with the call.
final class Leases {
    private static final class Lease {
        long receivedNanos;
        long renewedNanos;

        /// Whether somebody has been told that its job takes too long.
        boolean tooLongTold;

        Lease(long nowNanos) {
            this.receivedNanos = nowNanos;
            this.renewedNanos = nowNanos;
        }
    }

    /// What a look at the leases found.
    ///
    /// @param renew to be renewed now
    /// @param expired lost, because no renewal came in time
    /// @param tooLong whose job takes too long, and nobody has been told; still held, since what becomes of them may take a while too
    /// @param latenessNanos how late the latest renewal is
    record Look(
            List<Message> renew,
            List<Message> expired,
            List<Message> tooLong,
            long latenessNanos) {}

    private final Map<Message, Lease> leases = new HashMap<>();
    private final long leaseNanos;
    private final long longestNanos;

    /// Of the renewal that is under way; one at a time.
    private Set<Message> beingRenewed = Set.of();

    private long renewalsBegun;
    private long renewalsEnded;

    Leases(Duration lease, Duration longest) {
        this.leaseNanos = lease.toNanos();
        this.longestNanos = longest.toNanos();
    }

    synchronized void hold(Message message, long nowNanos) {
        leases.put(message, new Lease(nowNanos));
    }

    /// Its job begins only now, however long it was held before. Nothing, when it is held no more.
    synchronized void begins(Message message, long nowNanos) {
        Lease lease = leases.get(message);
        if (lease != null) {
            lease.receivedNanos = nowNanos;
            lease.tooLongTold = false;
        }
    }

    /// Somebody knows that its job takes too long. Nothing, when it is held no more.
    synchronized void toldTooLong(Message message) {
        Lease lease = leases.get(message);
        if (lease != null) {
            lease.tooLongTold = true;
        }
    }

    synchronized void end(Message message) {
        leases.remove(message);
    }

    /// Ends it, if it is still good.
    ///
    /// @return whether it was: otherwise somebody else may have the message
    synchronized boolean endInTime(Message message, long nowNanos) {
        Lease lease = leases.remove(message);
        return lease != null && nowNanos - lease.renewedNanos < leaseNanos;
    }

    /// Whether nobody has seen yet that it has ended.
    synchronized boolean isOver(Message message, long nowNanos) {
        Lease lease = leases.get(message);
        return lease != null && nowNanos - lease.renewedNanos >= leaseNanos;
    }

    synchronized boolean holds(Message message) {
        return leases.containsKey(message);
    }

    /// A renewal begins, of those that are still held.
    synchronized List<Message> beginRenewal(List<Message> due) {
        List<Message> held = due.stream().filter(leases::containsKey).toList();
        beingRenewed = Set.copyOf(held);
        renewalsBegun++;
        return held;
    }

    /// The queue has answered, or never will.
    synchronized void endRenewal() {
        beingRenewed = Set.of();
        renewalsEnded = renewalsBegun;
        notifyAll();
    }

    /// The renewal that still speaks of a message, though its lease may have ended; 0: none.
    synchronized long renewalOf(Message message) {
        return beingRenewed.contains(message) ? renewalsBegun : 0;
    }

    synchronized void awaitRenewal(long number) throws InterruptedException {
        while (renewalsEnded < number) {
            wait();
        }
    }

    synchronized void renewed(Message message, long askedNanos) {
        Lease lease = leases.get(message);
        if (lease != null) {
            lease.renewedNanos = askedNanos;
        }
    }

    synchronized int held() {
        return leases.size();
    }

    /// Those that are expired are no longer held afterwards.
    synchronized Look look(long nowNanos) {
        List<Message> renew = new ArrayList<>();
        List<Message> expired = new ArrayList<>();
        List<Message> tooLong = new ArrayList<>();
        long lateness = 0;
        for (Map.Entry<Message, Lease> entry : leases.entrySet()) {
            Lease lease = entry.getValue();
            long age = nowNanos - lease.renewedNanos;
            if (age >= leaseNanos) {
                expired.add(entry.getKey());
            } else if (!lease.tooLongTold && nowNanos - lease.receivedNanos >= longestNanos) {
                // Not renewed in the same look: most of them end with it.
                tooLong.add(entry.getKey());
            } else if (age >= leaseNanos / 3) {
                renew.add(entry.getKey());
                lateness = Math.max(lateness, age - leaseNanos / 3);
            }
        }
        expired.forEach(leases::remove);
        return new Look(renew, expired, tooLong, lateness);
    }
}
