package io.sluice.listener.sqs;

import io.sluice.listener.message.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeNameForSends;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeValue;
import software.amazon.awssdk.services.sqs.model.SendMessageRequest;

/// A copy of a message that takes its place, in its own queue or among the dead letters, with attributes that say what it is a copy of.
///
/// | attribute | |
/// | --- | --- |
/// | `sluice-origin` | the id of the message that it is a copy of, or a copy's copy |
/// | `sluice-failures` | of a fresh copy in the same queue: how often the work has failed so far |
/// | `sluice-attempts`, `sluice-cause` | of a dead letter: how often the work was tried, and the exception |
///
/// Immutable.
///
/// @param full with the attributes
/// @param bare without them, for messages that are as large as can be already
record Copy(Consumer<SendMessageRequest.Builder> full, Consumer<SendMessageRequest.Builder> bare) {
    private static final String ORIGIN = "sluice-origin";
    private static final String FAILURES = "sluice-failures";
    private static final int LONGEST_CAUSE = 1_000;

    /// More than any lane tries; what else somebody writes there must not overflow the count of attempts.
    private static final int MOST_FAILURES = 1_000_000;

    /// SQS takes ten attributes.
    private static final int MOST_ATTRIBUTES = 10;

    /// More than our attributes need, in bytes.
    private static final int PLACE = 256;

    /// What SQS delays a message by at most.
    static final Duration LONGEST_DELAY = Duration.ofMinutes(15);

    /// A fresh copy of a message is still that message.
    static String idOf(Message received) {
        return text(received, ORIGIN, received.messageId());
    }

    /// How often work on what it is a copy of has failed.
    static int failuresOf(Message received) {
        try {
            return Math.clamp(Long.parseLong(text(received, FAILURES, "0")), 0, MOST_FAILURES);
        } catch (NumberFormatException e) {
            return 0; // not ours
        }
    }

    private static String text(Message received, String name, String otherwise) {
        MessageAttributeValue value = received.messageAttributes().get(name);
        return value == null || value.stringValue() == null ? otherwise : value.stringValue();
    }

    /// Whether a fresh copy can say what it is a copy of and how often that has failed: there are attributes left, and bytes.
    ///
    /// @param largest what the queue takes, in bytes
    static boolean fits(io.sluice.listener.message.Message message, int largest) {
        Message received = Receipt.of(message).received();
        long size = (long) message.body().length + PLACE;
        for (var attribute : received.messageAttributes().entrySet()) {
            size += bytes(attribute.getKey()) + bytes(attribute.getValue());
        }
        return size <= largest && with(received, ORIGIN, "", FAILURES, "").containsKey(FAILURES);
    }

    private static long bytes(MessageAttributeValue value) {
        String text = value.stringValue();
        SdkBytes binary = value.binaryValue();
        return bytes(value.dataType())
                + (text == null ? 0 : bytes(text))
                + (binary == null ? 0 : binary.asByteArrayUnsafe().length);
    }

    private static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /// A new message in place of one that has failed, or that SQS has delivered as often as it does.
    ///
    /// @param failures how often the work has failed so far
    static Copy fresh(String queueUrl, Message received, int failures, Duration delay) {
        Duration bounded = delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
        Consumer<SendMessageRequest.Builder> bare =
                copy ->
                        copy.queueUrl(queueUrl)
                                .messageBody(received.body())
                                .messageAttributes(with(received))
                                .messageSystemAttributes(trace(received))
                                // Of a standard queue: whose turn it is, among many tenants.
                                .messageGroupId(groupOf(received))
                                .delaySeconds((int) ((bounded.toMillis() + 999) / 1_000));
        var attributes =
                with(received, ORIGIN, idOf(received), FAILURES, Integer.toString(failures));
        return new Copy(bare.andThen(copy -> copy.messageAttributes(attributes)), bare);
    }

    static Copy deadLetter(String queueUrl, Message received, Settlement.DeadLetter letter) {
        String group = groupOf(received);
        Consumer<SendMessageRequest.Builder> bare =
                copy -> {
                    copy.queueUrl(queueUrl)
                            .messageBody(received.body())
                            .messageAttributes(with(received))
                            .messageSystemAttributes(trace(received));
                    if (queueUrl.endsWith(".fifo")) {
                        copy.messageGroupId(group == null ? "dead-letters" : group)
                                .messageDeduplicationId(received.messageId());
                    }
                };
        String cause = letter.cause().toString();
        var attributes =
                with(
                        received,
                        "sluice-cause",
                        cause.substring(0, Math.min(cause.length(), LONGEST_CAUSE)),
                        "sluice-attempts",
                        Integer.toString(letter.attempts()),
                        ORIGIN,
                        idOf(received));
        return new Copy(bare.andThen(copy -> copy.messageAttributes(attributes)), bare);
    }

    private static @Nullable String groupOf(Message received) {
        return received.attributes().get(MessageSystemAttributeName.MESSAGE_GROUP_ID);
    }

    /// The only one of SQS's own attributes that a sender may set.
    private static Map<MessageSystemAttributeNameForSends, MessageSystemAttributeValue> trace(
            Message received) {
        String header = received.attributes().get(MessageSystemAttributeName.AWS_TRACE_HEADER);
        return header == null
                ? Map.of()
                : Map.of(
                        MessageSystemAttributeNameForSends.AWS_TRACE_HEADER,
                        MessageSystemAttributeValue.builder()
                                .dataType("String")
                                .stringValue(header)
                                .build());
    }

    /// The message's own attributes, and as many more as there is place for. A count of failures ends with the copy that had it: a dead letter that somebody moves
    /// back begins anew.
    ///
    /// @param more names and values, the most important first
    private static Map<String, MessageAttributeValue> with(Message received, String... more) {
        Map<String, MessageAttributeValue> attributes = new HashMap<>(received.messageAttributes());
        attributes.remove(FAILURES);
        for (int i = 0; i < more.length; i += 2) {
            if (attributes.size() < MOST_ATTRIBUTES || attributes.containsKey(more[i])) {
                attributes.put(
                        more[i],
                        MessageAttributeValue.builder()
                                .dataType("String")
                                .stringValue(more[i + 1])
                                .build());
            }
        }
        return attributes;
    }
}
