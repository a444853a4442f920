package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.lane.Order;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A record is on its way into a lane, and in that very moment the one before it goes back.
@Timeout(60)
class ComebackOrderTest {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

    private static final List<ConsumerRecord<byte[], byte[]>> RECORDS =
            List.of(record(0, "first"), record(1, "second"));

    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> jobs = new ConcurrentLinkedQueue<>();
    private final CountDownLatch gap = new CountDownLatch(1);
    private int asked;
    private final AtomicReference<ConsumerLoop> loop = new AtomicReference<>();
    private final MockConsumer<byte[], byte[]> consumer =
            new MockConsumer<>("earliest") {
                /// The mock forgets what it has returned; a broker brings it again.
                @Override
                public synchronized void seek(TopicPartition partition, long offset) {
                    super.seek(partition, offset);
                    RECORDS.stream()
                            .filter(record -> record.offset() >= offset)
                            .forEach(this::addRecord);
                }
            };

    private final Lanes lanes =
            new Lanes(
                    List.of(
                            LaneSettings.lane(
                                            "all",
                                            new FixedLimit(3),
                                            job -> work(job.message().text(), job.attempt()))
                                    .on(jobs::add)
                                    .inOrder(Order.KEY)
                                    .onFailure(
                                            FailurePolicy.standard()
                                                    .otherwise(
                                                            Backoff.constant(
                                                                    Duration.ofMillis(10), 3)))),
                    this::laneOf,
                    this::settle,
                    LaneObserver.NONE);

    private void settle(Message message, Settlement settlement) {
        loop.get().settle(message, settlement);
    }

    /// The first is interrupted between two attempts, and therefore goes back.
    private void work(String text, int attempt) {
        begun.add(text);
        if (text.equals("first") && begun.size() == 1) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("attempt " + attempt + " fails");
        }
    }

    /// The loop asks twice: for the record's order, before it looks at what came back, and when it hands the record in. Before the second answer is the gap.
    private String laneOf(Message message) {
        if (message.text().equals("second") && ++asked == 2) {
            jobs.remove().run();
            gap.countDown();
        }
        return "all";
    }

    @AfterEach
    void close() {
        loop.get().close(Duration.ofSeconds(10));
    }

    @Test
    void aRecordDoesNotOvertakeTheOneThatGoesBackInThatMoment() throws Exception {
        consumer.schedulePollTask(
                () -> {
                    consumer.rebalance(List.of(PARTITION));
                    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
                    RECORDS.forEach(consumer::addRecord);
                });
        var settings =
                KafkaSettings.of(
                        Map.of("bootstrap.servers", "nowhere:1", "group.id", "g"), "orders");
        loop.set(new ConsumerLoop(settings, consumer, new DeadLetterTopic(settings), lanes));
        loop.get().start();

        gap.await();
        until(
                "both are done",
                () -> {
                    for (Runnable job = jobs.poll(); job != null; job = jobs.poll()) {
                        job.run();
                    }
                    return begun.size() == 3;
                });
        assertThat(begun).containsExactly("first", "first", "second");
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, String text) {
        return new ConsumerRecord<>(
                "orders",
                0,
                offset,
                "key".getBytes(StandardCharsets.UTF_8),
                text.getBytes(StandardCharsets.UTF_8));
    }
}
