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
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a member of a share group does while nothing comes.
@Timeout(60)
class ShareLoopTest {
    private final KafkaSettings settings =
            KafkaSettings.of(
                    Map.of(
                            "bootstrap.servers",
                            "nowhere:1",
                            "group.id",
                            "g",
                            "heartbeat.interval.ms",
                            "200"),
                    "orders");
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
        return loop(() -> client, intake);
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
        ShareLoop loop =
                loop(
                        () -> clients.getAndIncrement() == 0 ? refuses : works,
                        lanes(job -> done.countDown(), (message, settlement) -> {}));
        loop.start();
        try {
            done.await();
            assertThat(clients).hasValue(2);
        } finally {
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
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

    private ShareLoop loop(Supplier<ShareConsumer<byte[], byte[]>> clients, Intake intake) {
        return new ShareLoop(
                "member",
                settings,
                new ShareGroup(5),
                clients,
                new DeadLetterTopic(settings),
                intake,
                () -> {});
    }

    /// A record that a renewing poll fetched would lie in the client, behind the one that is worked on.
    @Test
    void whileARecordIsHeldItsLockIsRenewedAndNothingElseIsFetched() throws Exception {
        var broker = new OneRecord();
        var jobEnds = new CountDownLatch(1);
        ShareLoop loop = loop(broker, lanes(job -> jobEnds.await(), (message, settlement) -> {}));
        loop.start();
        try {
            until("renewals", () -> broker.words.size() == 2);
            broker.slow.set(true);
            until("one that takes its time", () -> broker.words.size() == 3);
            LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
            assertThat(broker.fetches).hasValue(0);
            broker.slow.set(false);
            until("another", () -> broker.words.size() == 4);
            assertThat(broker.fetches).hasValue(0);
            assertThat(broker.words).containsOnly(AcknowledgeType.RENEW);
        } finally {
            jobEnds.countDown();
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
        }
    }

    /// By then somebody else has the record; and the client would show it never again.
    @Test
    void aRenewalThatNobodyConfirmsEndsItsJobAndItsClient() throws Exception {
        var deaf = new OneRecord();
        deaf.slow.set(true);
        var next = new OneRecord();
        var begun = new AtomicInteger();
        var cancelled = new CountDownLatch(1);
        var clients = new AtomicInteger();
        var owner = new AtomicReference<ShareLoop>();
        ShareLoop loop =
                loop(
                        () -> clients.getAndIncrement() == 0 ? deaf : next,
                        lanes(
                                job -> {
                                    if (begun.incrementAndGet() == 1) {
                                        try {
                                            new CountDownLatch(1).await();
                                        } catch (InterruptedException e) {
                                            cancelled.countDown();
                                        }
                                    }
                                },
                                (message, settlement) ->
                                        requireNonNull(owner.get()).settle(message, settlement)));
        owner.set(loop);
        loop.start();
        try {
            cancelled.await();
            until("another client brings it", () -> begun.get() == 2);
            assertThat(deaf.fetches).hasValue(0);
        } finally {
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
        }
    }

    /// Its group refuses it once, and from then on it waits without a word.
    @Test
    void aClientThatItsGroupHasRefusedIsReplaced() throws Exception {
        var refused =
                new MockShareConsumer<byte[], byte[]>() {
                    private boolean told;

                    @Override
                    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                        if (!told) {
                            told = true;
                            throw new GroupAuthorizationException("g");
                        }
                        return ConsumerRecords.empty();
                    }
                };
        var works = new OneRecord();
        var clients = new AtomicInteger();
        var done = new CountDownLatch(1);
        ShareLoop loop =
                loop(
                        () -> clients.getAndIncrement() == 0 ? refused : works,
                        lanes(job -> done.countDown(), (message, settlement) -> {}));
        loop.start();
        try {
            until("its reason", () -> loop.trouble() != null);
            assertThat(loop.trouble()).contains("GroupAuthorizationException");
            done.await();
        } finally {
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
        }
    }

    /// While a job ran, it lay in the client with nobody who renewed its lock.
    @Test
    void whatMayHaveLainInTheClientForLongIsRenewedBeforeAnybodyBeginsWithIt() throws Exception {
        var broker = new OneRecord();
        var begun = new CountDownLatch(1);
        var lanes = lanes(job -> begun.countDown(), (message, settlement) -> {});
        Reservation light = lanes.reserve(1);
        Reservation heavy = lanes.reserve(1);
        ShareLoop loop = loop(broker, lanes);
        loop.start();
        try {
            // Longer than a look and half a lock in which it does not look, for want of room.
            LockSupport.parkNanos(Duration.ofMillis(3_500).toNanos());
            broker.slow.set(true);
            heavy.close();
            until("a renewal first", () -> broker.words.contains(AcknowledgeType.RENEW));
            LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
            assertThat(begun.getCount()).as("nobody has begun").isEqualTo(1);
            broker.slow.set(false);
            begun.await();
        } finally {
            light.close();
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
        }
    }

    /// It came behind the one whose lock was renewed.
    @Test
    void whatMayHaveComeDuringALongJobIsRenewedBeforeAnybodyBeginsWithIt() throws Exception {
        var broker = new OneRecord();
        var begun = new AtomicInteger();
        var owner = new AtomicReference<ShareLoop>();
        ShareLoop loop =
                loop(
                        broker,
                        lanes(
                                job -> {
                                    if (begun.incrementAndGet() == 1) {
                                        LockSupport.parkNanos(Duration.ofMillis(3_500).toNanos());
                                        broker.slow.set(true);
                                        broker.shown.set(false);
                                    }
                                },
                                (message, settlement) ->
                                        requireNonNull(owner.get()).settle(message, settlement)));
        owner.set(loop);
        loop.start();
        try {
            until("the first is done", () -> broker.words.contains(AcknowledgeType.ACCEPT));
            until("the second is renewed", () -> broker.words.getLast() == AcknowledgeType.RENEW);
            LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
            assertThat(begun).as("nobody has begun with it").hasValue(1);
            broker.slow.set(false);
            until("then it is worked on", () -> begun.get() == 2);
        } finally {
            loop.beginClosing(Duration.ofSeconds(10));
            loop.close(Duration.ofSeconds(10));
        }
    }

    /// A second poll could ask for a second record just when the first brings one.
    @Test
    void looksWithALongPollWhichAStopEnds() throws Exception {
        var client = new Silence();
        ShareLoop loop = loop(client, lanes);
        loop.start();
        until("it looks", () -> !client.looks.isEmpty());
        assertThat(client.looks.getFirst()).isGreaterThan(Duration.ofSeconds(1));
        assertThat(lanes.reserved()).isEqualTo(1);

        loop.stopReceiving();
        int before = client.looks.size();
        until("nothing is left to do for it", () -> !loop.alive());
        assertThat(client.closed).isTrue();
        assertThat(lanes.reserved()).isZero();
        assertThat(client.looks.size()).isLessThanOrEqualTo(before + 1);
        assertThat(loop.trouble()).isNull();
    }

    @Test
    void whoLooksAndHearsNothingIsInTroubleWhoHasNothingToAskIsNot() throws Exception {
        ShareLoop looks = loop(new Silence(), lanes);
        looks.start();
        until("it looks", () -> lanes.reserved() == 1);
        var asks = new Silence();
        ShareLoop hasNoRoom = loop(asks, lanes);
        hasNoRoom.start();
        try {
            until(
                    "trouble",
                    () -> {
                        looks.watch();
                        hasNoRoom.watch();
                        return looks.trouble() != null;
                    });
            assertThat(looks.trouble()).contains("no broker of nowhere:1 has answered for");
            assertThat(hasNoRoom.trouble()).isNull();

            hasNoRoom.scout();
            until("it looks too", () -> !asks.looks.isEmpty());
            hasNoRoom.watch();
            assertThat(hasNoRoom.trouble()).as("it has only just begun").isNull();
        } finally {
            for (ShareLoop each : List.of(looks, hasNoRoom)) {
                each.beginClosing(Duration.ofSeconds(10));
                each.close(Duration.ofSeconds(10));
            }
        }
    }
}
