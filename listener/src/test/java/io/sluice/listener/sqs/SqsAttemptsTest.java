package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.Listener;
import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.lane.Classifier;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Order;
import io.sluice.listener.lane.Work;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.sqs.Queues.Queue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.sqs.model.Message;

/// What counts as an attempt where SQS counts deliveries, to whomever.
@ExtendWith(Queues.class)
@Timeout(180)
class SqsAttemptsTest {
    private final ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void open() {
        gate.countDown();
    }

    private static SqsSettings settings(Queues queues, Queue queue) {
        return SqsSettings.of(queues.sqs(), queue.url()).longPoll(Duration.ZERO);
    }

    private static Listener listen(SqsSettings settings, LaneSettings... lanes) {
        Listener.Builder builder =
                Listener.of(new SqsSource(settings))
                        .classify(Classifier.byAttribute("lane", lanes[0].name()));
        for (LaneSettings lane : lanes) {
            builder.lane(lane);
        }
        return builder.start();
    }

    /// As another worker does whose lane is full, or which is stopped.
    private static void deliverAndTakeBack(Queues queues, Queue queue, int messages, int times) {
        for (int seen = 0; seen < messages * times; ) {
            for (Message message : queues.receive(queue.url())) {
                seen++;
                queues.sqs()
                        .changeMessageVisibility(
                                request ->
                                        request.queueUrl(queue.url())
                                                .receiptHandle(message.receiptHandle())
                                                .visibilityTimeout(0));
            }
        }
    }

    private static String attribute(Message letter, String name) {
        var value = letter.messageAttributes().get(name);
        return value == null ? "" : value.stringValue();
    }

    @Test
    @DisplayName(
            "Q36: only failures are attempts, also those at other workers, or before a restart")
    void onlyFailuresCount(Queues queues) throws Exception {
        Queue queue = queues.create(false, 50);
        queues.send(queue, List.of("bad"), null);
        var attempts = new ConcurrentLinkedQueue<Integer>();
        LaneSettings lane =
                LaneSettings.lane(
                                "all",
                                new FixedLimit(1),
                                job -> {
                                    attempts.add(job.attempt());
                                    throw new IllegalStateException("not today");
                                })
                        .onFailure(
                                FailurePolicy.standard()
                                        .otherwise(Backoff.constant(Duration.ofSeconds(3), 3)));
        deliverAndTakeBack(queues, queue, 1, 4);
        try (Listener worker = listen(settings(queues, queue), lane)) {
            until("an attempt", () -> attempts.size() == 1);
            assertThat(worker.trouble()).isNull();
        }
        deliverAndTakeBack(queues, queue, 1, 4);
        try (Listener another = listen(settings(queues, queue), lane)) {
            until("a dead letter", () -> queues.left(queue.deadLetters()) == 1);
            assertThat(another.trouble()).isNull();
        }
        assertThat(attempts).containsExactly(1, 2, 3);
        Message letter = queues.receive(queue.deadLetters()).getFirst();
        assertThat(attribute(letter, "sluice-attempts")).isEqualTo("3");
    }

    @Test
    @DisplayName("B6: a full lane of a FIFO queue harms nobody, even at the last delivery")
    void aFullLaneIsWaitedForAtTheLastDelivery(Queues queues) throws Exception {
        Queue queue = queues.create(true, 2);
        queues.send(queue, List.of("a", "b"), null);
        deliverAndTakeBack(queues, queue, 2, 1);
        Work work =
                job -> {
                    gate.await();
                    done.add(job.message().text());
                };
        LaneSettings heavy = LaneSettings.lane("heavy", new FixedLimit(1), work).inOrder(Order.KEY);
        LaneSettings light = LaneSettings.lane("light", new FixedLimit(2), work).inOrder(Order.KEY);
        try (Listener listener = listen(settings(queues, queue), heavy, light)) {
            until("one is refused", () -> listener.lanes().getFirst().refused() > 0);
            gate.countDown();
            until("both are done", () -> done.size() == 2);
            until("nothing left", () -> queues.left(queue.url()) == 0);
        }
        assertThat(queues.left(queue.deadLetters())).isZero();
    }

    @Test
    void whatAFifoQueueWouldNotDeliverAgainAfterAStopIsADeadLetterWithItsCause(Queues queues)
            throws Exception {
        Queue queue = queues.create(true, 1);
        queues.send(queue, List.of("a"), null);
        LaneSettings lane =
                LaneSettings.lane("all", new FixedLimit(1), job -> gate.await()).inOrder(Order.KEY);
        Listener listener = listen(settings(queues, queue), lane);
        until("it runs", () -> listener.lanes().getFirst().inFlight() == 1);
        listener.stop(Duration.ofSeconds(5));

        assertThat(queues.left(queue.url())).isZero();
        Message letter = queues.receive(queue.deadLetters()).getFirst();
        assertThat(attribute(letter, "sluice-cause"))
                .contains("delivers it 1 times")
                .contains("the listener stopped");
    }
}
