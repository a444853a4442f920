package io.sluice.outbox.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.tracing.Tracer;
import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.Outbox;
import io.sluice.outbox.OutboxSchema;
import io.sluice.outbox.Replication;
import io.sluice.outbox.spring.schema.OutboxFlyway;
import io.sluice.outbox.spring.schema.OutboxInstaller;
import java.sql.DriverManager;
import java.util.Properties;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/// Makes a [TransactionalOutbox] of the application's data source, and an [EmbeddedRelay] if a topic is named.
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
        })
@ConditionalOnBean(DataSource.class)
@EnableConfigurationProperties(OutboxProperties.class)
public class OutboxAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TransactionalOutbox transactionalOutbox(
            DataSource dataSource,
            OutboxProperties properties,
            ObjectProvider<Traces> traces,
            ObjectProvider<EmbeddedRelay> relay) {
        Outbox outbox = Outbox.in(properties.outboxTable());
        return new TransactionalOutbox(
                dataSource,
                properties.lockAggregates() ? outbox.lockingAggregates() : outbox,
                traces.getIfAvailable(() -> Traces.NONE),
                () -> relay.ifAvailable(EmbeddedRelay::ring));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(
            prefix = OutboxProperties.PREFIX,
            name = "schema",
            havingValue = "install")
    static class Install {
        @Bean
        InitializingBean outboxSchema(DataSource dataSource, OutboxProperties properties) {
            return new OutboxInstaller(
                    dataSource,
                    connection -> OutboxSchema.install(connection, properties.outboxTable()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(
            prefix = OutboxProperties.PREFIX,
            name = "schema",
            havingValue = "partitioned")
    static class InstallPartitioned {
        @Bean
        InitializingBean outboxSchema(DataSource dataSource, OutboxProperties properties) {
            return new OutboxInstaller(
                    dataSource,
                    connection ->
                            OutboxSchema.installPartitioned(
                                    connection,
                                    properties.outboxTable(),
                                    properties.partitionEvents()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Flyway.class)
    @ConditionalOnProperty(
            prefix = OutboxProperties.PREFIX,
            name = "schema",
            havingValue = "flyway")
    static class WithFlyway {
        @Bean
        InitializingBean outboxSchema(DataSource dataSource, OutboxProperties properties) {
            return new OutboxFlyway(dataSource, properties.outboxTable());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Tracer.class)
    @ConditionalOnBean(Tracer.class)
    static class Tracing {
        @Bean
        @ConditionalOnMissingBean
        Traces outboxTraces(Tracer tracer) {
            return new MicrometerTraces(tracer);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Conditional(OnTopic.class)
    static class Relaying {
        /// Direct connections, not the pool's: a session's locks tell the others that this relay is alive, and must end with it.
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnBean(JdbcConnectionDetails.class)
        ConnectionSource outboxConnectionSource(JdbcConnectionDetails database) {
            Properties login = login(database);
            return () -> DriverManager.getConnection(database.getJdbcUrl(), login);
        }

        @Bean
        @ConditionalOnMissingBean
        EmbeddedRelay embeddedRelay(
                OutboxProperties properties,
                ConnectionSource database,
                ObjectProvider<JdbcConnectionDetails> details,
                ObjectProvider<MeterRegistry> registry,
                Environment environment) {
            JdbcConnectionDetails known = details.getIfAvailable();
            Replication replication =
                    known == null ? null : Replication.to(known.getJdbcUrl(), login(known));
            return new EmbeddedRelay(
                    RelayPlan.of(properties, OnTopic.topic(environment), environment, replication),
                    database,
                    registry.getIfAvailable(CompositeMeterRegistry::new));
        }

        private static Properties login(JdbcConnectionDetails database) {
            Properties login = new Properties();
            // A database whose host is lost never answers, and nothing else would tell.
            login.setProperty("tcpKeepAlive", "true");
            login.setProperty("loginTimeout", "30");
            if (database.getUsername() != null) {
                login.setProperty("user", database.getUsername());
            }
            if (database.getPassword() != null) {
                login.setProperty("password", database.getPassword());
            }
            return login;
        }
    }
}
