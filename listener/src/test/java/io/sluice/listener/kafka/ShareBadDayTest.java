package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.ApacheKafka;
import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A share group whose worker is killed, and one whose broker cannot be reached for longer than a lock.
@Timeout(300)
class ShareBadDayTest {
    private static final int COUNT = 30;
    private static ApacheKafka kafka;

    private final Set<String> done = ConcurrentHashMap.newKeySet();

    @BeforeAll
    static void start() {
        kafka = ApacheKafka.start();
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    private static KafkaShareSource source(String servers, Topics topic) {
        return new KafkaShareSource(
                KafkaSettings.of(
                        Map.of("bootstrap.servers", servers, "group.id", topic.name), topic.name));
    }

    @Test
    @DisplayName("Q32: killed in the middle of jobs, every job is done in the end")
    void aKilledWorkersJobsAreDoneByAnother() throws Exception {
        try (var topic = new Topics(kafka.bootstrap(), 2)) {
            List<String> values = IntStream.range(0, COUNT).mapToObj(String::valueOf).toList();
            topic.send(values.stream().map(value -> "k" + value + ":" + value).toList());
            done.addAll(
                    KilledListener.workUntilKilled(
                            kafka.bootstrap(), topic.name, topic.name, "10", KilledListener.SHARE));
            assertThat(done).hasSize(10);

            try (Listener listener =
                    Listener.of(source(kafka.bootstrap(), topic))
                            .lane(
                                    LaneSettings.lane(
                                            "all",
                                            new FixedLimit(4),
                                            job -> done.add(job.message().text())))
                            .start()) {
                until("every job", () -> done.size() == COUNT);
                assertThat(listener.trouble()).isNull();
            }
            assertThat(done).containsExactlyInAnyOrderElementsOf(values);
        }
    }

    @Test
    @DisplayName(
            "a broker that is away for longer than a lock: the job is cancelled, health says why, and it is done afterwards")
    void aBrokerOutOfReachCostsAJobItsLockAndNothingElse() throws Exception {
        var begun = new AtomicInteger();
        var cancelled = new CountDownLatch(1);
        LaneSettings lane =
                LaneSettings.lane(
                        "all",
                        new FixedLimit(1),
                        job -> {
                            if (begun.incrementAndGet() == 1) {
                                try {
                                    new CountDownLatch(1).await();
                                } catch (InterruptedException e) {
                                    cancelled.countDown();
                                    throw e;
                                }
                            }
                            done.add(job.message().text());
                        });
        try (var topic = new Topics(kafka.bootstrap(), 1);
                Listener listener =
                        Listener.of(source(kafka.link().bootstrap(), topic)).lane(lane).start()) {
            topic.send(List.of("k:long"));
            until("it is at work", () -> begun.get() == 1);

            kafka.link().cut();
            topic.send(List.of("k:meanwhile"));
            cancelled.await();
            until("trouble", () -> listener.trouble() != null);
            assertThat(listener.trouble())
                    .startsWith("Nothing can be received from [" + topic.name + "]");
            assertThat(done).isEmpty();

            kafka.link().mend();
            until("both", () -> done.size() == 2);
            until("no trouble any more", () -> listener.trouble() == null);
            assertThat(listener.lanes().getFirst().lost()).isGreaterThanOrEqualTo(1);
        }
    }
}
