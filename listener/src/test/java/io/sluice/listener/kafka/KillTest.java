package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.testing.Sluice;
import io.sluice.testing.SluiceExtension;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A worker process is killed (SIGKILL) with jobs in flight; its successor does what it had not.
@ExtendWith(SluiceExtension.class)
@Timeout(180)
class KillTest {
    private static final int COUNT = 60;

    @Test
    @DisplayName("Q32: killed in the middle of jobs, every job is done in the end")
    void nothingIsLost(Sluice sluice) throws Exception {
        try (var topic = new Topics(sluice, 2)) {
            topic.send(IntStream.range(0, COUNT).mapToObj(i -> "k" + i + ":" + i).toList());
            String group = "group-of-" + topic.name;
            List<String> before =
                    KilledListener.workUntilKilled(
                            sluice.bootstrap(), topic.name, group, "20", "group");
            assertThat(before).hasSize(20);

            Set<String> all = ConcurrentHashMap.newKeySet();
            all.addAll(before);
            var source =
                    new KafkaSource(
                            KafkaSettings.of(
                                    KilledListener.settings(sluice.bootstrap(), group),
                                    topic.name));
            try (Listener listener =
                    Listener.of(source)
                            .lane(
                                    LaneSettings.lane(
                                            "all",
                                            new FixedLimit(4),
                                            job -> all.add(job.message().text())))
                            .start()) {
                until("every job", () -> all.size() == COUNT);
                assertThat(listener.lanes().getFirst().breaches()).isZero();
            }
            assertThat(topic.committed()).isEqualTo(COUNT);
            assertThat(all)
                    .isEqualTo(
                            new HashSet<>(
                                    IntStream.range(0, COUNT).mapToObj(String::valueOf).toList()));
        }
    }
}
