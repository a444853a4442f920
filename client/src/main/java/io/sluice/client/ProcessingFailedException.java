package io.sluice.client;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// The work on a record failed for good and the loop has stopped. The cause is the handler's exception.
///
/// Immutable.
public final class ProcessingFailedException extends KafkaException {
    private static final long serialVersionUID = 1L;

    private final transient TopicPartition partition;
    private final long offset;

    ProcessingFailedException(ConsumerRecord<?, ?> record, int attempts, Exception cause) {
        super(
                "The work on %s-%d offset %d failed after %d attempt%s: %s"
                        .formatted(
                                record.topic(),
                                record.partition(),
                                record.offset(),
                                attempts,
                                attempts == 1 ? "" : "s",
                                cause),
                cause);
        partition = new TopicPartition(record.topic(), record.partition());
        offset = record.offset();
    }

    public TopicPartition partition() {
        return partition;
    }

    public long offset() {
        return offset;
    }
}
