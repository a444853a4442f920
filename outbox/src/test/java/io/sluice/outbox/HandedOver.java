package io.sluice.outbox;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/// Tells whoever has started a [RelayProcess] the number of an event that its producer takes, five times a second at most: nobody may be reading.
///
/// Used by the thread that sends.
public final class HandedOver implements ProducerInterceptor<byte[], byte[]> {
    static final String WORD = "handed over ";

    private static final long SELDOM_NANOS = Duration.ofMillis(200).toNanos();

    private long toldAt = System.nanoTime() - SELDOM_NANOS;

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
        long now = System.nanoTime();
        if (now - toldAt >= SELDOM_NANOS) {
            toldAt = now;
            System.out.println(WORD + Received.number(record.headers()));
            System.out.flush();
        }
        return record;
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> settings) {}
}
