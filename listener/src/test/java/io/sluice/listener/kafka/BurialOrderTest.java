package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
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

    /// Where a producer finds nobody, and blocks for ten seconds per letter.
    private static final String SILENT = "127.0.0.1:1";

    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final AtomicInteger polls = new AtomicInteger();
    private final Set<String> strays = ConcurrentHashMap.newKeySet();
    private final Queue<String> said = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> jobs = new ConcurrentLinkedQueue<>();
    private final AtomicReference<ConsumerLoop> loop = new AtomicReference<>();
    private final AtomicReference<Runnable> duringCommit = new AtomicReference<>(() -> {});
    private final MockConsumer<byte[], byte[]> consumer =
            new MockConsumer<>("earliest") {
                @Override
                public synchronized void commitSync(
                        Map<TopicPartition, OffsetAndMetadata> offsets) {
                    duringCommit.get().run();
                    offsets.values().forEach(offset -> said.add(offset.metadata()));
                    super.commitSync(offsets);
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
                                            "all",
                                            new FixedLimit(2),
                                            job -> work(job.message().text()))
                                    .on(jobs::add)
                                    .inOrder(Order.KEY)
                                    .onFailure(
                                            FailurePolicy.standard()
                                                    .otherwise(
                                                            Backoff.constant(Duration.ZERO, 3)))),
                    this::laneOf,
                    this::settle,
                    LaneObserver.NONE);

    private String laneOf(Message message) {
        if (message.text().equals("stray")) {
            strays.add(message.id());
            return "no such lane";
        }
        return "all";
    }

    private void settle(Message message, Settlement settlement) {
        loop.get().settle(message, settlement);
    }

    private void work(String text) {
        begun.add(text);
        if (text.equals("fine")) {
            return;
        }
        if (text.equals("stubborn")) {
            throw new IllegalStateException("not today");
        }
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
        start("nowhere.invalid:1", List.of("first", "second"));
    }

    private void start(String servers, List<String> texts) {
        consumer.schedulePollTask(
                () -> {
                    consumer.rebalance(List.of(PARTITION));
                    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
                    for (int i = 0; i < texts.size(); i++) {
                        consumer.addRecord(record(i, texts.get(i)));
                    }
                });
        Duration never = Duration.ofHours(1);
        var settings =
                new KafkaSettings(
                        Map.of("bootstrap.servers", servers, "group.id", "g"),
                        List.of("orders"),
                        "-dead-letters",
                        10_000,
                        never,
                        Duration.ZERO,
                        never);
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
    void attemptsInPlaceAreKeptWhenTheLetterCannotBeSent() throws Exception {
        start("nowhere.invalid:1", List.of("stubborn"));
        until("it is here", () -> !jobs.isEmpty());
        jobs.remove().run();
        assertThat(begun).containsExactly("stubborn", "stubborn", "stubborn");
        until("it went back", () -> state().handedBack() == 1);

        loop.get().close(Duration.ofSeconds(10));
        assertThat(said).contains("sluice-attempts 0=3");
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

    @Test
    void deadLettersWithoutASlotThatNobodyTakesStopTheReading() throws Exception {
        start(SILENT, Collections.nCopies(1_000, "stray"));
        until("some are on their way", () -> strays.size() >= 20);
        int polled = polls.get();
        until("it keeps in touch with its group", () -> polls.get() >= polled + 10);
        assertThat(strays).hasSizeLessThan(30);
        assertThat(state().inFlight()).as("none has a slot").isZero();
        until("it is said", () -> loop.get().trouble() != null);
        assertThat(loop.get().trouble())
                .startsWith("Nothing can be received from [orders]: ")
                .contains("dead letters without a slot are not stored");
    }

    @Test
    void aStopCommitsWhatIsDoneBeforeItWaitsForDeadLetters() throws Exception {
        start(SILENT, List.of("fine", "bad"));
        until("both are here", () -> state().inFlight() == 2);
        jobs.remove().run();
        until("the second has begun", () -> !jobs.isEmpty());
        jobs.remove().run();
        assertThat(state().inFlight()).as("its letter is on its way").isEqualTo(1);

        var waiting = new ConcurrentLinkedQueue<Integer>();
        duringCommit.set(() -> waiting.add(state().inFlight()));
        loop.get().close(Duration.ofSeconds(20));
        assertThat(waiting.peek()).as("the letter still waits when it commits").isEqualTo(1);
        assertThat(consumer.closed()).isTrue();
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
