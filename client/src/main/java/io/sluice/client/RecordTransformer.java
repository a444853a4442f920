package io.sluice.client;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/// The work on one record whose results are records again. An exception means that it was not done, and that
/// nothing of its transaction may be seen.
@FunctionalInterface
public interface RecordTransformer<K, V, K2, V2> {
    Iterable<ProducerRecord<K2, V2>> transform(ConsumerRecord<K, V> record) throws Exception;
}
