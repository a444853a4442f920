package io.sluice.listener.sqs;

import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.SendMessageRequest;

/// Turns a message's end into words for its queue.
///
/// Handing back is no fault of the message, but SQS counts each delivery, and at the maximum of its redrive policy makes a dead letter of it. So deliveries that nobody
/// worked on are remembered and subtracted from the attempts, and where the queue's own patience would end, a fresh copy takes the message's place.
///
/// Thread-safe.
final class Verdicts {
    private static final Logger log = LoggerFactory.getLogger(Verdicts.class);

    /// The attribute of a copy that says which message it is a copy of.
    static final String ORIGIN = "sluice-origin";

    private static final int REMEMBERS = 10_000;
    private static final int LONGEST_CAUSE = 1_000;

    /// SQS takes ten attributes.
    private static final int MOST_ATTRIBUTES = 10;

    /// A copy cannot be called back as long as it is delayed.
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

    private final SqsSettings settings;
    private final QueueFacts facts;
    private final Leases leases;
    private final Teller teller;
    private final Map<String, Integer> handedBack =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
                    return size() > REMEMBERS;
                }
            };

    Verdicts(SqsSettings settings, QueueFacts facts, Leases leases, Teller teller) {
        this.settings = settings;
        this.facts = facts;
        this.leases = leases;
        this.teller = teller;
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
            case Settlement.Retry retry -> teller.comeAgain(message, retry.delay(), null);
            case Settlement.HandBack back -> handBack(message, back);
            case Settlement.Lost lost -> leases.end(message);
            case Settlement.DeadLetter letter -> bury(message, letter);
        }
    }

    private void handBack(Message message, Settlement.HandBack back) {
        Receipt receipt = Receipt.of(message);
        if (facts.mostReceives() > 0
                && receipt.receives() >= facts.mostReceives()
                && !facts.fifo()) {
            synchronized (handedBack) {
                handedBack.remove(message.id());
            }
            teller.move(
                    message,
                    copy -> freshCopy(message.id(), receipt, back.delay(), copy),
                    bare -> freshCopy(null, receipt, back.delay(), bare));
            return;
        }
        synchronized (handedBack) {
            handedBack.merge(message.id(), 1, Integer::sum);
        }
        teller.comeAgain(message, back.delay(), back.fullLane());
    }

    private void freshCopy(
            @Nullable String id, Receipt receipt, Duration delay, SendMessageRequest.Builder copy) {
        Map<String, MessageAttributeValue> attributes =
                new HashMap<>(receipt.received().messageAttributes());
        if (id != null) {
            add(attributes, ORIGIN, id);
        }
        Duration bounded = delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
        copy.queueUrl(settings.queueUrl())
                .messageBody(receipt.received().body())
                .messageAttributes(attributes)
                .delaySeconds((int) bounded.toSeconds());
    }

    private void bury(Message message, Settlement.DeadLetter letter) {
        String url = facts.deadLetterUrl();
        if (url == null) {
            log.error(
                    "{} is dropped, since there is no dead-letter queue: {}",
                    message,
                    message.text(),
                    letter.cause());
            teller.done(message);
            return;
        }
        teller.move(
                message,
                copy -> deadLetter(message, letter, url, copy),
                bare -> deadLetter(message, null, url, bare));
    }

    private static void deadLetter(
            Message message,
            Settlement.@Nullable DeadLetter letter,
            String url,
            SendMessageRequest.Builder copy) {
        Receipt receipt = Receipt.of(message);
        Map<String, MessageAttributeValue> attributes =
                new HashMap<>(receipt.received().messageAttributes());
        if (letter != null) {
            String cause = letter.cause().toString();
            add(
                    attributes,
                    "sluice-cause",
                    cause.substring(0, Math.min(cause.length(), LONGEST_CAUSE)));
            add(attributes, "sluice-attempts", Integer.toString(letter.attempts()));
            add(attributes, ORIGIN, message.id());
        }
        copy.queueUrl(url).messageBody(receipt.received().body()).messageAttributes(attributes);
        String group =
                receipt.received().attributes().get(MessageSystemAttributeName.MESSAGE_GROUP_ID);
        if (url.endsWith(".fifo")) {
            copy.messageGroupId(group == null ? "dead-letters" : group)
                    .messageDeduplicationId(receipt.received().messageId());
        }
    }

    private static void add(
            Map<String, MessageAttributeValue> attributes, String name, String value) {
        if (attributes.size() < MOST_ATTRIBUTES || attributes.containsKey(name)) {
            attributes.put(
                    name,
                    MessageAttributeValue.builder().dataType("String").stringValue(value).build());
        }
    }
}
