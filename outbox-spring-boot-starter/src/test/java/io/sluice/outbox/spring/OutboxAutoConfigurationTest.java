package io.sluice.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.fixtures.Postgres;
import io.sluice.outbox.OutboxEvent;
import io.sluice.outbox.OutboxSchema;
import io.sluice.outbox.spring.actuate.OutboxActuatorAutoConfiguration;
import io.sluice.testing.Sluice;
import io.sluice.testing.SluiceExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// A whole application: data source, transactions, relay, metrics, health.
@ExtendWith({Postgres.Extension.class, SluiceExtension.class})
@Timeout(120)
class OutboxAutoConfigurationTest {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    @Configuration
    static class Application {
        @Bean
        SimpleMeterRegistry registry() {
            return new SimpleMeterRegistry();
        }

        @Bean
        Traces traces() {
            return () -> Optional.of("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        }
    }

    @Test
    @DisplayName(
            "O1: events join the running transaction; the relay of the application publishes them")
    void eventsJoinTheRunningTransaction(Postgres postgres, Sluice sluice) throws Exception {
        String topic = topic(sluice);
        application(postgres, sluice)
                .withPropertyValues("app.outbox.schema=install", "app.outbox.relay.topic=" + topic)
                .run(
                        context -> {
                            TransactionalOutbox outbox = context.getBean(TransactionalOutbox.class);
                            TransactionTemplate transaction = transaction(context);
                            JdbcTemplate jdbc =
                                    new JdbcTemplate(context.getBean(javax.sql.DataSource.class));
                            jdbc.execute("CREATE TABLE account (id text, amount int)");
                            transaction.executeWithoutResult(
                                    status -> {
                                        jdbc.update("INSERT INTO account VALUES ('a', 1)");
                                        outbox.append(OutboxEvent.of("a", "Undone", "0"));
                                        status.setRollbackOnly();
                                    });
                            transaction.executeWithoutResult(
                                    _ -> {
                                        jdbc.update("INSERT INTO account VALUES ('a', 2)");
                                        outbox.append(OutboxEvent.of("a", "Done", "1"));
                                    });
                            ConsumerRecord<String, String> only = read(sluice, topic, 1).getFirst();
                            assertThat(only.key()).isEqualTo("a");
                            assertThat(only.value()).isEqualTo("1");
                            assertThat(header(only, "type")).isEqualTo("Done");
                            assertThat(header(only, "traceparent")).startsWith("00-0af7");
                            assertThatThrownBy(() -> outbox.append(OutboxEvent.of("a", "t", "2")))
                                    .hasMessageContaining("@Transactional");
                            SimpleMeterRegistry meters = context.getBean(SimpleMeterRegistry.class);
                            await(() -> meters.get("outbox.events").functionCounter().count() == 1);
                            assertThat(meters.get("outbox.latency").timer().count()).isEqualTo(1);
                            await(() -> status(context).equals(Status.UP));
                        });
        assertThat(postgres.ask("SELECT count(*) FROM outbox_member"))
                .as("it has left")
                .isEqualTo("0");
    }

    @Test
    @DisplayName("O2, O5, O8: the document's table, settings and variables, as they are")
    void theDocumentsSettings(Postgres postgres, Sluice sluice) throws Exception {
        String topic = topic(sluice);
        postgres.run(
                """
                CREATE TABLE transfer_events (event_id bigserial PRIMARY KEY, aggregate_id varchar(64) NOT NULL, payload jsonb NOT NULL,
                  headers jsonb, status varchar(20) NOT NULL DEFAULT 'PENDING', next_retry_at timestamp NOT NULL DEFAULT now(),
                  updated_at timestamp NOT NULL DEFAULT now());
                INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i, '{}' FROM generate_series(1, 6) i
                """);
        application(postgres, sluice)
                .withSystemProperties(
                        "RELAY_INSTANCE_ID=1", "RELAY_TOTAL_INSTANCES=3", "RELAY_TOPIC=" + topic)
                .withPropertyValues(
                        "app.outbox.relay.batchSize=500",
                        "app.outbox.relay.fixedDelayMs=50",
                        "app.outbox.relay.initialDelayMs=5000",
                        "app.outbox.relay.threadPoolSize=4",
                        "app.outbox.relay.timeoutSeconds=10",
                        "app.outbox.relay.baseBackoffMs=5000",
                        "app.outbox.relay.maxBackoffMs=600000",
                        "app.outbox.relay.slowProcessingThresholdMs=3000",
                        "app.outbox.relay.instanceId=${RELAY_INSTANCE_ID:0}",
                        "app.outbox.relay.totalInstances=${RELAY_TOTAL_INSTANCES:1}")
                .run(
                        context -> {
                            EmbeddedRelay relay = context.getBean(EmbeddedRelay.class);
                            await(() -> relay.published() >= 2);
                            assertThat(
                                            postgres.ask(
                                                    "SELECT string_agg(event_id::text, ',' ORDER BY event_id) FROM transfer_events WHERE status = 'PUBLISHED' AND MOD(event_id, 3) = 1"))
                                    .isEqualTo("1,4");
                        });
    }

    @ParameterizedTest
    @CsvSource({
        "1,    , 'RELAY_INSTANCE_ID=1: it must be from 0 to 0, since RELAY_TOTAL_INSTANCES is 1'",
        "3,    3, 'RELAY_INSTANCE_ID=3: it must be from 0 to 2, since RELAY_TOTAL_INSTANCES is 3'",
        "blue, 3, instanceId=blue: it must be a whole number",
    })
    @DisplayName(
            "O5: in log mode the id is only a name; in compat mode a wrong one stops the application and is named")
    void theIdIsANameInLogModeOnly(
            String id, @Nullable String total, String refusal, Postgres postgres, Sluice sluice)
            throws Exception {
        String topic = topic(sluice);
        ApplicationContextRunner application =
                application(postgres, sluice)
                        .withPropertyValues("RELAY_INSTANCE_ID=" + id)
                        .withPropertyValues(
                                total == null
                                        ? new String[0]
                                        : new String[] {"RELAY_TOTAL_INSTANCES=" + total})
                        .withPropertyValues(
                                "app.outbox.schema=install",
                                "app.outbox.relay.topic=" + topic,
                                "app.outbox.relay.instanceId=${RELAY_INSTANCE_ID:0}",
                                "app.outbox.relay.totalInstances=${RELAY_TOTAL_INSTANCES:1}");
        for (String mode : List.of("auto", "log")) {
            application
                    .withPropertyValues("app.outbox.relay.mode=" + mode)
                    .run(
                            context -> {
                                assertThat(context).hasNotFailed();
                                String named =
                                        "SELECT count(*) FROM outbox_member WHERE name = 'relay-%s'"
                                                .formatted(id);
                                await(() -> postgres.ask(named).equals("1"));
                            });
        }
        refused(application.withPropertyValues("app.outbox.relay.mode=compat"), refusal);
        postgres.run("UPDATE outbox_source SET mode = 'compat'");
        refused(application, refusal); // The database says it.
    }

    private static void refused(ApplicationContextRunner application, String why) {
        application.run(context -> assertThat(context).getFailure().hasStackTraceContaining(why));
    }

    /// Spring Boot's own names, without the document's variables.
    @Test
    void aWrongPropertyIsNamed(Postgres postgres, Sluice sluice) {
        refused(
                application(postgres, sluice)
                        .withPropertyValues(
                                "app.outbox.relay.topic=t",
                                "app.outbox.relay.mode=compat",
                                "app.outbox.relay.instanceId=3",
                                "app.outbox.relay.totalInstances=3"),
                "RELAY_INSTANCE_ID=3");
    }

    @Test
    void tablesThroughFlyway(Postgres postgres, Sluice sluice) throws Exception {
        String topic = topic(sluice);
        application(postgres, sluice)
                .withPropertyValues("app.outbox.schema=flyway", "app.outbox.relay.topic=" + topic)
                .run(
                        context -> {
                            TransactionalOutbox outbox = context.getBean(TransactionalOutbox.class);
                            transaction(context)
                                    .executeWithoutResult(
                                            _ -> outbox.append(OutboxEvent.of("a", "t", "1")));
                            assertThat(read(sluice, topic, 1)).hasSize(1);
                        });
        assertThat(
                        postgres.ask(
                                "SELECT count(*) FROM outbox_schema_history WHERE success AND version <> '0'"))
                .isEqualTo(Integer.toString(OutboxSchema.SCRIPTS.size()));
    }

    @Test
    @DisplayName("a table in partitions, which the relay makes ahead and drops")
    void tablesInPartitions(Postgres postgres, Sluice sluice) throws Exception {
        String topic = topic(sluice);
        ApplicationContextRunner application =
                application(postgres, sluice)
                        .withPropertyValues(
                                "app.outbox.schema=partitioned",
                                "app.outbox.partition-events=10",
                                "app.outbox.relay.retention=0s",
                                "app.outbox.relay.topic=" + topic);
        String partitions =
                "SELECT string_agg(inhrelid::regclass::text, ',' ORDER BY inhrelid) FROM pg_inherits WHERE inhparent = 'transfer_events'::regclass";
        for (int start = 1; start <= 2; start++) {
            int events = 12 * start;
            application.run(
                    context -> {
                        TransactionalOutbox outbox = context.getBean(TransactionalOutbox.class);
                        for (int i = 0; i < 12; i++) {
                            transaction(context)
                                    .executeWithoutResult(
                                            _ -> outbox.append(OutboxEvent.of("a", "t", "1")));
                        }
                        assertThat(read(sluice, topic, events)).hasSize(events);
                        await(() -> !postgres.ask(partitions).contains("transfer_events_p0"));
                        SimpleMeterRegistry meters = context.getBean(SimpleMeterRegistry.class);
                        await(() -> meters.get("outbox.partitions.ahead").gauge().value() == 3);
                    });
        }
    }

    @Test
    void aTableWithoutPartitionsIsNotMistakenForOne(Postgres postgres, Sluice sluice) {
        application(postgres, sluice)
                .withPropertyValues("app.outbox.schema=install")
                .run(context -> assertThat(context).hasNotFailed());
        application(postgres, sluice)
                .withPropertyValues("app.outbox.schema=partitioned")
                .run(
                        context ->
                                assertThat(context)
                                        .getFailure()
                                        .rootCause()
                                        .hasMessageContaining(
                                                "transfer_events is there and has no partitions"));
        assertThat(postgres.ask("SELECT count(*) FROM outbox_partition")).isEqualTo("0");
    }

    @Test
    void withoutATopicNothingIsPublishedHere(Postgres postgres, Sluice sluice) {
        application(postgres, sluice)
                .run(
                        context -> {
                            assertThat(context).hasSingleBean(TransactionalOutbox.class);
                            assertThat(context).doesNotHaveBean(EmbeddedRelay.class);
                            assertThat(context).doesNotHaveBean(HealthIndicator.class);
                        });
    }

    @Test
    void healthIsDownAndSaysWhy(Postgres postgres) {
        runner(postgres)
                .withPropertyValues(
                        "app.outbox.schema=install",
                        "app.outbox.relay.topic=t",
                        "app.outbox.relay.producer.max.block.ms=200",
                        "spring.kafka.bootstrap-servers=localhost:1")
                .run(
                        context -> {
                            TransactionalOutbox outbox = context.getBean(TransactionalOutbox.class);
                            transaction(context)
                                    .executeWithoutResult(
                                            _ -> outbox.append(OutboxEvent.of("a", "t", "1")));
                            await(() -> status(context).equals(Status.DOWN));
                            assertThat(String.valueOf(health(context).getDetails().get("reasons")))
                                    .contains("broker");
                        });
    }

    private static ApplicationContextRunner application(Postgres postgres, Sluice sluice) {
        return runner(postgres)
                .withPropertyValues("spring.kafka.bootstrap-servers=" + sluice.bootstrap());
    }

    private static ApplicationContextRunner runner(Postgres postgres) {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(
                                DataSourceAutoConfiguration.class,
                                DataSourceTransactionManagerAutoConfiguration.class,
                                TransactionAutoConfiguration.class,
                                OutboxAutoConfiguration.class,
                                OutboxActuatorAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .withPropertyValues("spring.datasource.url=" + postgres.url());
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static Status status(ApplicationContext context) {
        return health(context).getStatus();
    }

    private static Health health(ApplicationContext context) {
        return Objects.requireNonNull(context.getBean(HealthIndicator.class).health());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }

    private static String topic(Sluice sluice) throws Exception {
        String topic = "transfers-" + TOPICS.incrementAndGet();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", sluice.bootstrap()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        }
        return topic;
    }

    private static List<ConsumerRecord<String, String>> read(
            Sluice sluice, String topic, int count) {
        try (var consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                sluice.bootstrap(),
                                "auto.offset.reset",
                                "earliest"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            List<ConsumerRecord<String, String>> records = new ArrayList<>();
            while (records.size() < count) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            return records;
        }
    }

    private static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
