package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Turns a message's end into words for its queue.
///
/// SQS counts deliveries, and at the maximum of its redrive policy makes a dead letter of a message. But a delivery is no attempt: a lane was full, a listener stopped, here
/// or at another worker. So failures are counted, and nothing else. A standard queue is told of each by a fresh copy that says how many there were, for whoever
/// gets it next; and where the queue's own patience would end though nobody has failed, a fresh copy takes the message's place too. A FIFO queue would put a copy
/// behind those that wait for it: there failures are remembered in this process, and the queue's maximum is the bound.
///
/// Thread-safe.
final class Verdicts {
    private static final Logger log = LoggerFactory.getLogger(Verdicts.class);

    private static final int REMEMBERS = 10_000;

    /// A copy cannot be called back as long as it is delayed.
    private static final Duration LONGEST_AWAY = Duration.ofSeconds(5);

    private final SqsSettings settings;
    private final QueueFacts facts;
    private final Leases leases;
    private final Teller teller;
    private final Movers movers;
    private final LastDeliveries lastDeliveries;
    private final Intake intake;

    /// How often messages have failed, as far as it was here.
    private final Map<String, Integer> failures =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
                    return size() > REMEMBERS;
                }
            };

    /// @param letters sends dead letters
    /// @param copies sends fresh copies: a queue for dead letters that does not answer must not hold them up
    record Movers(Mover letters, Mover copies) {
        boolean have(Message message) {
            // In this order: a copy that is refused goes to the letters.
            return copies.has(message) || letters.has(message);
        }

        /// See [Mover#unbounded].
        int unbounded() {
            return letters.unbounded() + copies.unbounded();
        }

        String unboundedInWords() {
            return "%d dead letters without a slot are not stored%s, %d fresh copies are not sent%s"
                    .formatted(
                            letters.unbounded(), letters.why(), copies.unbounded(), copies.why());
        }

        void close(Duration deadline) {
            long end = System.nanoTime() + deadline.toNanos();
            letters.close(deadline.dividedBy(2));
            copies.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }

    Verdicts(
            SqsSettings settings,
            QueueFacts facts,
            Leases leases,
            Teller teller,
            Movers movers,
            LastDeliveries lastDeliveries,
            Intake intake) {
        this.settings = settings;
        this.facts = facts;
        this.leases = leases;
        this.teller = teller;
        this.movers = movers;
        this.lastDeliveries = lastDeliveries;
        this.intake = intake;
    }

    /// How often this message has failed, as far as it was here.
    int failuresOf(String messageId) {
        synchronized (failures) {
            return failures.getOrDefault(messageId, 0);
        }
    }

    /// What has left its slot, but not this process.
    int unbounded() {
        return movers.unbounded() + lastDeliveries.size();
    }

    /// Of what [#unbounded] counts, for people.
    String unboundedInWords() {
        return "%s, and %d last deliveries wait for a full lane"
                .formatted(movers.unboundedInWords(), lastDeliveries.size());
    }

    void on(Message message, Settlement settlement) {
        try {
            settle(message, settlement);
        } catch (RuntimeException | Error e) {
            // Otherwise it would be renewed for ever. Now it comes again when it ends.
            leases.end(message);
            throw e;
        }
    }

    private void settle(Message message, Settlement settlement) {
        boolean over = leases.isOver(message, System.nanoTime());
        switch (settlement) {
            case Settlement.Done done -> acknowledge(message);
            case Settlement.Lost lost -> leases.end(message);
            case Settlement.Retry retry -> {
                noteFailure(message);
                if (over) {
                    leave(message);
                } else {
                    retry(message, retry);
                }
            }
            case Settlement.HandBack back when over -> leave(message);
            case Settlement.HandBack back -> handBack(message, back);
            case Settlement.DeadLetter letter when over -> leave(message);
            case Settlement.DeadLetter letter -> bury(message, letter);
        }
    }

    /// Its lease has ended and nobody has noticed yet: it comes again by itself, and somebody else may have it. A copy would be a second one of it, and its deletion his.
    private void leave(Message message) {
        String why = "its lease ended before it did";
        log.warn("{} comes again: {}", message, why);
        leases.end(message);
        intake.unburied(message, why);
    }

    private void noteFailure(Message message) {
        synchronized (failures) {
            failures.put(message.id(), intake.attemptAt(message));
        }
    }

    /// Not relying on whoever watches leases: he may wait for an answer of the queue himself.
    private void acknowledge(Message message) {
        if (leases.endInTime(message, System.nanoTime())) {
            forget(message);
            teller.done(message);
        } else {
            log.warn("{} is done, but its lease had ended before: it comes again", message);
            intake.lost(message, "its lease ended before its job did");
        }
    }

    /// Gives a message back that is leased to us and nobody's: whatever failed between its arrival and its lane, or at its end, must not have it renewed for ever.
    void reclaim(Message message, String why) {
        // In the order in which it is passed on; its lease is the last to end.
        if (!intake.has(message)
                && !lastDeliveries.has(message)
                && !movers.have(message)
                && leases.holds(message)) {
            log.warn("{} is leased, but nobody has it: it comes again ({})", message, why);
            on(message, new Settlement.HandBack(Duration.ZERO, why));
        }
    }

    private void retry(Message message, Settlement.Retry retry) {
        Receipt receipt = Receipt.of(message);
        int attempts = intake.attemptAt(message);
        boolean last = isLastDelivery(receipt);
        boolean inTime = retry.delay().compareTo(Copy.LONGEST_DELAY) <= 0;
        // Its slot is free as soon as this returns.
        var letter = new Settlement.DeadLetter(retry.cause(), attempts, true);
        if (!facts.fifo() && (last || inTime) && Copy.fits(message, facts.largest())) {
            Copy copy =
                    Copy.fresh(settings.queueUrl(), receipt.received(), attempts, retry.delay());
            // One that cannot say how often it has failed would come for ever.
            movers.copies()
                    .replace(
                            message,
                            copy,
                            last,
                            () -> retryWithoutCopy(message, retry.delay(), letter, last));
        } else {
            retryWithoutCopy(message, retry.delay(), letter, last);
        }
    }

    private void retryWithoutCopy(
            Message message, Duration delay, Settlement.DeadLetter letter, boolean last) {
        if (last) {
            // SQS would make one of it at the next delivery, without cause.
            bury(message, letter);
        } else {
            teller.comeAgain(message, delay, null);
        }
    }

    private void handBack(Message message, Settlement.HandBack back) {
        Receipt receipt = Receipt.of(message);
        if (!isLastDelivery(receipt)) {
            teller.comeAgain(message, back.delay(), back.fullLane());
        } else if (!facts.fifo()) {
            Duration delay = back.delay().compareTo(LONGEST_AWAY) > 0 ? LONGEST_AWAY : back.delay();
            Copy copy =
                    Copy.fresh(
                            settings.queueUrl(), receipt.received(), message.attempt() - 1, delay);
            movers.copies().replace(message, copy, true);
        } else if (back.fullLane() != null) {
            lastDeliveries.keep(message, back.fullLane());
        } else {
            // SQS would make one of it at the next delivery, without a word about why.
            bury(message, new Settlement.DeadLetter(usedUp(back), message.attempt() - 1, true));
        }
    }

    private IllegalStateException usedUp(Settlement.HandBack back) {
        return new IllegalStateException(
                "Its FIFO queue delivers it %d times, and after the last of them it had to go back: %s."
                        .formatted(facts.mostReceives(), back.why()));
    }

    private boolean isLastDelivery(Receipt receipt) {
        return facts.mostReceives() > 0 && receipt.receives() >= facts.mostReceives();
    }

    private void forget(Message message) {
        synchronized (failures) {
            failures.remove(message.id());
        }
    }

    private void bury(Message message, Settlement.DeadLetter letter) {
        forget(message);
        String url = facts.deadLetterUrl();
        if (url == null) {
            log.error(
                    "{} is dropped, since there is no dead-letter queue: {}",
                    message,
                    message.text(),
                    letter.cause());
            teller.done(message);
            intake.buried(message);
            return;
        }
        Receipt receipt = Receipt.of(message);
        Copy copy = Copy.deadLetter(url, receipt.received(), letter);
        boolean last = isLastDelivery(receipt);
        if (letter.slotless()) {
            movers.letters().replace(message, copy, last);
        } else {
            movers.letters().bury(message, copy, last);
        }
    }
}
