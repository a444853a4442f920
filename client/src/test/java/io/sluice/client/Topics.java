package io.sluice.client;

import io.sluice.client.BrokerUnderTest.Bootstrap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/// Topics that belong to one test each, on the broker under test.
final class Topics {
    private Topics() {}

    /// Makes a topic with a name of its own.
    static String create(Bootstrap broker, int partitions)
            throws ExecutionException, InterruptedException {
        String topic = "client-test-" + UUID.randomUUID();
        try (var admin = Admin.create(Map.of("bootstrap.servers", broker.servers()))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
        }
        return topic;
    }

    /// Sends `0` to `count - 1`.
    static List<String> fill(Bootstrap broker, String topic, int count) {
        List<String> values = IntStream.range(0, count).mapToObj(Integer::toString).toList();
        send(broker, topic, values);
        return values;
    }

    /// Sends these values, each as its own key, and waits for the acknowledgements.
    static void send(Bootstrap broker, String topic, List<String> values) {
        try (var producer =
                new Preset(Delivery.AT_LEAST_ONCE, Profile.BALANCED)
                        .openProducer(
                                Map.of("bootstrap.servers", broker.servers()),
                                new StringSerializer(),
                                new StringSerializer())) {
            List<Future<?>> acknowledgements = new ArrayList<>();
            for (String value : values) {
                acknowledgements.add(producer.send(new ProducerRecord<>(topic, value, value)));
            }
            for (Future<?> acknowledgement : acknowledgements) {
                acknowledgement.get();
            }
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
