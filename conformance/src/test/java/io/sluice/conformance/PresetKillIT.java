package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Delivery;
import io.sluice.client.Preset;
import io.sluice.client.Profile;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceProcess;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What each preset of the client promises its producer holds when the broker is killed under it, whatever the profile.
///
/// The consumer's half of the promise is shown by `KillTest` of the module `client`.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PresetKillIT {
    private static final int PARTITIONS = 2;
    private static final int KILLS = 2;
    private static final int PROGRESS = 1_000;

    private final SluiceProcess sluice;
    private final Clients clients;

    PresetKillIT(@TempDir Path folder) {
        sluice = new SluiceProcess(folder).start();
        clients = new Clients(sluice.broker());
    }

    @AfterAll
    void end() {
        sluice.close();
    }

    @ParameterizedTest(name = "Q6, Q7, Q32: at-least-once, {0}: nothing acknowledged is lost")
    @EnumSource(Profile.class)
    void atLeastOnceLosesNothingAndKeepsTheOrder(Profile profile) {
        String topic = clients.createTopic("at-least-once", PARTITIONS);
        try (AcknowledgedLoad load = load(Delivery.AT_LEAST_ONCE, profile, topic)) {
            underKills(load);
            load.finish();

            assertThat(load.failures()).isEmpty();
            for (TopicPartition one : partitions(topic)) {
                assertThat(load.book().discrepancies(one, clients.readToEnd(one)))
                        .as("%s", one)
                        .isEmpty();
            }
        }
    }

    @ParameterizedTest(name = "Q6, Q7, Q31: at-most-once, {0}: nothing comes twice")
    @EnumSource(Profile.class)
    void atMostOnceDoublesNothingAndKeepsTheOrder(Profile profile) {
        String topic = clients.createTopic("at-most-once", PARTITIONS);
        try (AcknowledgedLoad load = load(Delivery.AT_MOST_ONCE, profile, topic)) {
            underKills(load);
            load.finish();

            for (TopicPartition one : partitions(topic)) {
                List<ConsumerRecord<String, String>> read = clients.readToEnd(one);
                assertThat(read).as("%s", one).isNotEmpty();
                // Sent in rising order: whatever came twice, or out of order, would not be.
                assertThat(read)
                        .extracting(record -> Long.parseLong(record.value()))
                        .isSortedAccordingTo(PresetKillIT::strictlyRising);
            }
        }
    }

    /// For a comparison that takes neighbours that are equal for unsorted.
    private static int strictlyRising(long left, long right) {
        return left < right ? -1 : 1;
    }

    private void underKills(AcknowledgedLoad load) {
        for (int kill = 0; kill < KILLS; kill++) {
            load.awaitProgress(PROGRESS, sluice::output);
            sluice.kill();
            sluice.start();
        }
        load.awaitProgress(PROGRESS, sluice::output);
    }

    private AcknowledgedLoad load(Delivery delivery, Profile profile, String topic) {
        Map<String, Object> settings = new HashMap<>(AcknowledgedLoad.PATIENT);
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, clients.broker().bootstrap());
        return new AcknowledgedLoad(
                new Preset(delivery, profile)
                        .openProducer(settings, new StringSerializer(), new StringSerializer()),
                topic,
                PARTITIONS);
    }

    private static List<TopicPartition> partitions(String topic) {
        return List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1));
    }
}
