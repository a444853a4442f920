import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.annotation.DltHandler;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/// A Spring Kafka application as it is usually written: declared topics, a template, a concurrent listener with manual acknowledgement, retry topics and
/// dead letters. Arguments: bootstrap, a prefix for names. Prints a line per finished part.
public class ListenerApplication {
    static final int MESSAGES = 200;

    public static void main(String[] arguments) throws Exception {
        System.setProperty("bootstrap", arguments[0]);
        System.setProperty("prefix", arguments[1]);
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(Settings.class, Orders.class, Failing.class)) {
            KafkaTemplate<String, String> template = template(context);
            System.out.println("done start");
            for (int i = 0; i < MESSAGES; i++) {
                template.send(arguments[1] + "-orders", "customer" + i % 10, "order" + i).get(30, TimeUnit.SECONDS);
            }
            check(context.getBean(Orders.class).all.await(60, TimeUnit.SECONDS), "not all orders came");
            System.out.println("done listen");
            template.send(arguments[1] + "-failing", "bad").get(30, TimeUnit.SECONDS);
            check(context.getBean(Failing.class).dead.await(60, TimeUnit.SECONDS), "no dead letter");
            int attempts = context.getBean(Failing.class).attempts.get();
            check(attempts == 3, attempts + " attempts");
            System.out.println("done retry");
        }
        System.out.println("done stop");
        System.exit(0);
    }

    @SuppressWarnings("unchecked")
    private static KafkaTemplate<String, String> template(AnnotationConfigApplicationContext context) {
        return context.getBean(KafkaTemplate.class);
    }

    private static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    /// Hears every order at least once.
    public static class Orders {
        final Set<String> seen = ConcurrentHashMap.newKeySet();
        final CountDownLatch all = new CountDownLatch(1);

        @KafkaListener(topics = "${prefix}-orders", groupId = "${prefix}-group", concurrency = "3")
        public void hear(String order, Acknowledgment acknowledgment) {
            seen.add(order);
            acknowledgment.acknowledge();
            if (seen.size() == MESSAGES) {
                all.countDown();
            }
        }
    }

    /// Fails every time, until the message is a dead letter.
    public static class Failing {
        final AtomicInteger attempts = new AtomicInteger();
        final CountDownLatch dead = new CountDownLatch(1);

        @RetryableTopic(attempts = "3", backOff = @BackOff(delay = 200), numPartitions = "1")
        @KafkaListener(topics = "${prefix}-failing", groupId = "${prefix}-failing-group")
        public void hear(String message) {
            attempts.incrementAndGet();
            throw new IllegalStateException("on purpose");
        }

        @DltHandler
        public void bury(String message) {
            dead.countDown();
        }
    }

    @Configuration
    @EnableKafka
    public static class Settings {
        private final String bootstrap = System.getProperty("bootstrap");

        @Bean
        KafkaAdmin kafkaAdmin() {
            KafkaAdmin admin = new KafkaAdmin(Map.of("bootstrap.servers", bootstrap));
            admin.setFatalIfBrokerNotAvailable(true);
            return admin;
        }

        @Bean
        NewTopic orders() {
            return TopicBuilder.name(System.getProperty("prefix") + "-orders").partitions(3).replicas(1).build();
        }

        @Bean
        NewTopic failing() {
            return TopicBuilder.name(System.getProperty("prefix") + "-failing").partitions(1).replicas(1).build();
        }

        @Bean
        ProducerFactory<String, String> producerFactory() {
            return new DefaultKafkaProducerFactory<>(
                    Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap), new StringSerializer(), new StringSerializer());
        }

        @Bean
        KafkaTemplate<String, String> kafkaTemplate(ProducerFactory<String, String> factory) {
            return new KafkaTemplate<>(factory);
        }

        @Bean
        ConsumerFactory<String, String> consumerFactory() {
            return new DefaultKafkaConsumerFactory<>(
                    Map.of(
                            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap,
                            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                            ConsumerConfig.METADATA_MAX_AGE_CONFIG, 1000),
                    new StringDeserializer(),
                    new StringDeserializer());
        }

        @Bean
        ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory(
                ConsumerFactory<String, String> consumers) {
            ConcurrentKafkaListenerContainerFactory<String, String> factory = new ConcurrentKafkaListenerContainerFactory<>();
            factory.setConsumerFactory(consumers);
            factory.getContainerProperties().setAckMode(ContainerProperties.AckMode.MANUAL_IMMEDIATE);
            return factory;
        }

        @Bean
        TaskScheduler retryScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }
}
