package io.sluice.kafka.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicPlan;
import io.sluice.kafka.api.cluster.DescribeTopicPartitionsHandler;
import io.sluice.kafka.api.data.FetchHandler;
import io.sluice.kafka.api.data.ListOffsetsHandler;
import io.sluice.kafka.api.topics.AlterConfigsHandler;
import io.sluice.kafka.api.topics.CreatePartitionsHandler;
import io.sluice.kafka.api.topics.CreateTopicsHandler;
import io.sluice.kafka.api.topics.DeleteRecordsHandler;
import io.sluice.kafka.api.topics.DeleteTopicsHandler;
import io.sluice.kafka.api.topics.DescribeConfigsHandler;
import io.sluice.kafka.api.topics.DescribeLogDirsHandler;
import io.sluice.kafka.api.topics.DescribeProducersHandler;
import io.sluice.kafka.api.topics.DescribeTransactionsHandler;
import io.sluice.kafka.api.topics.IncrementalAlterConfigsHandler;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.AlterConfigsRequest;
import io.sluice.kafka.wire.message.AlterConfigsResponse;
import io.sluice.kafka.wire.message.CreatePartitionsRequest;
import io.sluice.kafka.wire.message.CreatePartitionsRequest.CreatePartitionsTopic;
import io.sluice.kafka.wire.message.CreatePartitionsResponse;
import io.sluice.kafka.wire.message.CreateTopicsRequest;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopic;
import io.sluice.kafka.wire.message.CreateTopicsResponse;
import io.sluice.kafka.wire.message.DeleteRecordsRequest;
import io.sluice.kafka.wire.message.DeleteRecordsRequest.DeleteRecordsPartition;
import io.sluice.kafka.wire.message.DeleteRecordsRequest.DeleteRecordsTopic;
import io.sluice.kafka.wire.message.DeleteRecordsResponse;
import io.sluice.kafka.wire.message.DeleteTopicsRequest;
import io.sluice.kafka.wire.message.DeleteTopicsRequest.DeleteTopicState;
import io.sluice.kafka.wire.message.DeleteTopicsResponse;
import io.sluice.kafka.wire.message.DescribeConfigsRequest;
import io.sluice.kafka.wire.message.DescribeConfigsRequest.DescribeConfigsResource;
import io.sluice.kafka.wire.message.DescribeConfigsResponse;
import io.sluice.kafka.wire.message.DescribeLogDirsRequest;
import io.sluice.kafka.wire.message.DescribeLogDirsRequest.DescribableLogDirTopic;
import io.sluice.kafka.wire.message.DescribeLogDirsResponse;
import io.sluice.kafka.wire.message.DescribeProducersRequest;
import io.sluice.kafka.wire.message.DescribeProducersRequest.TopicRequest;
import io.sluice.kafka.wire.message.DescribeProducersResponse;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsRequest;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsResponse;
import io.sluice.kafka.wire.message.DescribeTransactionsRequest;
import io.sluice.kafka.wire.message.DescribeTransactionsResponse;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsResponse;
import io.sluice.kafka.wire.message.ListOffsetsRequest;
import io.sluice.kafka.wire.message.ListOffsetsRequest.ListOffsetsPartition;
import io.sluice.kafka.wire.message.ListOffsetsRequest.ListOffsetsTopic;
import io.sluice.kafka.wire.message.ListOffsetsResponse;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A request that names the same thing a thousand times gets an answer that names it once: a small request never has an answer as large as it likes.
class RepeatedNamesTest {
    private static final int OFTEN = 1000;
    private static final byte TOPIC = 2;
    private static final UUID NO_ID = new UUID(0, 0);
    private static final short INVALID_REQUEST = ErrorCode.INVALID_REQUEST.id();

    @TempDir Path folder;
    private ApiWorld api;
    private TopicPlan orders;

    @BeforeEach
    void begin() {
        api = new ApiWorld(folder);
        orders = api.create("orders", 2);
    }

    private static <T> List<T> often(T one) {
        return Collections.nCopies(OFTEN, one);
    }

    @Test
    void describedTopicPartitions() {
        DescribeTopicPartitionsRequest request =
                DescribeTopicPartitionsRequest.builder()
                        .topics(often(new DescribeTopicPartitionsRequest.TopicRequest("orders")))
                        .responsePartitionLimit(2000)
                        .build();
        assertThat(describe(request).topics()).hasSize(1);
    }

    /// A page that begins behind the end of its topic.
    @Test
    void aCursorBeyondAllPartitionsEndsThePages() {
        for (int partition : new int[] {Integer.MAX_VALUE, 2, Integer.MIN_VALUE}) {
            DescribeTopicPartitionsRequest request =
                    DescribeTopicPartitionsRequest.builder()
                            .topics(
                                    List.of(
                                            new DescribeTopicPartitionsRequest.TopicRequest(
                                                    "orders")))
                            .responsePartitionLimit(2000)
                            .cursor(new DescribeTopicPartitionsRequest.Cursor("orders", partition))
                            .build();
            DescribeTopicPartitionsResponse answer = describe(request);
            assertThat(answer.nextCursor()).isNull();
            assertThat(answer.topics().getFirst().partitions()).hasSize(partition < 0 ? 2 : 0);
        }
    }

    private DescribeTopicPartitionsResponse describe(DescribeTopicPartitionsRequest request) {
        return api.answer(
                new DescribeTopicPartitionsHandler(api.controller, new OwnPlace(3, () -> true)),
                request,
                0,
                DescribeTopicPartitionsResponse.class);
    }

    @Test
    void describedSettings() {
        DescribeConfigsRequest request =
                DescribeConfigsRequest.builder()
                        .resources(often(new DescribeConfigsResource(TOPIC, "orders", null)))
                        .build();
        DescribeConfigsHandler handler =
                new DescribeConfigsHandler(api.controller, api.configs, 3, List.of(), () -> 0);
        assertThat(api.answer(handler, request, 4, DescribeConfigsResponse.class).results())
                .hasSize(1);
    }

    /// As by Apache Kafka: which of the two times is meant nobody can tell.
    @Test
    void listedOffsets() {
        ListOffsetsPartition earliest = new ListOffsetsPartition(0, -1, -2);
        ListOffsetsPartition once = new ListOffsetsPartition(1, -1, -2);
        ListOffsetsRequest request =
                ListOffsetsRequest.builder()
                        .replicaId(-1)
                        .topics(
                                List.of(
                                        new ListOffsetsTopic("orders", often(earliest)),
                                        new ListOffsetsTopic("orders", List.of(once))))
                        .build();
        ListOffsetsResponse answer =
                api.answer(
                        new ListOffsetsHandler(api.world.directory),
                        request,
                        10,
                        ListOffsetsResponse.class);
        assertThat(answer.topics()).hasSize(1);
        assertThat(answer.topics().getFirst().partitions())
                .map(partition -> partition.partitionIndex() + " " + partition.errorCode())
                .containsExactly("0 " + INVALID_REQUEST, "1 0");
    }

    /// As by Apache Kafka: the last mention counts. With a session and without.
    @Test
    void fetchedPartitions() {
        FetchPartition beyond =
                FetchPartition.builder()
                        .fetchOffset(99)
                        .currentLeaderEpoch(-1)
                        .partitionMaxBytes(1 << 20)
                        .build();
        FetchPartition start =
                FetchPartition.builder()
                        .fetchOffset(0)
                        .currentLeaderEpoch(-1)
                        .partitionMaxBytes(1 << 20)
                        .build();
        for (int epoch : new int[] {-1, 0}) {
            FetchRequest request =
                    FetchRequest.builder()
                            .maxBytes(1 << 20)
                            .sessionEpoch(epoch)
                            .topics(
                                    List.of(
                                            new FetchTopic("orders", NO_ID, often(beyond)),
                                            new FetchTopic("orders", NO_ID, List.of(start))))
                            .build();
            FetchHandler handler = new FetchHandler(api.world.directory, api.controller::view, 3);
            FetchResponse answer = api.answer(handler, request, 12, FetchResponse.class);
            assertThat(answer.responses()).hasSize(1);
            assertThat(answer.responses().getFirst().partitions())
                    .map(partition -> partition.errorCode())
                    .containsExactly(ErrorCode.NONE.id());
        }
    }

    @Test
    void createdTopics() {
        CreatableTopic topic =
                CreatableTopic.builder()
                        .name("fresh")
                        .numPartitions(1)
                        .replicationFactor((short) -1)
                        .build();
        CreateTopicsRequest request = CreateTopicsRequest.builder().topics(often(topic)).build();
        CreateTopicsHandler handler = new CreateTopicsHandler(api.controller, api.configs, 16);
        assertThat(api.answer(handler, request, 7, CreateTopicsResponse.class).topics())
                .map(result -> result.name() + " " + result.errorCode())
                .containsExactly("fresh " + INVALID_REQUEST);
        assertThat(api.controller.view().findTopic("fresh")).isNull();
    }

    @Test
    void deletedTopics() {
        api.create("other", 1);
        DeleteTopicsRequest named =
                DeleteTopicsRequest.builder().topicNames(often("orders")).build();
        DeleteTopicsHandler handler = new DeleteTopicsHandler(api.controller);
        assertThat(api.answer(handler, named, 5, DeleteTopicsResponse.class).responses())
                .map(result -> result.name() + " " + result.errorCode())
                .containsExactly("orders " + INVALID_REQUEST);
        DeleteTopicsRequest byId =
                DeleteTopicsRequest.builder()
                        .topics(often(new DeleteTopicState(null, orders.id())))
                        .build();
        assertThat(api.answer(handler, byId, 6, DeleteTopicsResponse.class).responses())
                .map(result -> result.topicId() + " " + result.errorCode())
                .containsExactly(orders.id() + " " + INVALID_REQUEST);
        assertThat(api.controller.view().topics()).hasSize(2);
    }

    @Test
    void grownTopics() {
        CreatePartitionsRequest request =
                CreatePartitionsRequest.builder()
                        .topics(often(new CreatePartitionsTopic("orders", 9, null)))
                        .build();
        CreatePartitionsHandler handler = new CreatePartitionsHandler(api.controller);
        assertThat(api.answer(handler, request, 3, CreatePartitionsResponse.class).results())
                .map(result -> result.name() + " " + result.errorCode())
                .containsExactly("orders " + INVALID_REQUEST);
    }

    @Test
    void changedSettings() {
        AlterConfigsRequest replacing =
                AlterConfigsRequest.builder()
                        .resources(
                                often(
                                        new AlterConfigsRequest.AlterConfigsResource(
                                                TOPIC, "orders", List.of())))
                        .build();
        assertThat(
                        api.answer(
                                        new AlterConfigsHandler(
                                                api.controller, ToController.nobody()),
                                        replacing,
                                        2,
                                        AlterConfigsResponse.class)
                                .responses())
                .map(result -> result.resourceName() + " " + result.errorCode())
                .containsExactly("orders " + INVALID_REQUEST);
        IncrementalAlterConfigsRequest changing =
                IncrementalAlterConfigsRequest.builder()
                        .resources(
                                often(
                                        new IncrementalAlterConfigsRequest.AlterConfigsResource(
                                                TOPIC, "orders", List.of())))
                        .build();
        assertThat(
                        api.answer(
                                        new IncrementalAlterConfigsHandler(
                                                api.controller, ToController.nobody(), api.configs),
                                        changing,
                                        1,
                                        IncrementalAlterConfigsResponse.class)
                                .responses())
                .map(result -> result.resourceName() + " " + result.errorCode())
                .containsExactly("orders " + INVALID_REQUEST);
    }

    @Test
    void deletedRecords() {
        DeleteRecordsRequest request =
                DeleteRecordsRequest.builder()
                        .topics(
                                List.of(
                                        new DeleteRecordsTopic(
                                                "orders", often(new DeleteRecordsPartition(0, 99))),
                                        new DeleteRecordsTopic(
                                                "orders",
                                                List.of(new DeleteRecordsPartition(0, 0)))))
                        .build();
        DeleteRecordsResponse answer =
                api.answer(
                        new DeleteRecordsHandler(api.world.directory),
                        request,
                        2,
                        DeleteRecordsResponse.class);
        assertThat(answer.topics()).hasSize(1);
        assertThat(answer.topics().getFirst().partitions())
                .map(partition -> partition.errorCode())
                .containsExactly(ErrorCode.NONE.id());
    }

    @Test
    void describedFolders() {
        DescribeLogDirsRequest request =
                DescribeLogDirsRequest.builder()
                        .topics(
                                List.of(
                                        new DescribableLogDirTopic("orders", often(0)),
                                        new DescribableLogDirTopic("orders", often(1))))
                        .build();
        DescribeLogDirsHandler handler =
                new DescribeLogDirsHandler(
                        api.controller, api.world.directory, api.world.disk, "data");
        DescribeLogDirsResponse.DescribeLogDirsResult folder =
                api.answer(handler, request, 4, DescribeLogDirsResponse.class).results().getFirst();
        assertThat(folder.topics()).hasSize(1);
        assertThat(folder.topics().getFirst().partitions()).hasSize(2);
        assertThat(folder.usableBytes()).isPositive();
        assertThat(folder.totalBytes()).isGreaterThanOrEqualTo(folder.usableBytes());
    }

    @Test
    void describedProducers() {
        DescribeProducersRequest request =
                DescribeProducersRequest.builder()
                        .topics(
                                List.of(
                                        new TopicRequest("orders", often(0)),
                                        new TopicRequest("orders", often(1))))
                        .build();
        DescribeProducersResponse answer =
                api.answer(
                        new DescribeProducersHandler(api.world.directory),
                        request,
                        0,
                        DescribeProducersResponse.class);
        assertThat(answer.topics()).hasSize(1);
        assertThat(answer.topics().getFirst().partitions()).hasSize(2);
    }

    @Test
    void describedTransactions() {
        DescribeTransactionsRequest request =
                DescribeTransactionsRequest.builder().transactionalIds(often("payments")).build();
        assertThat(
                        api.answer(
                                        new DescribeTransactionsHandler(),
                                        request,
                                        0,
                                        DescribeTransactionsResponse.class)
                                .transactionStates())
                .hasSize(1);
    }
}
