package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A partition comes to us, and its group does not say what has become of it so far.
@Timeout(60)
class NewcomersTest {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

    private volatile @Nullable RuntimeException failure = new TimeoutException("nobody there");
    private final AtomicBoolean inRebalance = new AtomicBoolean();
    private final AtomicBoolean askedInRebalance = new AtomicBoolean();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger polls = new AtomicInteger();
    private final Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
    private final AtomicReference<ConsumerLoop> loop = new AtomicReference<>();

    private final MockConsumer<byte[], byte[]> consumer =
            new MockConsumer<>("earliest") {
                @Override
                public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
                        Set<TopicPartition> partitions) {
                    return committed(partitions, Duration.ofMinutes(1));
                }

                @Override
                public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
                        Set<TopicPartition> partitions, Duration timeout) {
                    asked.incrementAndGet();
                    askedInRebalance.compareAndSet(false, inRebalance.get());
                    RuntimeException fails = failure;
                    if (fails != null) {
                        throw fails;
                    }
                    return Map.of(PARTITION, new OffsetAndMetadata(0, "sluice-attempts 0=4"));
                }

                @Override
                public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                    polls.incrementAndGet();
                    return super.poll(timeout);
                }
            };

    private final Lanes lanes =
            new Lanes(
                    List.of(
                            LaneSettings.lane(
                                    "all", new FixedLimit(1), job -> attempts.add(job.attempt()))),
                    message -> "all",
                    this::settle,
                    LaneObserver.NONE);

    private void settle(Message message, Settlement settlement) {
        loop.get().settle(message, settlement);
    }

    private void assign() {
        consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
        inRebalance.set(true);
        consumer.rebalance(List.of(PARTITION));
        inRebalance.set(false);
        consumer.addRecord(new ConsumerRecord<>("orders", 0, 0, new byte[0], new byte[0]));
    }

    private void start() {
        consumer.schedulePollTask(this::assign);
        var settings =
                KafkaSettings.of(
                        Map.of("bootstrap.servers", "nowhere:1", "group.id", "g"), "orders");
        loop.set(new ConsumerLoop(settings, consumer, new DeadLetterTopic(settings), lanes));
        loop.get().start();
    }

    @AfterEach
    void close() {
        loop.get().close(Duration.ofSeconds(10));
    }

    @Test
    void isNotReadBeforeItsAttemptsAreKnownAndHoldsUpNeitherPollsNorTheRebalance()
            throws Exception {
        start();
        until("asked more than once", () -> asked.get() >= 3);
        int polled = polls.get();
        until("polls go on", () -> polls.get() >= polled + 3);
        assertThat(attempts).isEmpty();
        until("somebody is told", () -> loop.get().trouble() != null);
        assertThat(loop.get().trouble()).contains("the group does not say how far [orders-0]");

        failure = null;
        until("it is worked on", () -> !attempts.isEmpty());
        assertThat(attempts).containsExactly(4);
        assertThat(askedInRebalance).isFalse();
        until("no trouble any more", () -> loop.get().trouble() == null);
    }

    /// Whoever may not read what the group has committed can still work.
    @Test
    void beginsAtItsFirstAttemptWhereNobodyMayKnow() throws Exception {
        failure = new GroupAuthorizationException("g");
        start();
        until("it is worked on", () -> !attempts.isEmpty());
        assertThat(attempts).containsExactly(1);
    }
}
