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

    /// Only in records of a replay: its name. Such a record has no number, and a duplicate filter lets it pass.
    public static final String REPLAY = "outbox-replay";

    private Headers() {}

    /// As a relay sends it.
    public static ProducerRecord<byte[], byte[]> numbered(String topic, Numbered numbered) {
        var record = record(topic, numbered);
        record.headers().add(SEQUENCE, decimal(numbered.sequence()));
        return record;
    }

    /// As a replay sends it.
    public static ProducerRecord<byte[], byte[]> replayed(
            String topic, Numbered numbered, String replay) {
        var record = record(topic, numbered);
        record.headers().add(REPLAY, replay.getBytes(StandardCharsets.UTF_8));
        return record;
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, Numbered numbered) {
        var event = numbered.event();
        var record =
                new ProducerRecord<byte[], byte[]>(
                        topic, event.keyBytes(), event.payload().bytes());
        event.headers()
                .forEach(
                        (name, value) ->
                                record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        record.headers()
                .add(EVENT_ID, event.id().getBytes(StandardCharsets.UTF_8))
                .add(LANE, decimal(event.lane()));
        return record;
    }

    private static byte[] decimal(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
