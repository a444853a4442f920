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
/// Handing back is no fault of the message, but SQS counts each delivery, and at the maximum of its redrive policy makes a dead letter of it. So deliveries that nobody
/// worked on are remembered and subtracted from the attempts, and where the queue's own patience would end, a fresh copy takes the message's place.
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
    private final Mover mover;
    private final Intake intake;
    private final Map<String, Integer> handedBack =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
                    return size() > REMEMBERS;
                }
            };

    Verdicts(
            SqsSettings settings,
            QueueFacts facts,
            Leases leases,
            Teller teller,
            Mover mover,
            Intake intake) {
        this.settings = settings;
        this.facts = facts;
        this.leases = leases;
        this.teller = teller;
        this.mover = mover;
        this.intake = intake;
    }

    /// How many deliveries of this message were no attempts.
    int handedBack(String messageId) {
        synchronized (handedBack) {
            return handedBack.getOrDefault(messageId, 0);
        }
    }

    void on(Message message, Settlement settlement) {
        switch (settlement) {
            case Settlement.Done done -> teller.done(message);
            case Settlement.Retry retry -> retry(message, retry);
            case Settlement.HandBack back -> handBack(message, back);
            case Settlement.Lost lost -> leases.end(message);
            case Settlement.DeadLetter letter -> bury(message, letter);
        }
    }

    /// SQS would make a dead letter of it at the next delivery, without cause and perhaps before the last attempt: some deliveries were none.
    private void retry(Message message, Settlement.Retry retry) {
        Receipt receipt = Receipt.of(message);
        // Its slot is free as soon as this returns.
        var letter = new Settlement.DeadLetter(retry.cause(), message.attempt(), true);
        if (!isLastDelivery(receipt)) {
            teller.comeAgain(message, retry.delay(), null);
        } else if (facts.fifo() || !Copy.hasPlace(receipt.received())) {
            bury(message, letter);
        } else {
            Copy again =
                    Copy.fresh(
                            settings.queueUrl(),
                            receipt.received(),
                            message.attempt(),
                            retry.delay());
            // One that cannot say how often it has failed would come for ever.
            replace(message, new Copy(again.full(), deadLetter(receipt, letter).bare()));
        }
    }

    private void handBack(Message message, Settlement.HandBack back) {
        Receipt receipt = Receipt.of(message);
        if (isLastDelivery(receipt) && !facts.fifo()) {
            Duration delay = back.delay().compareTo(LONGEST_AWAY) > 0 ? LONGEST_AWAY : back.delay();
            replace(
                    message,
                    Copy.fresh(
                            settings.queueUrl(), receipt.received(), message.attempt() - 1, delay));
            return;
        }
        synchronized (handedBack) {
            handedBack.merge(message.id(), 1, Integer::sum);
        }
        teller.comeAgain(message, back.delay(), back.fullLane());
    }

    private boolean isLastDelivery(Receipt receipt) {
        return facts.mostReceives() > 0 && receipt.receives() >= facts.mostReceives();
    }

    /// A copy is delivered from 1 on.
    private void replace(Message message, Copy copy) {
        synchronized (handedBack) {
            handedBack.remove(message.id());
        }
        mover.replace(message, copy);
    }

    private void bury(Message message, Settlement.DeadLetter letter) {
        if (facts.deadLetterUrl() == null) {
            log.error(
                    "{} is dropped, since there is no dead-letter queue: {}",
                    message,
                    message.text(),
                    letter.cause());
            teller.done(message);
            intake.buried(message);
            return;
        }
        Copy copy = deadLetter(Receipt.of(message), letter);
        if (letter.slotless()) {
            mover.replace(message, copy);
        } else {
            mover.bury(message, copy);
        }
    }

    private Copy deadLetter(Receipt receipt, Settlement.DeadLetter letter) {
        String url = facts.deadLetterUrl();
        if (url == null) {
            throw new IllegalStateException("There is a redrive policy, but no queue in it.");
        }
        return Copy.deadLetter(url, receipt.received(), letter);
    }
}
