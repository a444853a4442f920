package io.sluice.client;

import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/// The two choices a user makes, and the checked kafka-clients settings that follow from them.
///
/// ```java
/// var preset = new Preset(Delivery.AT_LEAST_ONCE, Profile.THROUGHPUT);
/// var producer = preset.openProducer(
///         Map.of("bootstrap.servers", "localhost:9092"), new StringSerializer(), new StringSerializer());
/// ```
///
/// Overrides win over the preset unless they break the delivery's promise: then a [PresetConflictException] names the
/// delivery and the key. The settings of each combination are a table in this module's README, which a test
/// compares with the code.
///
/// Immutable.
public record Preset(Delivery delivery, Profile profile) {

    /// Settings for a producer: the preset's, with `overrides` on top.
    ///
    /// @throws PresetConflictException when an override breaks the delivery's promise
    public Map<String, Object> producer(Map<String, ?> overrides) {
        return ProducerSettings.of(this, overrides);
    }

    /// Settings for a consumer: the preset's, with `overrides` on top.
    ///
    /// @throws PresetConflictException when an override breaks the delivery's promise
    public Map<String, Object> consumer(Map<String, ?> overrides) {
        return ConsumerSettings.of(this, overrides);
    }

    /// A producer with these settings, which the caller closes. With exactly-once it is ready for `beginTransaction()`.
    ///
    /// @throws DeliveryUnsupportedException when exactly-once is asked of a broker without transactions
    public <K, V> Producer<K, V> openProducer(
            Map<String, ?> overrides, Serializer<K> keySerializer, Serializer<V> valueSerializer) {
        Map<String, Object> settings = producer(overrides);
        if (delivery != Delivery.EXACTLY_ONCE) {
            return new KafkaProducer<>(settings, keySerializer, valueSerializer);
        }
        Transactions.requireSupport(settings);
        var producer = new KafkaProducer<>(settings, keySerializer, valueSerializer);
        Transactions.initialize(producer, settings);
        return producer;
    }

    /// A consumer with these settings, which the caller closes or hands to a loop.
    public <K, V> Consumer<K, V> openConsumer(
            Map<String, ?> overrides,
            Deserializer<K> keyDeserializer,
            Deserializer<V> valueDeserializer) {
        return new KafkaConsumer<>(consumer(overrides), keyDeserializer, valueDeserializer);
    }
}
