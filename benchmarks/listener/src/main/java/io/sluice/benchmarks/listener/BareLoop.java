package io.sluice.benchmarks.listener;

import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.Message;

/// What a loop over the SDK says when it is done with messages.
final class BareLoop {
    private BareLoop() {}

    static List<DeleteMessageBatchRequestEntry> of(List<Message> messages) {
        List<DeleteMessageBatchRequestEntry> entries = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            entries.add(
                    DeleteMessageBatchRequestEntry.builder()
                            .id(Integer.toString(i))
                            .receiptHandle(messages.get(i).receiptHandle())
                            .build());
        }
        return entries;
    }
}
