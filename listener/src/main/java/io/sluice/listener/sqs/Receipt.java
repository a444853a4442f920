package io.sluice.listener.sqs;

import software.amazon.awssdk.services.sqs.model.Message;

/// The source's handle of a message: what SQS wants to hear about it.
///
/// Immutable.
///
/// @param received as SQS delivered it
/// @param receives how often it has been delivered, also to others, also without being worked on
record Receipt(Message received, int receives) {
    static Receipt of(io.sluice.listener.message.Message message) {
        return (Receipt) message.receipt();
    }

    String handle() {
        return received.receiptHandle();
    }
}
