package io.sluice.spring.once;

import static io.sluice.spring.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.LaneCustomizer;
import io.sluice.spring.Listeners;
import io.sluice.spring.SluiceListener;
import io.sluice.spring.SluiceListenerAutoConfiguration;
import io.sluice.testing.Sluice;
import io.sluice.testing.SluiceExtension;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/// An annotated method whose writes go through `JdbcTemplate`, as in any application.
@ExtendWith(SluiceExtension.class)
@Timeout(180)
class SpringOnceStoreTest {
    static class Worker {
        final AtomicInteger calls = new AtomicInteger();
        private final JdbcTemplate database;

        Worker(JdbcTemplate database) {
            this.database = database;
        }

        @SluiceListener(topic = "labels")
        void label(String document) {
            database.update("INSERT INTO label VALUES (?)", document);
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("after the effect, before its end");
            }
        }
    }

    @Configuration
    static class Application {
        @Bean
        PlatformTransactionManager transactions(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        JdbcTemplate database(DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }

        @Bean
        SpringOnceStore done(PlatformTransactionManager transactions, DataSource dataSource) {
            return new SpringOnceStore(transactions, dataSource, "sluice_done");
        }

        @Bean
        LaneCustomizer once(SpringOnceStore done) {
            return (source, lane) -> lane.around(done::once);
        }

        @Bean
        Worker worker(JdbcTemplate database) {
            return new Worker(database);
        }
    }

    private static ApplicationContextRunner application(Sluice sluice, DataSource dataSource) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SluiceListenerAutoConfiguration.class))
                .withBean(DataSource.class, () -> dataSource)
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "spring.application.name=labelling",
                        "spring.kafka.bootstrap-servers=" + sluice.bootstrap(),
                        "sluice.listener.sources.labels.lanes.main.first-pause=100ms");
    }

    private static long done(Listeners listeners) {
        return listeners.require("labels").lanes().getFirst().done();
    }

    @Test
    void whatAMethodWritesHappensOnceThoughItFailsAndThoughItsMessageComesAgain(Sluice sluice)
            throws Exception {
        var dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        var database = new JdbcTemplate(dataSource);
        database.execute("CREATE TABLE label (document VARCHAR(100))");
        new SpringOnceStore(new JdbcTransactionManager(dataSource), dataSource, "sluice_done")
                .createTable();
        Map<String, Object> client = Map.of("bootstrap.servers", sluice.bootstrap());
        try (Admin admin = Admin.create(client);
                var producer =
                        new KafkaProducer<>(
                                client, new StringSerializer(), new StringSerializer())) {
            admin.createTopics(List.of(new NewTopic("labels", 1, (short) 1))).all().get();
            producer.send(new ProducerRecord<>("labels", "a.pdf")).get();
            producer.send(new ProducerRecord<>("labels", "b.pdf")).get();

            application(sluice, dataSource)
                    .run(
                            context -> {
                                Listeners listeners = context.getBean(Listeners.class);
                                until("both", () -> done(listeners) == 2);
                                assertThat(context.getBean(Worker.class).calls).hasValue(3);
                            });
            assertThat(rows(database, "label")).containsExactlyInAnyOrder("a.pdf", "b.pdf");
            assertThat(rows(database, "sluice_done"))
                    .as("one for each, in the name of its group")
                    .hasSize(2)
                    .allMatch(row -> row.startsWith("labelling/labels-0@"));

            // As if the group's commit had been lost.
            admin.alterConsumerGroupOffsets(
                            "labelling",
                            Map.of(new TopicPartition("labels", 0), new OffsetAndMetadata(0)))
                    .all()
                    .get();
            application(sluice, dataSource)
                    .run(
                            context -> {
                                Listeners listeners = context.getBean(Listeners.class);
                                until("both again", () -> done(listeners) == 2);
                                assertThat(context.getBean(Worker.class).calls).hasValue(0);
                            });
            assertThat(rows(database, "label")).containsExactlyInAnyOrder("a.pdf", "b.pdf");
        }
    }

    private static List<String> rows(JdbcTemplate database, String table) {
        return database.query("SELECT * FROM " + table, (row, number) -> row.getString(1));
    }
}
