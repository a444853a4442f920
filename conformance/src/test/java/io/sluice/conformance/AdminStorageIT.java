package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DeletedRecords;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.DescribeProducersResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/// What the broker says about itself and its logs, through the admin client.
@Tag("admin")
@ExtendWith(BrokerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdminStorageIT {
    private final Clients clients;
    private final Admin admin;

    AdminStorageIT(Broker broker) {
        clients = new Clients(broker);
        admin = clients.admin();
    }

    @AfterAll
    void close() {
        admin.close();
    }

    @Test
    void theClusterIsDescribed() {
        DescribeClusterResult cluster = admin.describeCluster();

        Collection<Node> nodes = Clients.result(cluster.nodes());
        assertThat(nodes).hasSize(1);
        assertThat(nodes.iterator().next().port()).isEqualTo(clients.broker().port());
        assertThat(Clients.result(cluster.clusterId())).isNotBlank();
        assertThat(Clients.result(cluster.controller())).isNotNull();
    }

    @Test
    void theBrokersOwnSettingsAreDescribed() {
        int id = Clients.result(admin.describeCluster().nodes()).iterator().next().id();
        ConfigResource broker =
                new ConfigResource(ConfigResource.Type.BROKER, Integer.toString(id));

        Config config = Clients.result(admin.describeConfigs(List.of(broker)).all()).get(broker);

        assertThat(config).isNotNull();
        ConfigEntry nodeId = config.get("node.id");
        assertThat(nodeId).isNotNull();
        assertThat(nodeId.value()).isEqualTo(Integer.toString(id));
        assertThat(nodeId.isReadOnly()).isTrue();
        assertThat(nodeId.isSensitive()).isFalse();
        // A broker has dozens of settings, each with a name of its own.
        assertThat(config.entries()).hasSizeGreaterThan(30);
        assertThat(config.entries()).extracting(ConfigEntry::name).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("Q4: offsets are found at both ends, by time and by the highest time")
    void offsetsAreFoundByEverySpecification() {
        String topic = clients.createTopic("list", 1);
        TopicPartition partition = new TopicPartition(topic, 0);
        long start = System.currentTimeMillis() - 1_000_000;
        // The highest timestamp is not the last one.
        long[] timestamps = {start, start + 10, start + 500, start + 20};
        try (Producer<String, String> producer = clients.producer()) {
            for (long timestamp : timestamps) {
                Clients.sendAll(
                        producer, 1, _ -> new ProducerRecord<>(topic, 0, timestamp, null, "v"));
            }
        }

        assertThat(find(partition, OffsetSpec.earliest()).offset()).isZero();
        assertThat(find(partition, OffsetSpec.latest()).offset()).isEqualTo(4);
        assertThat(find(partition, OffsetSpec.maxTimestamp()).offset()).isEqualTo(2);
        assertThat(find(partition, OffsetSpec.maxTimestamp()).timestamp()).isEqualTo(start + 500);
        assertThat(find(partition, OffsetSpec.forTimestamp(start + 5)).offset()).isEqualTo(1);
        assertThat(find(partition, OffsetSpec.forTimestamp(start + 11)).offset()).isEqualTo(2);
        assertThat(find(partition, OffsetSpec.forTimestamp(start + 501)).offset()).isEqualTo(-1);
    }

    @Test
    void theOffsetsOfAnEmptyPartitionAreZeroAndNone() {
        TopicPartition partition = new TopicPartition(clients.createTopic("empty", 1), 0);

        assertThat(find(partition, OffsetSpec.earliest()).offset()).isZero();
        assertThat(find(partition, OffsetSpec.latest()).offset()).isZero();
        assertThat(find(partition, OffsetSpec.maxTimestamp()).offset()).isEqualTo(-1);
    }

    @Test
    @DisplayName("Q8: messages before an offset are deleted on request")
    void messagesBeforeAnOffsetAreDeleted() {
        String topic = clients.createTopic("truncate", 1);
        TopicPartition partition = new TopicPartition(topic, 0);
        fill(topic, 100);

        DeletedRecords deleted = deleteBefore(partition, 60);

        assertThat(deleted.lowWatermark()).isEqualTo(60);
        assertThat(find(partition, OffsetSpec.earliest()).offset()).isEqualTo(60);
        assertThat(clients.readAll(topic, 1, 40))
                .hasSize(40)
                .first()
                .satisfies(record -> assertThat(record.offset()).isEqualTo(60));
        assertThat(deleteBefore(partition, -1).lowWatermark()).isEqualTo(100);
        assertThatThrownBy(() -> deleteBefore(partition, 101))
                .isInstanceOf(OffsetOutOfRangeException.class);
    }

    @Test
    void theSizeOfALogIsDescribed() {
        String topic = clients.createTopic("size", 1);
        fill(topic, 100);
        int id = Clients.result(admin.describeCluster().nodes()).iterator().next().id();

        Map<Integer, Map<String, LogDirDescription>> folders =
                Clients.result(admin.describeLogDirs(List.of(id)).allDescriptions());

        Map<String, LogDirDescription> own = folders.get(id);
        assertThat(own).isNotNull();
        assertThat(own.values())
                .anySatisfy(
                        folder -> {
                            assertThat(folder.error()).isNull();
                            assertThat(folder.replicaInfos().get(new TopicPartition(topic, 0)))
                                    .isNotNull()
                                    .satisfies(info -> assertThat(info.size()).isPositive());
                        });
    }

    @Test
    void anIdempotentProducerIsSeenInItsPartition() {
        String topic = clients.createTopic("producers", 1);
        TopicPartition partition = new TopicPartition(topic, 0);
        fill(topic, 10);

        DescribeProducersResult.PartitionProducerState state =
                Clients.result(
                        admin.describeProducers(List.of(partition)).partitionResult(partition));

        assertThat(state.activeProducers()).hasSize(1);
        ProducerState only = state.activeProducers().getFirst();
        assertThat(only.lastSequence()).isEqualTo(9);
        assertThat(only.producerEpoch()).isZero();
        assertThat(only.currentTransactionStartOffset()).isEmpty();
    }

    @Test
    void thereAreNoTransactionsToList() {
        assertThat(Clients.result(admin.listTransactions().all())).isNotNull();
    }

    private void fill(String topic, int count) {
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(producer, count, i -> new ProducerRecord<>(topic, "v" + i));
        }
    }

    private ListOffsetsResultInfo find(TopicPartition partition, OffsetSpec specification) {
        return Clients.result(
                admin.listOffsets(Map.of(partition, specification)).partitionResult(partition));
    }

    private DeletedRecords deleteBefore(TopicPartition partition, long offset) {
        return Clients.result(
                admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset)))
                        .lowWatermarks()
                        .get(partition));
    }
}
