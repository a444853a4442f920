package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.lane.Work;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a member of a share group does while nothing comes.
@Timeout(60)
class ShareLoopTest {
    private final KafkaSettings settings =
            KafkaSettings.of(Map.of("bootstrap.servers", "nowhere:1", "group.id", "g"), "orders");
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

    private ShareLoop loop(MockShareConsumer<byte[], byte[]> client, Intake intake) {
        return new ShareLoop(
                "member",
                settings,
                new ShareGroup(5),
                () -> client,
                new DeadLetterTopic(settings),
                intake,
                () -> {});
    }

    /// The request of a poll that ended with nothing is still under way. If somebody else had its room, nobody would look at the record that it brings: its lock
    /// would end, and after a few times the broker would archive it.
    @Test
    void whoHasAskedOnceKeepsItsRoomUntilSomethingComes() throws Exception {
        lanes.onRoom(() -> gaveRoomBack.set(true));
        var loop = loop(consumer, lanes);
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

    /// The same lanes, but the first message that is handed in does not arrive.
    private static Intake breakingOnce(Intake lanes) {
        var broken = new AtomicBoolean();
        return standIn(
                Intake.class,
                lanes,
                (method, answer) ->
                        method.equals("reserve")
                                ? standIn(
                                        Reservation.class,
                                        (Reservation) answer.call(),
                                        (inner, delivered) -> {
                                            if (inner.equals("deliver")
                                                    && broken.compareAndSet(false, true)) {
                                                throw new IllegalStateException("not now");
                                            }
                                            return delivered.call();
                                        })
                                : answer.call());
    }

    /// Says something else than the real one to a call, by its name.
    private interface Instead {
        @Nullable Object of(String method, Callable<@Nullable Object> answer) throws Exception;
    }

    private static <T> T standIn(Class<T> type, T real, Instead instead) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) ->
                                instead.of(
                                        method.getName(), () -> method.invoke(real, arguments))));
    }

    /// Renewed for ever for a job that nobody has begun, it would be nobody's until the process ends.
    @Test
    void aRecordThatCouldNotBeHandedInIsHandedInAgain() throws Exception {
        var record = new ConsumerRecord<>("orders", 0, 0L, new byte[0], new byte[0]);
        var brought = new AtomicBoolean();
        var done = new CountDownLatch(1);
        var broker =
                new MockShareConsumer<byte[], byte[]>() {
                    @Override
                    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                        return brought.compareAndSet(false, true)
                                ? new ConsumerRecords<>(
                                        Map.of(new TopicPartition("orders", 0), List.of(record)),
                                        Map.of())
                                : ConsumerRecords.empty();
                    }

                    @Override
                    public synchronized void acknowledge(
                            ConsumerRecord<byte[], byte[]> of, AcknowledgeType type) {}
                };
        var working =
                new Lanes(
                        List.of(
                                LaneSettings.lane(
                                        "all", new FixedLimit(1), job -> done.countDown())),
                        message -> "all",
                        (message, settlement) -> {},
                        LaneObserver.NONE);
        var loop = loop(broker, breakingOnce(working));
        loop.start();
        try {
            done.await();
        } finally {
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
        }
    }

    /// As the client does for ever, once it has handed out a record that nobody has taken note of.
    @Test
    void aClientThatRefusesEveryPollIsReplaced() throws Exception {
        var refuses =
                new MockShareConsumer<byte[], byte[]>() {
                    @Override
                    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                        throw new IllegalStateException("All records must be acknowledged");
                    }
                };
        var works = new OneRecord();
        var clients = new AtomicInteger();
        var done = new CountDownLatch(1);
        var loop =
                new ShareLoop(
                        "member",
                        settings,
                        new ShareGroup(5),
                        () -> clients.getAndIncrement() == 0 ? refuses : works,
                        new DeadLetterTopic(settings),
                        lanes(job -> done.countDown(), (message, settlement) -> {}),
                        () -> {});
        loop.start();
        try {
            done.await();
            assertThat(clients).hasValue(2);
        } finally {
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
        }
    }

    /// One record, shown once, and again when its lock has been renewed, unless that takes its time.
    private static final class OneRecord extends MockShareConsumer<byte[], byte[]> {
        final List<AcknowledgeType> words = new CopyOnWriteArrayList<>();
        final AtomicBoolean slow = new AtomicBoolean();
        private final AtomicBoolean shown = new AtomicBoolean();
        private final AtomicBoolean woken = new AtomicBoolean();

        @Override
        public synchronized void wakeup() {
            woken.set(true);
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            if (woken.getAndSet(false)) {
                slow.set(false);
                throw new WakeupException();
            }
            if (slow.get() || shown.getAndSet(true)) {
                return ConsumerRecords.empty();
            }
            var record = new ConsumerRecord<>("orders", 0, 0L, new byte[0], new byte[0]);
            return new ConsumerRecords<>(
                    Map.of(new TopicPartition("orders", 0), List.of(record)), Map.of());
        }

        @Override
        public synchronized void acknowledge(
                ConsumerRecord<byte[], byte[]> record, AcknowledgeType type) {
            words.add(type);
        }

        @Override
        public synchronized Map<TopicIdPartition, Optional<KafkaException>> commitSync(
                Duration timeout) {
            shown.set(false);
            return Map.of();
        }
    }

    private static Lanes lanes(Work work, BiConsumer<Message, Settlement> settled) {
        return new Lanes(
                List.of(
                        LaneSettings.lane("heavy", new FixedLimit(1), work),
                        LaneSettings.lane("light", new FixedLimit(1), job -> {})),
                message -> "heavy",
                settled,
                LaneObserver.NONE);
    }

    /// The stop wakes a loop that waits for nothing; what it says last must be heard nevertheless.
    @Test
    void aJobThatIsDoneIsAcknowledgedThoughAStopWakesTheClient() throws Exception {
        var broker = new OneRecord();
        var jobEnds = new CountDownLatch(1);
        var owner = new AtomicReference<ShareLoop>();
        var settled = new CountDownLatch(1);
        Lanes working =
                lanes(
                        job -> jobEnds.await(),
                        (message, settlement) -> {
                            requireNonNull(owner.get()).settle(message, settlement);
                            settled.countDown();
                        });
        ShareLoop loop = loop(broker, working);
        owner.set(loop);
        loop.start();
        until("one renewal", () -> broker.words.contains(AcknowledgeType.RENEW));
        broker.slow.set(true); // the next one is still under way when the listener stops
        int before = broker.words.size();
        until("another", () -> broker.words.size() > before);
        jobEnds.countDown();
        settled.await();
        loop.beginClosing(Duration.ofSeconds(10));
        loop.close(Duration.ofSeconds(10));
        assertThat(broker.words).endsWith(AcknowledgeType.ACCEPT);
    }

    /// Lanes that are closed send it back at once.
    @Test
    void aStopDoesNotHandInWhatWaits() throws Exception {
        var broker = new OneRecord();
        var jobEnds = new CountDownLatch(1);
        var owner = new AtomicReference<ShareLoop>();
        var refusals = new AtomicInteger();
        Lanes full =
                lanes(
                        job -> jobEnds.await(),
                        (message, settlement) -> {
                            if (settlement instanceof Settlement.HandBack) {
                                refusals.incrementAndGet();
                                requireNonNull(owner.get()).settle(message, settlement);
                            }
                        });
        try (Reservation room = full.reserve(1)) {
            room.deliver(
                    List.of(new Message("m", new byte[0], Map.of(), null, "p", 1, "elsewhere")));
        }
        ShareLoop loop = loop(broker, full);
        owner.set(loop);
        loop.start();
        try {
            until("the lane was full", () -> refusals.get() > 0);
            full.stop();
            loop.stopReceiving();
            int before = refusals.get();
            int renewed = broker.words.size();
            until("some turns", () -> broker.words.size() > renewed);
            assertThat(refusals.get() - before).isLessThan(3);
        } finally {
            jobEnds.countDown();
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
        }
        assertThat(broker.words).endsWith(AcknowledgeType.RELEASE);
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
        var working =
                new Lanes(
                        List.of(
                                LaneSettings.lane(
                                        "all", new FixedLimit(1), job -> jobEnds.await())),
                        message -> "all",
                        (message, settlement) -> {},
                        LaneObserver.NONE);
        var loop = loop(broker, working);
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
