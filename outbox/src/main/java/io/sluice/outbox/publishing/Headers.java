package io.sluice.outbox.publishing;

import io.sluice.outbox.lanes.Numbered;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;

/// The headers that tell a consumer where an event comes from.
public final class Headers {
    /// The event's id in the table.
    public static final String EVENT_ID = "outbox-event-id";

    /// The lane, a decimal number.
    public static final String LANE = "outbox-lane";

    /// The event's number in its lane, decimal; the same however often it is sent. Numbers grow, with gaps.
    public static final String SEQUENCE = "outbox-sequence";

    private Headers() {}

    static ProducerRecord<byte[], byte[]> record(String topic, Numbered numbered) {
        var event = numbered.event();
        var record =
                new ProducerRecord<>(
                        topic,
                        event.key().getBytes(StandardCharsets.UTF_8),
                        event.payload().bytes());
        event.headers()
                .forEach(
                        (name, value) ->
                                record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        record.headers()
                .add(EVENT_ID, event.id().getBytes(StandardCharsets.UTF_8))
                .add(LANE, decimal(event.lane()))
                .add(SEQUENCE, decimal(numbered.sequence()));
        return record;
    }

    private static byte[] decimal(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
