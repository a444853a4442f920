package io.sluice.listener.trace;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.sluice.listener.lane.Job;
import io.sluice.listener.lane.Work;
import io.sluice.listener.message.Message;
import java.util.function.UnaryOperator;

/// Observes each attempt as `sluice.listener.process`. Trace headers are read from the message's attributes, so a span continues the sender's trace.
///
/// ```java
/// lane.around(ObservedWork.with(registry, "documents", "label"))
/// ```
///
/// | key | cardinality | |
/// | --- | --- | --- |
/// | `listener`, `lane` | low | where |
/// | `message`, `attempt` | high | which one, and the how-manieth time |
///
/// Thread-safe.
public final class ObservedWork implements Work {
    private final ObservationRegistry registry;
    private final String listener;
    private final String lane;
    private final Work work;

    private ObservedWork(ObservationRegistry registry, String listener, String lane, Work work) {
        this.registry = registry;
        this.listener = listener;
        this.lane = lane;
        this.work = work;
    }

    public static UnaryOperator<Work> with(
            ObservationRegistry registry, String listener, String lane) {
        return work -> new ObservedWork(registry, listener, lane, work);
    }

    @Override
    public void on(Job job) throws Exception {
        Observation observation =
                Observation.createNotStarted(
                                "sluice.listener.process", () -> context(job.message()), registry)
                        .contextualName("process " + lane)
                        .lowCardinalityKeyValue("listener", listener)
                        .lowCardinalityKeyValue("lane", lane)
                        .highCardinalityKeyValue("message", job.message().id())
                        .highCardinalityKeyValue("attempt", Integer.toString(job.attempt()))
                        .start();
        Observation.Scope scope = observation.openScope();
        try {
            work.on(job);
        } catch (Throwable e) {
            observation.error(e);
            throw e;
        } finally {
            scope.close();
            observation.stop();
        }
    }

    private static Observation.Context context(Message message) {
        ReceiverContext<Message> context =
                new ReceiverContext<>(
                        (carrier, key) -> carrier == null ? null : carrier.attributes().get(key),
                        Kind.CONSUMER);
        context.setCarrier(message);
        return context;
    }
}
