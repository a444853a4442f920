package io.sluice.listener.metrics;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.listener.Listener;
import io.sluice.listener.QueueInMemory;
import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Order;
import io.sluice.listener.limit.FixedLimit;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ListenerMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double gauge(String meter) {
        return registry.get("sluice.listener." + meter)
                .tags("listener", "docs", "lane", "label")
                .gauge()
                .value();
    }

    @Test
    void whatLanesDoIsPublished() throws Exception {
        var gate = new CountDownLatch(1);
        var metrics = new ListenerMetrics(registry, "docs");
        var lane =
                LaneSettings.lane(
                        "label",
                        new FixedLimit(3, 5),
                        job -> {
                            gate.await();
                            if (job.message().text().equals("broken")) {
                                throw new UnprocessableException("broken");
                            }
                        });
        var queue = new QueueInMemory().add("a").add("broken");
        try (Listener listener = Listener.of(queue).lane(lane).observe(metrics).start()) {
            metrics.watch(listener);
            until("both in flight", () -> gauge("in.flight") == 2);
            assertThat(gauge("limit")).isEqualTo(3);
            assertThat(gauge("free")).isEqualTo(1);
            assertThat(registry.get("sluice.listener.trouble").gauge().value()).isZero();
            assertThat(registry.get("sluice.listener.poll.idle").gauge().value()).isZero();
            assertThat(registry.get("sluice.listener.lease.lateness").gauge().value()).isZero();
            listener.limit("label", 5);
            assertThat(gauge("limit")).isEqualTo(5);

            gate.countDown();
            until("both ended", () -> queue.verdicts.size() == 2 && gauge("in.flight") == 0);
        }
        assertThat(queue.verdicts).containsExactlyInAnyOrder("a Done", "broken DeadLetter");
        // Observers hear of a landing after the slot is free.
        until("a job's time", () -> timed("job", "done") == 1);
        until("a message's time", () -> timed("message", "deadletter") == 1);
    }

    @Test
    void aListenerThatStartsAnewTakesThePlaceOfTheOneBefore() {
        var metrics = new ListenerMetrics(registry, "docs");
        for (int limit = 1; limit <= 2; limit++) {
            var lane = LaneSettings.lane("label", new FixedLimit(limit), job -> {});
            try (Listener listener =
                    Listener.of(new QueueInMemory()).lane(lane).observe(metrics).start()) {
                metrics.watch(listener);
                assertThat(gauge("limit")).isEqualTo(limit);
            }
        }
    }

    @Test
    void messagesWithoutALaneAreCounted() throws Exception {
        var metrics = new ListenerMetrics(registry, "docs");
        var lane = LaneSettings.lane("label", new FixedLimit(1), job -> {});
        var queue = new QueueInMemory().add("a");
        try (Listener listener =
                Listener.of(queue)
                        .lane(lane)
                        .classify(message -> "nowhere")
                        .observe(metrics)
                        .start()) {
            until("it is a dead letter", () -> queue.verdicts.size() == 1);
            assertThat(registry.get("sluice.listener.strays").counter().count()).isEqualTo(1);
            assertThat(listener.lanes().getFirst().inFlight()).isZero();
        }
    }

    @Test
    void attemptsThatAreMadeAgainInTheirSlotAreCounted() throws Exception {
        var metrics = new ListenerMetrics(registry, "docs");
        var lane =
                LaneSettings.lane(
                                "label",
                                new FixedLimit(1),
                                job -> {
                                    if (job.attempt() < 3) {
                                        throw new IllegalStateException("not yet");
                                    }
                                })
                        .inOrder(Order.PARTITION)
                        .onFailure(
                                FailurePolicy.standard()
                                        .otherwise(Backoff.constant(Duration.ofMillis(1), 3)));
        var queue = new QueueInMemory().add("a");
        try (Listener _ = Listener.of(queue).lane(lane).observe(metrics).start()) {
            until("it is done", () -> queue.verdicts.size() == 1);
        }
        assertThat(queue.verdicts).containsExactly("a Done");
        assertThat(
                        registry.get("sluice.listener.retries.in.place")
                                .tags("listener", "docs", "lane", "label")
                                .counter()
                                .count())
                .isEqualTo(2);
        assertThat(timed("message", "retry")).as("its message never left").isZero();
    }

    private long timed(String meter, String outcome) {
        var timer = registry.find("sluice.listener." + meter).tags("outcome", outcome).timer();
        return timer == null ? 0 : timer.count();
    }
}
