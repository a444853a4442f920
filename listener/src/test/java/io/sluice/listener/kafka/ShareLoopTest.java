package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.limit.FixedLimit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a member of a share group does while nothing comes.
@Timeout(60)
class ShareLoopTest {
    private final AtomicInteger polls = new AtomicInteger();
    private final AtomicBoolean gaveRoomBack = new AtomicBoolean();

    private final Lanes lanes =
            new Lanes(
                    List.of(LaneSettings.lane("all", new FixedLimit(1), job -> {})),
                    message -> "all",
                    (message, settlement) -> {},
                    LaneObserver.NONE);

    private final MockShareConsumer<byte[], byte[]> consumer =
            new MockShareConsumer<>() {
                @Override
                public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                    polls.incrementAndGet();
                    return super.poll(timeout);
                }
            };

    /// The request of a poll that ended with nothing is still under way. If somebody else had its room, nobody would look at the record that it brings: its lock
    /// would end, and after a few times the broker would archive it.
    @Test
    void whoHasAskedOnceKeepsItsRoomUntilSomethingComes() throws Exception {
        lanes.onRoom(() -> gaveRoomBack.set(true));
        var settings =
                KafkaSettings.of(
                        Map.of("bootstrap.servers", "nowhere:1", "group.id", "g"), "orders");
        var loop =
                new ShareLoop(settings, consumer, new DeadLetterTopic(settings), lanes, () -> {});
        loop.start();
        try {
            until("some polls", () -> polls.get() > 20);
            assertThat(gaveRoomBack).isFalse();
            assertThat(lanes.reserved()).isEqualTo(1);
        } finally {
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
        }
        assertThat(lanes.reserved()).isZero();
    }

    /// A record that a renewing poll fetched would lie in the client, behind the one that is worked on.
    @Test
    void whileARecordIsHeldItsLockIsRenewedAndNothingElseIsFetched() throws Exception {
        var record = new ConsumerRecord<>("orders", 0, 0L, new byte[0], new byte[0]);
        var jobEnds = new CountDownLatch(1);
        var renewals = new AtomicInteger();
        var fetches = new AtomicInteger();
        var shown = new AtomicBoolean();
        var broker =
                new MockShareConsumer<byte[], byte[]>() {
                    /// As the real one: shows what has been renewed, and otherwise fetches.
                    @Override
                    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                        if (!shown.compareAndSet(false, true)) {
                            fetches.incrementAndGet();
                            return ConsumerRecords.empty();
                        }
                        return new ConsumerRecords<>(
                                Map.of(new TopicPartition("orders", 0), List.of(record)), Map.of());
                    }

                    @Override
                    public synchronized void acknowledge(
                            ConsumerRecord<byte[], byte[]> of, AcknowledgeType type) {
                        if (type == AcknowledgeType.RENEW) {
                            renewals.incrementAndGet();
                        }
                    }

                    @Override
                    public synchronized Map<TopicIdPartition, Optional<KafkaException>> commitSync(
                            Duration timeout) {
                        shown.set(false);
                        return Map.of();
                    }
                };
        var settings =
                KafkaSettings.of(
                        Map.of("bootstrap.servers", "nowhere:1", "group.id", "g"), "orders");
        var working =
                new Lanes(
                        List.of(
                                LaneSettings.lane(
                                        "all", new FixedLimit(1), job -> jobEnds.await())),
                        message -> "all",
                        (message, settlement) -> {},
                        LaneObserver.NONE);
        var loop =
                new ShareLoop(settings, broker, new DeadLetterTopic(settings), working, () -> {});
        loop.start();
        try {
            until("two renewals", () -> renewals.get() == 2);
            assertThat(fetches).hasValue(0);
        } finally {
            jobEnds.countDown();
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
        }
    }
}
