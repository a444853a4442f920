package io.sluice.examples.transfer.local;

import io.sluice.testing.Sluice;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/// Starts a PostgreSQL and a Sluice broker in this process, unless the settings say where the real ones are. They go away with the application, after
/// everything that uses them.
public final class LocalServices
        implements ApplicationContextInitializer<GenericApplicationContext> {
    private static final String DATABASE = "spring.datasource.url";
    private static final String BROKER = "spring.kafka.bootstrap-servers";

    @Override
    public void initialize(GenericApplicationContext context) {
        ConfigurableEnvironment environment = context.getEnvironment();
        DefaultListableBeanFactory beans = context.getDefaultListableBeanFactory();
        Map<String, Object> found = new HashMap<>();
        if (!environment.containsProperty(DATABASE)) {
            found.put(DATABASE, startDatabase(beans));
        }
        if (!environment.containsProperty(BROKER)) {
            String topic = environment.getProperty("app.outbox.relay.topic", "transfers");
            found.put(BROKER, startBroker(beans, topic));
        }
        environment.getPropertySources().addFirst(new MapPropertySource("local services", found));
    }

    private static String startDatabase(DefaultListableBeanFactory beans) {
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.start();
            beans.registerDisposableBean("local PostgreSQL", postgres::close);
            return postgres.getJdbcUrl("postgres", "postgres");
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The embedded PostgreSQL did not start; set " + DATABASE + " to use another.",
                    e);
        }
    }

    private static String startBroker(DefaultListableBeanFactory beans, String topic) {
        Sluice sluice = Sluice.ephemeral();
        beans.registerDisposableBean("local broker", sluice::close);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", sluice.bootstrap()))) {
            var wanted = new NewTopic(topic, Optional.of(6), Optional.empty());
            admin.createTopics(List.of(wanted)).all().get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("no topic", e);
        }
        return sluice.bootstrap();
    }
}
