package io.sluice.chaos.load;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/// One idempotent producer that sends a new value to every partition at a steady pace, whatever has become of the ones before.
///
/// Runs on a thread of its own; [#stop] may be called from any.
final class PacedProducer implements Runnable {
    private final KafkaProducer<String, String> producer;
    private final String topic;
    private final int number;
    private final LoadPlan plan;
    private final History history;
    private final Pulse pulse;
    private volatile boolean stopping;

    PacedProducer(
            Clients clients,
            String topic,
            int number,
            LoadPlan plan,
            History history,
            Pulse pulse) {
        this.producer = clients.producer("chaos-producer-" + number);
        this.topic = topic;
        this.number = number;
        this.plan = plan;
        this.history = history;
        this.pulse = pulse;
    }

    @Override
    public void run() {
        long interval = 1_000_000_000L / plan.messagesPerSecond();
        long due = System.nanoTime();
        try (producer) {
            for (int sequence = 0; !stopping; sequence++) {
                for (int partition = 0; partition < plan.partitions(); partition++) {
                    send(new Value(number, partition, sequence));
                }
                due += interval;
                LockSupport.parkNanos(due - System.nanoTime());
            }
            // Closing waits until every message is answered or given up.
        }
    }

    private void send(Value value) {
        history.add(new Event.Invoked(System.nanoTime(), value));
        try {
            var _ =
                    producer.send(
                            new ProducerRecord<>(topic, value.partition(), null, value.toString()),
                            (metadata, failure) ->
                                    answered(
                                            value,
                                            failure == null ? metadata.offset() : -1,
                                            failure));
        } catch (KafkaException refused) {
            history.add(new Event.Failed(System.nanoTime(), value, refused.toString()));
        }
    }

    private void answered(Value value, long offset, @Nullable Exception failure) {
        long now = System.nanoTime();
        if (failure == null) {
            history.add(new Event.Acknowledged(now, value, offset));
            pulse.beat(value.partition(), now);
        } else {
            history.add(new Event.Unknown(now, value, failure.toString()));
        }
    }

    void stop() {
        stopping = true;
    }
}
