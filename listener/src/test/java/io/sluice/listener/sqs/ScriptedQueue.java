package io.sluice.listener.sqs;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import software.amazon.awssdk.core.RequestOverrideConfiguration;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequest;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchResponse;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchResultEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequest;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchResponse;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageRequest;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageResponse;
import software.amazon.awssdk.services.sqs.model.SendMessageRequest;
import software.amazon.awssdk.services.sqs.model.SendMessageResponse;

/// A queue whose answers the test has written down before; when there are none left, polls wait until it is closed.
final class ScriptedQueue implements SqsClient {
    final AtomicInteger polls = new AtomicInteger();

    /// The handles of each renewal, and of each hand-back, in the order in which they arrived.
    final Queue<List<String>> renewals = new ConcurrentLinkedQueue<>();

    final Queue<List<String>> handBacks = new ConcurrentLinkedQueue<>();

    /// How long each renewal waits for its answer.
    final Queue<Duration> patience = new ConcurrentLinkedQueue<>();

    /// What happens while the queue answers a renewal of these.
    volatile Consumer<List<String>> meanwhile = handles -> {};

    /// What happens when the queue is told that these are visible from now on.
    volatile Consumer<List<String>> calls = handles -> {};

    /// What happens when these are deleted.
    volatile Consumer<List<String>> deletes = handles -> {};

    /// What was sent, or was to be, in its order.
    final Queue<SendMessageRequest> sent = new ConcurrentLinkedQueue<>();

    /// What happens when this is sent.
    volatile Consumer<SendMessageRequest> sends = request -> {};

    private final Deque<List<Message>> answers = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    void answer(Message... messages) {
        synchronized (answers) {
            answers.add(List.of(messages));
        }
    }

    static Message received(String id) {
        return Message.builder()
                .messageId(id)
                .receiptHandle("handle of " + id)
                .body("body of " + id)
                .build();
    }

    static io.sluice.listener.message.Message message(String id) {
        return message(id, 1);
    }

    /// @param receives the how-manieth delivery it is
    static io.sluice.listener.message.Message message(String id, int receives) {
        return new io.sluice.listener.message.Message(
                id, new byte[0], Map.of(), null, "q", 1, new Receipt(received(id), receives));
    }

    @Override
    public ReceiveMessageResponse receiveMessage(ReceiveMessageRequest request) {
        polls.incrementAndGet();
        List<Message> answer;
        synchronized (answers) {
            answer = answers.poll();
        }
        if (answer == null) {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            answer = List.of();
        }
        return ReceiveMessageResponse.builder().messages(answer).build();
    }

    @Override
    public ChangeMessageVisibilityBatchResponse changeMessageVisibilityBatch(
            ChangeMessageVisibilityBatchRequest request) {
        List<String> handles =
                request.entries().stream()
                        .map(ChangeMessageVisibilityBatchRequestEntry::receiptHandle)
                        .toList();
        if (request.entries().getFirst().visibilityTimeout() > 0) {
            meanwhile.accept(handles);
            request.overrideConfiguration()
                    .flatMap(RequestOverrideConfiguration::apiCallTimeout)
                    .ifPresent(patience::add);
            renewals.add(handles);
        } else {
            calls.accept(handles);
            handBacks.add(handles);
        }
        return ChangeMessageVisibilityBatchResponse.builder()
                .successful(
                        request.entries().stream()
                                .map(
                                        entry ->
                                                ChangeMessageVisibilityBatchResultEntry.builder()
                                                        .id(entry.id())
                                                        .build())
                                .toList())
                .failed(List.of())
                .build();
    }

    @Override
    public DeleteMessageBatchResponse deleteMessageBatch(DeleteMessageBatchRequest request) {
        deletes.accept(
                request.entries().stream()
                        .map(DeleteMessageBatchRequestEntry::receiptHandle)
                        .toList());
        return DeleteMessageBatchResponse.builder().failed(List.of()).build();
    }

    @Override
    public SendMessageResponse sendMessage(SendMessageRequest request) {
        sent.add(request);
        sends.accept(request);
        return SendMessageResponse.builder().build();
    }

    @Override
    public String serviceName() {
        return "sqs";
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
