package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.LaneState;
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
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Dead letters that nobody takes: there is no broker for them.
@Timeout(60)
class BurialOrderTest {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> jobs = new ConcurrentLinkedQueue<>();
    private final AtomicReference<ConsumerLoop> loop = new AtomicReference<>();
    private final AtomicReference<Runnable> duringCommit = new AtomicReference<>(() -> {});
    private final MockConsumer<byte[], byte[]> consumer =
            new MockConsumer<>("earliest") {
                @Override
                public synchronized void commitSync(
                        Map<TopicPartition, OffsetAndMetadata> offsets) {
                    duringCommit.get().run();
                    super.commitSync(offsets);
                }
            };
    private final Lanes lanes =
            new Lanes(
                    List.of(
                            LaneSettings.lane(
                                            "all",
                                            new FixedLimit(2),
                                            job -> work(job.message().text()))
                                    .on(jobs::add)
                                    .inOrder(Order.KEY)),
                    message -> "all",
                    this::settle,
                    LaneObserver.NONE);

    private void settle(Message message, Settlement settlement) {
        loop.get().settle(message, settlement);
    }

    private void work(String text) {
        begun.add(text);
        throw new UnprocessableException("not a PDF");
    }

    private LaneState state() {
        return lanes.states().getFirst();
    }

    @AfterEach
    void close() {
        loop.get().close(Duration.ofSeconds(10));
    }

    private void start() {
        consumer.schedulePollTask(
                () -> {
                    consumer.rebalance(List.of(PARTITION));
                    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
                    consumer.addRecord(record(0, "first"));
                    consumer.addRecord(record(1, "second"));
                });
        var settings =
                KafkaSettings.of(
                                Map.of("bootstrap.servers", "nowhere.invalid:1", "group.id", "g"),
                                "orders")
                        .revokePatience(Duration.ZERO);
        loop.set(new ConsumerLoop(settings, consumer, new DeadLetterTopic(settings), lanes));
        loop.get().start();
    }

    @Test
    void whoIsBehindADeadLetterThatCannotBeSentComesAgainAfterIt() throws Exception {
        start();
        until("both are here", () -> state().inFlight() == 2);
        jobs.remove().run();

        until("both went back", () -> state().handedBack() >= 2);
        until("both slots are free", () -> state().inFlight() == 0);
        assertThat(jobs).as("the second has not begun").isEmpty();
        assertThat(begun).containsExactly("first");
        assertThat(state().deadLettered()).isZero();
    }

    @Test
    void aDeadLetterOfAPartitionThatIsNoLongerOursCostsNoSlot() throws Exception {
        start();
        until("both are here", () -> state().inFlight() == 2);
        // It fails after the last look at verdicts and before the partition is let go.
        duringCommit.set(() -> jobs.forEach(Runnable::run));
        consumer.schedulePollTask(() -> consumer.rebalance(List.of()));

        until("both slots are free", () -> state().inFlight() == 0);
        assertThat(begun).containsExactly("first");
        assertThat(state().deadLettered()).isZero();
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
