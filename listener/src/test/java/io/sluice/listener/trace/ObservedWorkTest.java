package io.sluice.listener.trace;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.sluice.listener.Listener;
import io.sluice.listener.QueueInMemory;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ObservedWorkTest {
    private final ConcurrentLinkedQueue<Observation.Context> stopped =
            new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> current = new ConcurrentLinkedQueue<>();
    private final ObservationRegistry registry = ObservationRegistry.create();

    @Test
    void eachAttemptIsObserved() throws Exception {
        registry.observationConfig()
                .observationHandler(
                        new ObservationHandler<>() {
                            @Override
                            public void onStop(Observation.Context context) {
                                stopped.add(context);
                            }

                            @Override
                            public boolean supportsContext(Observation.Context context) {
                                return true;
                            }
                        });
        LaneSettings lane =
                LaneSettings.lane(
                                "label",
                                new FixedLimit(1),
                                job -> {
                                    Observation observation = registry.getCurrentObservation();
                                    current.add(
                                            observation == null
                                                    ? "none"
                                                    : observation.getContext().getName());
                                    if (job.message().id().equals("broken")) {
                                        throw new UnprocessableException("broken");
                                    }
                                })
                        .around(ObservedWork.with(registry, "documents", "label"));
        var queue = new QueueInMemory().add("good").add("broken");
        try (Listener listener = Listener.of(queue).lane(lane).start()) {
            until("both", () -> stopped.size() == 2);
            assertThat(listener.trouble()).isNull();
        }
        assertThat(current).containsOnly("sluice.listener.process");
        Observation.Context good = stopped.remove();
        assertThat(good.getError()).isNull();
        assertThat(String.valueOf(good.getLowCardinalityKeyValues()))
                .contains("documents")
                .contains("label");
        assertThat(String.valueOf(good.getHighCardinalityKeyValues())).contains("good");
        assertThat(good).as("a sender's trace goes on").isInstanceOf(ReceiverContext.class);
        assertThat(stopped.remove().getError()).isInstanceOf(UnprocessableException.class);
    }
}
