package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.sqs.Queues.Queue;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageRequest;

/// How many polls ask a queue.
@ExtendWith(Queues.class)
@Timeout(180)
class IdlePollsTest {
    @Test
    @DisplayName(
            "B7: slots that get free one by one are asked for by one poll when the queue is empty")
    void pollsOfAnIdleQueueMerge(Queues queues) throws Exception {
        Queue queue = queues.create(false, 5);
        queues.send(queue, IntStream.range(0, 10).mapToObj(i -> "m" + i).toList(), null);
        var sizes = new ConcurrentLinkedQueue<Integer>();
        ExecutionInterceptor asking = sizes(sizes);
        var ends = new Semaphore(0);
        var done = new AtomicInteger();
        LaneSettings lane =
                LaneSettings.lane(
                        "all",
                        new FixedLimit(10),
                        job -> {
                            ends.acquire();
                            done.incrementAndGet();
                        });
        try (SqsClient client = Queues.client(queues.port(), asking);
                Listener listener =
                        Listener.of(
                                        new SqsSource(
                                                SqsSettings.of(client, queue.url())
                                                        .longPoll(Duration.ofSeconds(2))))
                                .lane(lane)
                                .start()) {
            until("all slots taken", () -> listener.lanes().getFirst().inFlight() == 10);
            for (int i = 1; i <= 10; i++) {
                int ended = i;
                ends.release();
                until("one more slot", () -> done.get() == ended);
            }
            sizes.clear();
            until("one poll for all of them", () -> sizes.contains(10));
            assertThat(listener.trouble()).isNull();
        }
    }

    /// Not one for each message, however soon its slot is free again.
    @Test
    void shortJobsShareTheirPolls(Queues queues) throws Exception {
        Queue queue = queues.create(false, 5);
        int count = 300;
        queues.send(queue, IntStream.range(0, count).mapToObj(i -> "m" + i).toList(), null);
        var sizes = new ConcurrentLinkedQueue<Integer>();
        var done = new AtomicInteger();
        LaneSettings lane =
                LaneSettings.lane("all", new FixedLimit(10), job -> done.incrementAndGet());
        try (SqsClient client = Queues.client(queues.port(), sizes(sizes));
                Listener _ =
                        Listener.of(
                                        new SqsSource(
                                                SqsSettings.of(client, queue.url())
                                                        .longPoll(Duration.ofSeconds(2))))
                                .lane(lane)
                                .start()) {
            until("all done", () -> done.get() == count);
            assertThat(sizes.size()).isLessThan(count / 2);
        }
    }

    private static ExecutionInterceptor sizes(ConcurrentLinkedQueue<Integer> sizes) {
        return new ExecutionInterceptor() {
            @Override
            public void beforeExecution(
                    Context.BeforeExecution context, ExecutionAttributes attributes) {
                if (context.request() instanceof ReceiveMessageRequest poll) {
                    sizes.add(poll.maxNumberOfMessages());
                }
            }
        };
    }
}
