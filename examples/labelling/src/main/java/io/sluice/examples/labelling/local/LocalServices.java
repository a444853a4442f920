package io.sluice.examples.labelling.local;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/// Starts a PostgreSQL and an SQS endpoint in this process, unless the settings say where the real ones are. They go away with the application, after
/// everything that uses them.
public final class LocalServices
        implements ApplicationContextInitializer<GenericApplicationContext> {
    private static final String DATABASE = "spring.datasource.url";
    private static final String ENDPOINT = "sluice.listener.sqs.endpoint";

    /// An idle listener stops when its poll has ended: soon, where polls cost nothing.
    private static final String LONG_POLL = "sluice.listener.sources.documents.long-poll";

    @Override
    public void initialize(GenericApplicationContext context) {
        ConfigurableEnvironment environment = context.getEnvironment();
        DefaultListableBeanFactory beans = context.getDefaultListableBeanFactory();
        Map<String, Object> found = new HashMap<>();
        if (!environment.containsProperty(DATABASE)) {
            found.put(DATABASE, startDatabase(beans));
        }
        boolean sqs = "sqs".equals(environment.getProperty("labelling.source"));
        if (sqs && !environment.containsProperty(ENDPOINT) && !onAmazon(environment)) {
            found.put(ENDPOINT, startQueues(beans));
            if (!environment.containsProperty(LONG_POLL)) {
                found.put(LONG_POLL, "5s");
            }
        }
        environment.getPropertySources().addFirst(new MapPropertySource("local services", found));
    }

    private static boolean onAmazon(ConfigurableEnvironment environment) {
        return environment.containsProperty("sluice.listener.sqs.region");
    }

    private static String startDatabase(DefaultListableBeanFactory beans) {
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.start();
            stopLast(beans, "local PostgreSQL", postgres::close);
            return postgres.getJdbcUrl("postgres", "postgres");
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The embedded PostgreSQL did not start; set " + DATABASE + " to use another.",
                    e);
        }
    }

    private static String startQueues(DefaultListableBeanFactory beans) {
        SQSRestServer server =
                SQSRestServerBuilder.withDynamicPort().withInterface("localhost").start();
        stopLast(beans, "local SQS", server::stopAndWait);
        return "http://localhost:" + server.waitUntilStarted().localAddress().getPort();
    }

    /// Beans end in the opposite order of their beginning, and this one begins before all others.
    private static void stopLast(
            DefaultListableBeanFactory beans, String name, DisposableBean stop) {
        beans.registerDisposableBean(name, stop);
    }
}
