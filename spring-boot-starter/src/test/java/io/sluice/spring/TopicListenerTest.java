package io.sluice.spring;

import static io.sluice.spring.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.ApacheKafka;
import io.sluice.testing.Sluice;
import io.sluice.testing.SluiceExtension;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/// Annotated methods on a topic of a real broker: the same model as on a queue.
@ExtendWith(SluiceExtension.class)
@Timeout(180)
class TopicListenerTest {
    record Order(String id, String kind) {}

    static class Worker {
        final ConcurrentLinkedQueue<String> paid = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<String> others = new ConcurrentLinkedQueue<>();

        @SluiceListener(topic = "orders", lane = "paid")
        void paid(Order order) {
            paid.add(order.id());
        }

        @SluiceListener(topic = "orders", lane = "other")
        void other(Order order) {
            others.add(order.id());
        }
    }

    @Configuration
    static class Application {
        @Bean
        Worker worker() {
            return new Worker();
        }
    }

    @Test
    void recordsReachTheirMethodsByAFieldOfTheirBody(Sluice sluice) throws Exception {
        requireDelivery(sluice.bootstrap(), false);
    }

    /// Sluice has no share groups yet.
    @Test
    void recordsReachTheirMethodsThroughAShareGroupOfApacheKafka() throws Exception {
        try (ApacheKafka kafka = ApacheKafka.start()) {
            requireDelivery(kafka.bootstrap(), true);
        }
    }

    private static void requireDelivery(String servers, boolean share) throws Exception {
        Map<String, Object> client = Map.of("bootstrap.servers", servers);
        try (Admin admin = Admin.create(client)) {
            admin.createTopics(List.of(new NewTopic("orders", 1, (short) 1))).all().get();
        }
        try (var producer =
                new KafkaProducer<>(client, new StringSerializer(), new StringSerializer())) {
            for (String record :
                    List.of(
                            "{\"id\":\"1\",\"kind\":\"paid\"}",
                            "{\"id\":\"2\",\"kind\":\"other\"}",
                            "{\"id\":\"3\"}")) {
                producer.send(new ProducerRecord<>("orders", record)).get();
            }
        }
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SluiceListenerAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "spring.application.name=shop",
                        "spring.kafka.bootstrap-servers=" + servers,
                        "sluice.listener.sources.orders.share-group=" + share,
                        "sluice.listener.sources.orders.lane-from-json=/kind",
                        "sluice.listener.sources.orders.lane-otherwise=other")
                .run(
                        context -> {
                            Worker worker = context.getBean(Worker.class);
                            until(
                                    "all",
                                    () -> worker.paid.size() == 1 && worker.others.size() == 2);
                            assertThat(worker.paid).containsExactly("1");
                        });
    }
}
