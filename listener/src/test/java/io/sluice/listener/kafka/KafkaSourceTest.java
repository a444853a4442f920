package io.sluice.listener.kafka;

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
import io.sluice.testing.Sluice;
import io.sluice.testing.SluiceExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A listener on topics of a real broker.
@ExtendWith(SluiceExtension.class)
@Timeout(180)
class KafkaSourceTest {
    private final ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void open() {
        gate.countDown();
    }

    private static List<String> lines(int count, int keys) {
        return IntStream.range(0, count).mapToObj(i -> "k" + i % keys + ":" + i).toList();
    }

    private static LaneSettings lane(int limit, Work work) {
        return LaneSettings.lane("all", new FixedLimit(limit), work)
                .onFailure(
                        FailurePolicy.standard()
                                .otherwise(Backoff.constant(Duration.ofMillis(50), 3)));
    }

    private static Listener listen(Topics topic, LaneSettings... lanes) {
        return listen(topic.settings(), lanes);
    }

    private static Listener listen(KafkaSettings settings, LaneSettings... lanes) {
        Listener.Builder builder =
                Listener.of(new KafkaSource(settings))
                        .classify(Classifier.byAttribute("lane", lanes[0].name()));
        for (LaneSettings lane : lanes) {
            builder.lane(lane);
        }
        return builder.start();
    }

    @Test
    @DisplayName("B3: eight jobs at once from one partition, and not one more is taken")
    void moreJobsThanPartitions(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            topic.send(lines(50, 50));
            var inside = new AtomicInteger();
            var most = new AtomicInteger();
            Work work =
                    job -> {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        gate.await();
                        inside.decrementAndGet();
                        done.add(job.message().text());
                    };
            try (Listener listener = listen(topic, lane(8, work))) {
                until("eight at once", () -> inside.get() == 8);
                assertThat(listener.lanes().getFirst().inFlight()).isEqualTo(8);
                gate.countDown();
                until("all done", () -> done.size() == 50);
            }
            assertThat(most).hasValue(8);
            assertThat(topic.committed()).isEqualTo(50);
        }
    }

    @Test
    void recordsOfOneKeyStayInOrder(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 2)) {
            topic.send(lines(600, 7));
            Map<String, ConcurrentLinkedQueue<Integer>> seen = new ConcurrentHashMap<>();
            Work work =
                    job -> {
                        var message = job.message();
                        seen.computeIfAbsent(
                                        String.valueOf(message.key()),
                                        key -> new ConcurrentLinkedQueue<>())
                                .add(Integer.valueOf(message.text()));
                        done.add(message.text());
                    };
            try (Listener listener = listen(topic, lane(16, work).inOrder(Order.KEY))) {
                until("all done", () -> done.size() == 600);
                assertThat(listener.trouble()).isNull();
            }
            assertThat(seen).hasSize(7);
            assertThat(seen.values())
                    .allSatisfy(values -> assertThat(List.copyOf(values)).isSorted());
        }
    }

    @Test
    void nothingBehindAnUnfinishedRecordIsCommitted(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            topic.send(lines(20, 20));
            Work work =
                    job -> {
                        if (job.message().text().equals("5")) {
                            gate.await();
                        }
                        done.add(job.message().text());
                    };
            Listener listener = listen(topic, lane(4, work));
            until("the others", () -> done.size() == 19);
            until("committed up to it", () -> topic.committed() == 5);
            assertThat(listener.stop(Duration.ofSeconds(2))).as("one job did not end").isFalse();
            assertThat(topic.committed()).isEqualTo(5);

            gate.countDown();
            done.clear();
            try (Listener again = listen(topic, lane(4, work))) {
                until("it and those behind it", () -> done.contains("5") && done.size() >= 15);
                assertThat(again.lanes().getFirst().lost()).isZero();
            }
            assertThat(topic.committed()).isEqualTo(20);
        }
    }

    @Test
    @DisplayName("Q36: a failed record is tried again without holding up those behind it")
    void aRetryHoldsUpNobody(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            topic.send(lines(30, 30));
            var attempts = new ConcurrentLinkedQueue<Integer>();
            Work work =
                    job -> {
                        if (job.message().text().equals("3")) {
                            attempts.add(job.attempt());
                            if (job.attempt() < 3) {
                                throw new IllegalStateException("not yet");
                            }
                        }
                        done.add(job.message().text());
                    };
            try (Listener listener = listen(topic, lane(1, work))) {
                until("all done", () -> done.size() == 30);
                assertThat(listener.lanes().getFirst().retried()).isEqualTo(2);
            }
            assertThat(attempts).containsExactly(1, 2, 3);
            assertThat(done).doesNotHaveDuplicates();
            assertThat(topic.committed()).isEqualTo(30);
        }
    }

    @Test
    @DisplayName("Q36: a restart goes on counting attempts")
    void attemptsAreKeptInTheCommit(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            topic.send(lines(10, 10));
            var attempts = new ConcurrentLinkedQueue<Integer>();
            Work work =
                    job -> {
                        if (job.message().text().equals("3")) {
                            attempts.add(job.attempt());
                            throw new IllegalStateException("not yet");
                        }
                        done.add(job.message().text());
                    };
            LaneSettings patient =
                    LaneSettings.lane("all", new FixedLimit(2), work)
                            .onFailure(
                                    FailurePolicy.standard()
                                            .otherwise(Backoff.constant(Duration.ofHours(1), 3)));
            for (int attempt = 1; attempt <= 3; attempt++) {
                int sofar = attempt;
                done.clear();
                try (Listener listener = listen(topic, patient)) {
                    until("an attempt", () -> attempts.size() == sofar && done.contains("9"));
                    assertThat(listener.trouble()).isNull();
                }
            }
            assertThat(attempts).containsExactly(1, 2, 3);
            assertThat(topic.committed()).as("a dead letter by now").isEqualTo(10);
            assertThat(topic.metadata()).isEmpty();
        }
    }

    @Test
    void attemptsInPlaceAreKeptToo(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            topic.send(lines(2, 1));
            Work work =
                    job -> {
                        if (job.attempt() == 3) {
                            gate.await();
                        }
                        throw new IllegalStateException("attempt " + job.attempt());
                    };
            LaneSettings inOrder = lane(2, work).inOrder(Order.KEY);
            Listener listener = listen(topic, inOrder);
            until("the third is known", () -> topic.metadata().equals("sluice-attempts 0=3"));
            assertThat(listener.stop(Duration.ofMillis(500))).as("it did not end").isFalse();

            var begun = new ConcurrentLinkedQueue<String>();
            Work note = job -> begun.add(job.message().text() + " " + job.attempt());
            try (Listener again = listen(topic, lane(2, note).inOrder(Order.KEY))) {
                until("both", () -> begun.size() == 2);
                assertThat(again.trouble()).isNull();
            }
            assertThat(begun).containsExactly("0 3", "1 1");
        }
    }

    @Test
    @DisplayName("Q36: what can never be processed is a dead letter, with cause and origin")
    void deadLettersKeepCauseAndOrigin(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            topic.send(lines(10, 10));
            Work work =
                    job -> {
                        if (job.message().text().equals("4")) {
                            throw new UnprocessableException("not a PDF");
                        }
                        done.add(job.message().text());
                    };
            try (Listener listener = listen(topic, lane(2, work))) {
                until("the others", () -> done.size() == 9);
                until("committed past it", () -> topic.committed() == 10);
                assertThat(listener.lanes().getFirst().deadLettered()).isEqualTo(1);
            }
            var letter = topic.read(topic.name + "-dead-letters", 1).getFirst();
            assertThat(new String(letter.value(), StandardCharsets.UTF_8)).isEqualTo("4");
            assertThat(
                            new String(
                                    letter.headers().lastHeader("sluice-cause").value(),
                                    StandardCharsets.UTF_8))
                    .endsWith("UnprocessableException: not a PDF");
            assertThat(
                            new String(
                                    letter.headers().lastHeader("sluice-origin").value(),
                                    StandardCharsets.UTF_8))
                    .isEqualTo(topic.name + "-0@4");
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> letter, String name) {
        return new String(letter.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    @Test
    void aRecordThatIsTooLargeForTheTopicOfDeadLettersIsOneWithoutItsValue(Sluice sluice)
            throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            topic.createDeadLetters(Map.of("max.message.bytes", "1000"));
            topic.send(List.of("k:" + "x".repeat(1_000), "k:small"));
            Work work =
                    job -> {
                        throw new UnprocessableException("too much for us");
                    };
            try (Listener listener = listen(topic, lane(1, work))) {
                until("committed past it", () -> topic.committed() == 2);
                assertThat(listener.lanes().getFirst().deadLettered()).isEqualTo(2);
            }
            var letters = topic.read(topic.name + "-dead-letters", 2);
            assertThat(letters.getFirst().value()).isNull();
            assertThat(header(letters.getFirst(), "sluice-value")).contains("too large");
            assertThat(header(letters.getFirst(), "sluice-origin")).isEqualTo(topic.name + "-0@0");
            assertThat(letters.getLast().value())
                    .isEqualTo("small".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void aRecordThatIsAsLargeAsCanBeIsADeadLetterWithAllOfIt(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            // A producer takes a megabyte with everything around it; our headers are more.
            String largest = "x".repeat(1_048_576 - 110);
            topic.send(List.of("k:" + largest));
            Work work =
                    job -> {
                        throw new UnprocessableException("too much for us");
                    };
            try (Listener listener = listen(topic, lane(1, work))) {
                until("committed past it", () -> topic.committed() == 1);
                assertThat(listener.lanes().getFirst().deadLettered()).isEqualTo(1);
            }
            var letter = topic.read(topic.name + "-dead-letters", 1).getFirst();
            assertThat(letter.value()).hasSize(largest.length());
        }
    }

    @Test
    void aTopicThatIsNotThereIsNamedAtStart(Sluice sluice) {
        Map<String, Object> client =
                Map.of("bootstrap.servers", sluice.bootstrap(), "group.id", "g");
        assertThatThrownBy(() -> listen(KafkaSettings.of(client, "typo"), lane(1, job -> {})))
                .hasMessage("There is no topic typo. Make it, or correct the name.");
    }

    @Test
    void aJobThatNeverEndsIsADeadLetterInTheEndAndThoseBehindItGoOnInOrder(Sluice sluice)
            throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            topic.send(lines(5, 1));
            Work work =
                    job -> {
                        if (job.message().text().equals("1")) {
                            gate.await();
                        }
                        done.add(job.message().text());
                    };
            KafkaSettings settings = topic.settings().longestJob(Duration.ofMillis(300));
            try (Listener listener = listen(settings, lane(4, work).inOrder(Order.KEY))) {
                until("the others", () -> done.size() == 4);
                until("committed", () -> topic.committed() == 5);
                assertThat(listener.lanes().getFirst().deadLettered()).isEqualTo(1);
            }
            assertThat(done).containsExactly("0", "2", "3", "4");
            var letter = topic.read(topic.name + "-dead-letters", 1).getFirst();
            assertThat(header(letter, "sluice-cause"))
                    .contains("TimeoutException: its job takes longer than PT0.3S");
            assertThat(header(letter, "sluice-attempts")).isEqualTo("3");
        }
    }

    @Test
    @DisplayName(
            "B6: a full heavy lane does not hold up light records behind it in the same partition")
    void lightRecordsOvertakeAFullHeavyLane(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 1)) {
            topic.send(
                    IntStream.range(0, 40)
                            .mapToObj(i -> "k:" + i + (i % 2 == 0 ? ":heavy" : ":light"))
                            .toList());
            LaneSettings heavy =
                    LaneSettings.lane(
                            "heavy",
                            new FixedLimit(1),
                            job -> {
                                gate.await();
                                done.add(job.message().text());
                            });
            LaneSettings light =
                    LaneSettings.lane(
                            "light", new FixedLimit(2), job -> done.add(job.message().text()));
            try (Listener listener = listen(topic, heavy.inOrder(Order.KEY), light)) {
                until("all light ones", () -> done.size() == 20);
                assertThat(listener.lanes().getFirst().inFlight()).isEqualTo(1);
                gate.countDown();
                listener.limit("light", 1);
                until("all heavy ones", () -> done.size() == 40);
            }
            assertThat(done.stream().map(Integer::valueOf).filter(i -> i % 2 == 0))
                    .as("in order although they came again")
                    .isSorted();
            assertThat(topic.committed()).isEqualTo(40);
        }
    }

    @Test
    void aRebalanceLosesNothing(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 4)) {
            topic.send(lines(800, 40));
            Work work =
                    job -> {
                        Thread.sleep(20);
                        done.add(job.message().text());
                    };
            try (Listener first = listen(topic, lane(6, work))) {
                until("some", () -> done.size() > 50);
                try (Listener second = listen(topic, lane(6, work))) {
                    until("all", () -> Map.copyOf(index(done)).size() == 800);
                    assertThat(second.lanes().getFirst().done()).as("it took part").isPositive();
                    assertThat(first.trouble()).isNull();
                    assertThat(second.trouble()).isNull();
                }
            }
            assertThat(topic.committed()).isEqualTo(800);
            assertThat(done).as("jobs of revoked partitions ended and were committed").hasSize(800);
        }
    }

    private static Map<String, Boolean> index(Iterable<String> values) {
        Map<String, Boolean> index = new ConcurrentHashMap<>();
        values.forEach(value -> index.put(value, true));
        return index;
    }

    @Test
    void wrongSettingsAreRefusedInSentences() {
        assertThatThrownBy(() -> KafkaSettings.of(Map.of("bootstrap.servers", "x"), "t"))
                .hasMessageContaining("needs group.id");
        assertThatThrownBy(
                        () ->
                                KafkaSettings.of(
                                        Map.of(
                                                "bootstrap.servers",
                                                "x",
                                                "group.id",
                                                "g",
                                                "enable.auto.commit",
                                                "true"),
                                        "t"))
                .hasMessageContaining("enable.auto.commit");
    }
}
