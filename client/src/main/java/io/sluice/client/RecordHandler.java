package io.sluice.client;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The work on one record. An exception means that it was not done; [OnFailure] says what follows.
@FunctionalInterface
public interface RecordHandler<K, V> {
    void handle(ConsumerRecord<K, V> record) throws Exception;
}
