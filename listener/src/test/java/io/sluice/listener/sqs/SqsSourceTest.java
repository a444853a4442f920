package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.Listener;
import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.Classifier;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Order;
import io.sluice.listener.lane.Work;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.sqs.Queues.Queue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequest;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageRequest;

/// A listener on queues of a real SQS endpoint.
@ExtendWith(Queues.class)
@Timeout(180)
class SqsSourceTest {
    private final ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void open() {
        gate.countDown();
    }

    private static List<String> bodies(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    private static LaneSettings lane(int limit, Work work) {
        return LaneSettings.lane("all", new FixedLimit(limit), work)
                .onFailure(
                        FailurePolicy.standard()
                                .otherwise(Backoff.constant(Duration.ofSeconds(1), 3)));
    }

    private static SqsSettings settings(Queues queues, Queue queue) {
        return SqsSettings.of(queues.sqs(), queue.url()).longPoll(Duration.ofSeconds(1));
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

    @Test
    @DisplayName("B3, B4: at three in flight nothing more is received; the rest waits in the queue")
    void theRestWaitsInTheQueue(Queues queues) throws Exception {
        Queue queue = queues.create(false, 5);
        queues.send(queue, bodies("m", 12), null);
        Work work =
                job -> {
                    gate.await();
                    done.add(job.message().text());
                };
        try (Listener listener = listen(settings(queues, queue), lane(3, work))) {
            until("three in flight", () -> listener.lanes().getFirst().inFlight() == 3);
            assertThat(queues.invisible(queue.url())).isEqualTo(3);
            gate.countDown();
            until("all done", () -> done.size() == 12);
            until("all deleted", () -> queues.left(queue.url()) == 0);
        }
        assertThat(done).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName(
            "Q36: a failure is tried again after its pause; the last one is a dead letter with its cause")
    void failuresComeAgainAndEndAsDeadLetters(Queues queues) throws Exception {
        Queue queue = queues.create(false, 50);
        queues.send(queue, List.of("good", "bad", "hopeless"), null);
        var attempts = new ConcurrentLinkedQueue<Integer>();
        Work work =
                job -> {
                    switch (job.message().text()) {
                        case "bad" -> {
                            attempts.add(job.attempt());
                            throw new IllegalStateException("not today");
                        }
                        case "hopeless" -> throw new UnprocessableException("not a PDF");
                        default -> done.add(job.message().text());
                    }
                };
        try (Listener listener = listen(settings(queues, queue), lane(3, work))) {
            until("two dead letters", () -> queues.left(queue.deadLetters()) == 2);
            until("nothing left", () -> queues.left(queue.url()) == 0);
            assertThat(listener.lanes().getFirst().deadLettered()).isEqualTo(2);
        }
        assertThat(done).containsExactly("good");
        assertThat(attempts).containsExactly(1, 2, 3);
        Map<String, String> causes = new ConcurrentHashMap<>();
        while (causes.size() < 2) {
            queues.receive(queue.deadLetters())
                    .forEach(
                            letter ->
                                    causes.put(
                                            letter.body(),
                                            String.valueOf(
                                                    letter.messageAttributes()
                                                            .get("sluice-cause"))));
        }
        assertThat(causes.get("bad")).contains("IllegalStateException: not today");
        assertThat(causes.get("hopeless")).contains("UnprocessableException: not a PDF");
    }

    @Test
    @DisplayName("B6: light messages overtake a full heavy lane, whose messages come to no harm")
    void aFullLaneHarmsNobody(Queues queues) throws Exception {
        // Every hand-back is a delivery: with a maximum of 2, SQS itself would soon make dead
        // letters of them.
        Queue queue = queues.create(false, 2);
        queues.send(queue, bodies("quick", 25), "heavy");
        var quick = new AtomicInteger();
        LaneSettings heavy =
                LaneSettings.lane(
                        "heavy",
                        new FixedLimit(1),
                        job -> {
                            if (job.message().text().startsWith("quick")) {
                                quick.incrementAndGet();
                            } else {
                                gate.await();
                                done.add(job.message().text());
                            }
                        });
        LaneSettings light =
                LaneSettings.lane(
                        "light", new FixedLimit(2), job -> done.add(job.message().text()));
        try (Listener listener = listen(settings(queues, queue), heavy, light)) {
            // A lane whose jobs were quick so far makes appointments a second from now.
            until("quick ones", () -> quick.get() == 25);
            queues.send(queue, bodies("h", 6), "heavy");
            queues.send(queue, bodies("l", 6), "light");
            long before = listener.lanes().getFirst().refused();
            until("all light ones", () -> done.size() == 6);
            until("several rounds", () -> listener.lanes().getFirst().refused() > before + 7);
            assertThat(listener.lanes().getFirst().inFlight()).isEqualTo(1);
            gate.countDown();
            until("all heavy ones", () -> done.size() == 12);
        }
        assertThat(queues.left(queue.deadLetters())).isZero();
        assertThat(done).doesNotHaveDuplicates();
    }

    /// Counts messages that are made visible at once, before their appointment.
    private static final class Callbacks implements ExecutionInterceptor {
        private final AtomicInteger count;

        Callbacks(AtomicInteger count) {
            this.count = count;
        }

        @Override
        public void beforeExecution(
                Context.BeforeExecution context, ExecutionAttributes attributes) {
            if (context.request() instanceof ChangeMessageVisibilityBatchRequest batch) {
                batch.entries().stream()
                        .filter(entry -> entry.visibilityTimeout() == 0)
                        .forEach(entry -> count.incrementAndGet());
            }
        }
    }

    @Test
    @DisplayName(
            "B6: a crowd of heavy messages in front holds up no light one, and does not go round and round")
    void aCrowdOfHeavyMessagesIsPassedOnce(Queues queues) throws Exception {
        Queue queue = queues.create(false, 50);
        queues.send(queue, bodies("h", 100), "heavy");
        queues.send(queue, bodies("l", 3), "light");
        var heavyDone = new AtomicInteger();
        LaneSettings heavy =
                LaneSettings.lane(
                        "heavy",
                        new FixedLimit(1),
                        job -> {
                            if (heavyDone.get() == 0) {
                                gate.await();
                            }
                            heavyDone.incrementAndGet();
                        });
        LaneSettings light =
                LaneSettings.lane(
                        "light", new FixedLimit(2), job -> done.add(job.message().text()));
        var calledBack = new AtomicInteger();
        try (SqsClient client = Queues.client(queues.port(), new Callbacks(calledBack))) {
            SqsSettings settings =
                    SqsSettings.of(client, queue.url()).longPoll(Duration.ofSeconds(1));
            Listener listener = listen(settings, heavy, light);
            try {
                until("all light ones", () -> done.size() == 3);
                assertThat(listener.lanes().getFirst().refused())
                        .as("about once each")
                        .isLessThan(130);
                assertThat(calledBack).as("their lane is full").hasValue(0);
                gate.countDown();
                until("some are called back", () -> calledBack.get() > 0);
                until("many heavy ones", () -> heavyDone.get() >= 15);
            } finally {
                listener.stop(Duration.ofSeconds(10));
            }
        }
        assertThat(queues.invisible(queue.url())).as("in flight to nobody").isZero();
    }

    @Test
    void aLongJobKeepsItsLease(Queues queues) throws Exception {
        Queue queue = queues.create(false, 5);
        queues.send(queue, List.of("long"), null);
        var begun = new AtomicInteger();
        Work work =
                job -> {
                    begun.incrementAndGet();
                    gate.await();
                    done.add(job.message().text());
                };
        SqsSettings settings =
                settings(queues, queue).lease(Duration.ofSeconds(2), Duration.ofMinutes(5));
        try (Listener listener = listen(settings, lane(2, work))) {
            until("begun", () -> begun.get() == 1);
            long leased = System.nanoTime() + Duration.ofSeconds(5).toNanos();
            until("more than two leases long", () -> System.nanoTime() - leased > 0);
            assertThat(begun).as("nobody else got it").hasValue(1);
            assertThat(listener.lanes().getFirst().lost()).isZero();
            gate.countDown();
            until("deleted", () -> queues.left(queue.url()) == 0);
        }
    }

    @Test
    void aJobThatTakesTooLongIsCancelledAndNeverAcknowledged(Queues queues) throws Exception {
        Queue queue = queues.create(false, 5);
        queues.send(queue, List.of("endless"), null);
        var interrupted = new CountDownLatch(1);
        Work work =
                job -> {
                    try {
                        gate.await();
                    } catch (InterruptedException e) {
                        assertThat(job.cancelled()).contains("longer than PT2S");
                        interrupted.countDown();
                    }
                };
        SqsSettings settings =
                settings(queues, queue).lease(Duration.ofSeconds(2), Duration.ofSeconds(2));
        try (Listener listener = listen(settings, lane(1, work))) {
            interrupted.await();
            until("it has failed", () -> listener.lanes().getFirst().retried() > 0);
            assertThat(listener.lanes().getFirst().done()).isZero();
            gate.countDown();
            until("done at another attempt", () -> queues.left(queue.url()) == 0);
        }
    }

    @Test
    void aJobThatNeverEndsIsADeadLetterInTheEnd(Queues queues) throws Exception {
        Queue queue = queues.create(false, 50);
        queues.send(queue, List.of("endless"), null);
        LaneSettings lane =
                LaneSettings.lane("all", new FixedLimit(1), job -> gate.await())
                        .onFailure(
                                FailurePolicy.standard()
                                        .otherwise(Backoff.constant(Duration.ZERO, 2)));
        SqsSettings settings =
                settings(queues, queue).lease(Duration.ofSeconds(2), Duration.ofSeconds(2));
        try (Listener listener = listen(settings, lane)) {
            until("a dead letter", () -> queues.left(queue.deadLetters()) == 1);
            until("nothing left", () -> queues.left(queue.url()) == 0);
            assertThat(listener.lanes().getFirst().retried()).isEqualTo(1);
        }
        var attributes = queues.receive(queue.deadLetters()).getFirst().messageAttributes();
        assertThat(String.valueOf(attributes.get("sluice-cause")))
                .contains("TimeoutException: its job takes longer than PT2S");
        assertThat(String.valueOf(attributes.get("sluice-attempts"))).contains("StringValue=2");
    }

    @Test
    void messagesOfAGroupStayInOrder(Queues queues) throws Exception {
        Queue queue = queues.create(true, 5);
        List<String> sent =
                IntStream.range(0, 40).mapToObj(i -> (i % 3) + "-" + (100 + i)).toList();
        queues.send(queue, sent, null);
        Map<String, ConcurrentLinkedQueue<String>> seen = new ConcurrentHashMap<>();
        Work work =
                job -> {
                    String text = job.message().text();
                    if (text.endsWith("110") && job.attempt() == 1) {
                        throw new IllegalStateException("once");
                    }
                    seen.computeIfAbsent(
                                    String.valueOf(job.message().key()),
                                    key -> new ConcurrentLinkedQueue<>())
                            .add(text);
                    done.add(text);
                };
        try (Listener listener =
                listen(settings(queues, queue), lane(8, work).inOrder(Order.KEY))) {
            until("all done", () -> done.size() == 40);
            assertThat(listener.trouble()).isNull();
        }
        assertThat(seen).hasSize(3);
        assertThat(seen.values()).allSatisfy(group -> assertThat(List.copyOf(group)).isSorted());
    }

    @Test
    void stoppingLeavesNothingInFlightToNobody(Queues queues) throws Exception {
        Queue queue = queues.create(false, 50);
        queues.send(queue, bodies("m", 10), null);
        Work work = job -> gate.await();
        Listener listener = listen(settings(queues, queue), lane(4, work));
        until("four in flight", () -> listener.lanes().getFirst().inFlight() == 4);

        assertThat(listener.stop(Duration.ofSeconds(3))).as("jobs did not end").isFalse();
        assertThat(queues.invisible(queue.url())).isZero();
        assertThat(queues.left(queue.url())).isEqualTo(10);
    }

    @Test
    void aQueueThatDoesNotExistIsNamedAtStart(Queues queues) {
        Queue queue = queues.create(false, 5);
        var missing = SqsSettings.of(queues.sqs(), queue.url() + "-not");
        assertThatThrownBy(() -> listen(missing, lane(1, job -> {})))
                .hasMessageContaining("There is no queue at")
                .hasMessageContaining("-not");
    }

    @Test
    void aQueueWithoutDeadLettersIsRefused(Queues queues) {
        Queue queue = queues.create(false, 5);
        var plain = SqsSettings.of(queues.sqs(), queue.deadLetters());
        assertThatThrownBy(() -> listen(plain, lane(1, job -> {})))
                .hasMessageContaining("has no dead-letter queue");
    }

    @Test
    void aQueueThatGoesAwayIsTroubleAndNothingMore(Queues queues) throws Exception {
        Queue queue = queues.create(false, 5);
        SqsSettings settings = settings(queues, queue).longPoll(Duration.ZERO);
        try (Listener listener = listen(settings, lane(1, job -> done.add(job.message().text())))) {
            queues.sqs().deleteQueue(request -> request.queueUrl(queue.url()));
            until("trouble", () -> listener.trouble() != null);
            assertThat(listener.trouble()).startsWith("Nothing can be received from queue q");
        }
    }

    @Test
    void aLeaseThatTheQueueDoesNotRenewCancelsTheJobWhichIsNeverAcknowledged(Queues queues)
            throws Exception {
        Queue queue = queues.create(false, 5);
        queues.send(queue, List.of("taken away"), null);
        var why = new ConcurrentLinkedQueue<String>();
        Work work =
                job -> {
                    done.add(job.message().text());
                    try {
                        gate.await();
                    } catch (InterruptedException e) {
                        why.add(String.valueOf(job.cancelled()));
                    }
                };
        SqsSettings settings =
                settings(queues, queue).lease(Duration.ofSeconds(2), Duration.ofMinutes(5));
        try (Listener listener = listen(settings, lane(1, work))) {
            until("it runs", () -> done.size() == 1);
            queues.sqs().purgeQueue(request -> request.queueUrl(queue.url()));
            until("its slot is back", () -> listener.lanes().getFirst().lost() == 1);
            until("its thread is back", () -> listener.lanes().getFirst().inFlight() == 0);
            assertThat(listener.lanes().getFirst().done()).isZero();
        }
        assertThat(why.peek()).startsWith("the queue no longer leases it to us");
    }

    /// Nothing would be received any more, and nobody would know.
    @Test
    void aThreadOfItsOwnThatHasEndedIsTrouble(Queues queues) throws Exception {
        SqsSettings settings = settings(queues, queues.create(false, 5));
        String name = "sluice-polls-" + settings.queue();
        try (Listener listener = listen(settings, lane(1, job -> {}))) {
            assertThat(listener.trouble()).isNull();
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals(name))
                    .forEach(Thread::interrupt);
            until("trouble", () -> listener.trouble() != null);
            assertThat(listener.trouble()).startsWith("Thread " + name + " has ended");
        }
    }

    @Test
    @DisplayName("B7: one poll waits for a message, instead of many that come back empty")
    void pollsAreLong(Queues queues) throws Exception {
        Queue queue = queues.create(false, 5);
        var polls = new AtomicInteger();
        var counting =
                new ExecutionInterceptor() {
                    @Override
                    public void beforeExecution(
                            Context.BeforeExecution context, ExecutionAttributes attributes) {
                        if (context.request() instanceof ReceiveMessageRequest) {
                            polls.incrementAndGet();
                        }
                    }
                };
        try (SqsClient client = Queues.client(queues.port(), counting)) {
            SqsSettings settings =
                    SqsSettings.of(client, queue.url()).longPoll(Duration.ofSeconds(4));
            Work work = job -> done.add(job.message().text());
            try (Listener listener = listen(settings, lane(1, work))) {
                until("the first poll", () -> polls.get() == 1);
                queues.send(queue, List.of("late"), null);
                until("the message", () -> done.contains("late"));
                assertThat(polls.get()).as("that one, and perhaps the next").isLessThanOrEqualTo(2);
                assertThat(listener.idle()).isLessThan(Duration.ofMinutes(1));
            }
        }
    }
}
