package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Very many partitions in one topic, made in one call, on a broker with its default heap; a process that runs out of it ends.
@Tag("partitions")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class PartitionsIT {
    private static final int COUNT = Integer.getInteger("sluice.conformance.partitions", 2_000);
    private static final List<Integer> WRITTEN =
            List.of(0, 1, COUNT / 3, COUNT / 2, COUNT - 2, COUNT - 1);

    private final SluiceProcess sluice;
    private final Clients clients;

    PartitionsIT(@TempDir Path folder) {
        sluice = new SluiceProcess(folder).start();
        clients = new Clients(sluice.broker());
    }

    @AfterEach
    void end() {
        sluice.close();
    }

    @Test
    @DisplayName("Q9, Q10: thousands of partitions outlive a clean stop and kill -9")
    void thousandsOfPartitionsOutliveStopsAndKills() {
        String topic = clients.createTopic("many", COUNT);
        write(topic, "before the stop");
        assertAll(topic, List.of("before the stop"));

        assertThat(sluice.stop()).isIn(0, 143);
        sluice.start();
        assertAll(topic, List.of("before the stop"));
        write(topic, "before the kill");

        sluice.kill();
        sluice.start();
        assertAll(topic, List.of("before the stop", "before the kill"));
        write(topic, "after all");
        assertAll(topic, List.of("before the stop", "before the kill", "after all"));
    }

    private void write(String topic, String text) {
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer,
                    WRITTEN.size(),
                    i -> new ProducerRecord<>(topic, WRITTEN.get(i), null, text));
        }
    }

    /// Every partition has a leader and answers; those that were written to hold these texts in their order, all others nothing.
    private void assertAll(String topic, List<String> texts) {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        List<TopicPartition> full = new ArrayList<>();
        for (int partition = 0; partition < COUNT; partition++) {
            TopicPartition one = new TopicPartition(topic, partition);
            latest.put(one, OffsetSpec.latest());
            if (WRITTEN.contains(partition)) {
                full.add(one);
            }
        }
        try (Admin admin = clients.admin()) {
            TopicDescription described =
                    Clients.result(
                            admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
            assertThat(described.partitions())
                    .hasSize(COUNT)
                    .allSatisfy(partition -> assertThat(partition.leader()).isNotNull());
            Map<TopicPartition, ListOffsetsResultInfo> ends =
                    Clients.result(admin.listOffsets(latest).all());
            ends.forEach(
                    (partition, end) ->
                            assertThat(end.offset())
                                    .as("%s", partition)
                                    .isEqualTo(full.contains(partition) ? texts.size() : 0));
        }
        for (TopicPartition partition : full) {
            assertThat(clients.readToEnd(partition))
                    .as("%s", partition)
                    .extracting(ConsumerRecord::value)
                    .isEqualTo(texts);
        }
    }
}
