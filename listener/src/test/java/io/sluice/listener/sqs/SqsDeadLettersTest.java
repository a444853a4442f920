package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.Listener;
import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Order;
import io.sluice.listener.lane.Work;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.sqs.Queues.Queue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.SendMessageRequest;

/// What becomes of messages of a real SQS endpoint whose jobs fail for good, also on a bad day.
@ExtendWith(Queues.class)
@Timeout(180)
class SqsDeadLettersTest {
    /// In bytes, what SQS takes.
    private static final int LARGEST = 1_048_576;

    private static LaneSettings lane(Work work) {
        return LaneSettings.lane("all", new FixedLimit(1), work);
    }

    private static SqsSettings settings(SqsClient client, Queue queue) {
        return SqsSettings.of(client, queue.url()).longPoll(Duration.ofSeconds(1));
    }

    private static Listener listen(SqsSettings settings, LaneSettings lane) {
        return Listener.of(new SqsSource(settings)).lane(lane).start();
    }

    @Test
    void aDeadLetterThatIsAsLargeAsCanBeArrivesWithoutItsReason(Queues queues) throws Exception {
        Queue queue = queues.create(false, 50);
        String largest = "x".repeat(LARGEST);
        queues.send(queue, List.of(largest), null);
        Work work =
                job -> {
                    throw new UnprocessableException("too much for us");
                };
        try (Listener listener = listen(settings(queues.sqs(), queue), lane(work))) {
            until("a dead letter", () -> queues.left(queue.deadLetters()) == 1);
            until("nothing left", () -> queues.left(queue.url()) == 0);
            assertThat(listener.lanes().getFirst().deadLettered()).isEqualTo(1);
        }
        assertThat(queues.receive(queue.deadLetters()).getFirst().body()).hasSize(LARGEST);
    }

    private static String attribute(Message letter, String name) {
        var value = letter.messageAttributes().get(name);
        return value == null ? "" : value.stringValue();
    }

    @Test
    @DisplayName(
            "Q36: attempts and cause are the lane's, also where the queue's own patience ends earlier")
    void theQueuesMaximumOfDeliveriesCostsNeitherAttemptsNorCause(Queues queues) throws Exception {
        Queue queue = queues.create(false, 2);
        queues.send(queue, List.of("bad"), null);
        var attempts = new ConcurrentLinkedQueue<Integer>();
        var ids = new ConcurrentLinkedQueue<String>();
        LaneSettings lane =
                LaneSettings.lane(
                                "all",
                                new FixedLimit(1),
                                job -> {
                                    attempts.add(job.attempt());
                                    ids.add(job.message().id());
                                    throw new IllegalStateException("not today");
                                })
                        .onFailure(
                                FailurePolicy.standard()
                                        .otherwise(Backoff.constant(Duration.ZERO, 5)));
        try (Listener listener = listen(settings(queues.sqs(), queue), lane)) {
            until("a dead letter", () -> queues.left(queue.deadLetters()) == 1);
            until("nothing left", () -> queues.left(queue.url()) == 0);
            assertThat(listener.lanes().getFirst().deadLettered()).isEqualTo(1);
        }
        assertThat(attempts).containsExactly(1, 2, 3, 4, 5);
        assertThat(ids).as("copies are still that message").containsOnly(ids.peek());
        Message letter = queues.receive(queue.deadLetters()).getFirst();
        assertThat(attribute(letter, "sluice-cause"))
                .isEqualTo("java.lang.IllegalStateException: not today");
        assertThat(attribute(letter, "sluice-attempts")).isEqualTo("5");
        assertThat(attribute(letter, "sluice-origin")).isEqualTo(ids.peek());
        assertThat(letter.messageAttributes())
                .as("moved back by hand it begins anew")
                .doesNotContainKey("sluice-failures");
    }

    /// Fails the first copies that are sent to a queue, as a network does, and writes down when one has arrived.
    private static final class BadRoad implements ExecutionInterceptor {
        private final String to;
        private final AtomicInteger failures;
        private final Runnable arrived;

        BadRoad(String to, int failures, Runnable arrived) {
            this.to = to;
            this.failures = new AtomicInteger(failures);
            this.arrived = arrived;
        }

        private boolean concerns(SdkRequest request) {
            return request instanceof SendMessageRequest send && to.equals(send.queueUrl());
        }

        @Override
        public void beforeExecution(
                Context.BeforeExecution context, ExecutionAttributes attributes) {
            if (concerns(context.request()) && failures.getAndDecrement() > 0) {
                throw SdkClientException.create("connection reset");
            }
        }

        @Override
        public void afterExecution(Context.AfterExecution context, ExecutionAttributes attributes) {
            if (concerns(context.request())) {
                arrived.run();
            }
        }
    }

    @Test
    @DisplayName("Q36: where order is kept, those behind wait until the dead letter is safe")
    void whoIsBehindADeadLetterOfItsGroupWaitsUntilThatIsSafe(Queues queues) throws Exception {
        Queue queue = queues.create(true, 5);
        queues.send(queue, List.of("a-bad", "a-next"), null);
        var happened = new ConcurrentLinkedQueue<String>();
        var gate = new CountDownLatch(1);
        LaneSettings lane =
                LaneSettings.lane(
                                "all",
                                new FixedLimit(2),
                                job -> {
                                    gate.await();
                                    happened.add(job.message().text());
                                    if (job.message().text().equals("a-bad")) {
                                        throw new UnprocessableException("not a PDF");
                                    }
                                })
                        .inOrder(Order.KEY);
        var road = new BadRoad(queue.deadLetters(), 1, () -> happened.add("dead letter"));
        try (SqsClient client = Queues.client(queues.port(), road);
                Listener listener = listen(settings(client, queue), lane)) {
            until("the next one waits", () -> listener.lanes().getFirst().waiting() == 1);
            gate.countDown();
            until("all is done", () -> queues.left(queue.url()) == 0);
            assertThat(listener.lanes().getFirst().deadLettered()).isEqualTo(1);
        }
        assertThat(happened).containsExactly("a-bad", "dead letter", "a-next");
    }

    @Test
    void aDeadLetterKeepsItsReasonWhenItHasToBeSentTwice(Queues queues) throws Exception {
        Queue queue = queues.create(false, 50);
        queues.send(queue, List.of("hopeless"), null);
        Work work =
                job -> {
                    throw new UnprocessableException("not a PDF");
                };
        var road = new BadRoad(queue.deadLetters(), 1, () -> {});
        try (SqsClient client = Queues.client(queues.port(), road)) {
            try (Listener listener = listen(settings(client, queue), lane(work))) {
                until("a dead letter", () -> queues.left(queue.deadLetters()) == 1);
                assertThat(listener.trouble()).isNull();
            }
        }
        Message letter = queues.receive(queue.deadLetters()).getFirst();
        assertThat(attribute(letter, "sluice-cause")).endsWith("not a PDF");
    }
}
