package io.sluice.outbox;

import io.sluice.fixtures.ApacheKafka;
import io.sluice.fixtures.CuttableLink;
import io.sluice.testing.Sluice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// The broker that tests publish to: Sluice in this JVM; with `-Dsluice.test.broker=apache-kafka` a process of Apache Kafka; with
/// `-Dsluice.test.bootstrap=host:port` whatever listens there.
record Broker(String bootstrap) {
    /// One link serves all tests: whoever cuts it must be alone with it.
    static final String LINK = "the link to Apache Kafka";

    private static final AtomicInteger TOPICS = new AtomicInteger();

    enum Kind {
        SLUICE,
        APACHE_KAFKA
    }

    /// As `-Dsluice.test.broker` says.
    static Kind which() {
        String which = System.getProperty("sluice.test.broker", "sluice");
        return switch (which) {
            case "sluice" -> Kind.SLUICE;
            case "apache-kafka" -> Kind.APACHE_KAFKA;
            default ->
                    throw new IllegalArgumentException(
                            "sluice.test.broker=%s: sluice or apache-kafka".formatted(which));
        };
    }

    Map<String, Object> client() {
        return Map.of("bootstrap.servers", bootstrap);
    }

    /// A topic of its own with four partitions.
    String topic(Map<String, String> settings) {
        String name = "transfers-" + ProcessHandle.current().pid() + "-" + TOPICS.incrementAndGet();
        try (Admin admin = Admin.create(client())) {
            admin.createTopics(
                            List.of(
                                    new NewTopic(name, Optional.of(4), Optional.empty())
                                            .configs(settings)))
                    .all()
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
        return name;
    }

    String topic() {
        return topic(Map.of());
    }

    static final class Extension implements ParameterResolver {
        private record InJvm(Sluice sluice) implements AutoCloseable {
            @Override
            public void close() {
                sluice.close();
            }
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType().equals(Broker.class);
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            String given = System.getProperty("sluice.test.bootstrap", "");
            return given.isEmpty() ? ofOurOwn(context) : new Broker(given);
        }

        private static Broker ofOurOwn(ExtensionContext context) {
            return switch (which()) {
                case SLUICE -> new Broker(inJvm(context).bootstrap());
                case APACHE_KAFKA -> apacheKafka(context);
            };
        }

        static Broker apacheKafka(ExtensionContext context) {
            return new Broker(ApacheKafka.forAll(context).bootstrap());
        }

        private static Sluice inJvm(ExtensionContext context) {
            return context.getRoot()
                    .getStore(ExtensionContext.Namespace.create(Broker.class))
                    .computeIfAbsent(InJvm.class, _ -> new InJvm(Sluice.ephemeral()), InJvm.class)
                    .sluice();
        }
    }

    /// A parameter of type [Broker] is Apache Kafka, whatever the others run against; one of type [CuttableLink] another way to it.
    static final class OfApacheKafka implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return List.of(Broker.class, CuttableLink.class)
                    .contains(parameter.getParameter().getType());
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType().equals(Broker.class)
                    ? Extension.apacheKafka(context)
                    : ApacheKafka.forAll(context).link();
        }
    }
}
