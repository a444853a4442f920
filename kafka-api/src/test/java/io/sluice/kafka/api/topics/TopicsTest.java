package io.sluice.kafka.api.topics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicPlan;
import io.sluice.kafka.api.ApiWorld;
import io.sluice.kafka.api.ToController;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.AlterConfigsRequest;
import io.sluice.kafka.wire.message.AlterConfigsResponse;
import io.sluice.kafka.wire.message.CreatePartitionsRequest;
import io.sluice.kafka.wire.message.CreatePartitionsRequest.CreatePartitionsTopic;
import io.sluice.kafka.wire.message.CreatePartitionsResponse;
import io.sluice.kafka.wire.message.CreateTopicsRequest;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableReplicaAssignment;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopic;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopicConfig;
import io.sluice.kafka.wire.message.CreateTopicsResponse;
import io.sluice.kafka.wire.message.CreateTopicsResponse.CreatableTopicResult;
import io.sluice.kafka.wire.message.DeleteTopicsRequest;
import io.sluice.kafka.wire.message.DeleteTopicsRequest.DeleteTopicState;
import io.sluice.kafka.wire.message.DeleteTopicsResponse;
import io.sluice.kafka.wire.message.DescribeConfigsRequest;
import io.sluice.kafka.wire.message.DescribeConfigsRequest.DescribeConfigsResource;
import io.sluice.kafka.wire.message.DescribeConfigsResponse;
import io.sluice.kafka.wire.message.DescribeConfigsResponse.DescribeConfigsResourceResult;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest.AlterableConfig;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Administration of topics: what the handlers decide themselves; the rest is the controller's (Q21, Q29).
class TopicsTest {
    private static final byte TOPIC = 2;
    private static final byte BROKER = 4;
    private static final UUID NO_ID = new UUID(0, 0);

    @TempDir Path folder;
    private ApiWorld api;

    @BeforeEach
    void begin() {
        api = new ApiWorld(folder);
    }

    private static CreatableTopic.Builder topic(String name) {
        return CreatableTopic.builder().name(name).numPartitions(1).replicationFactor((short) -1);
    }

    private List<CreatableTopicResult> create(boolean validateOnly, CreatableTopic... topics) {
        CreateTopicsRequest request =
                CreateTopicsRequest.builder()
                        .topics(List.of(topics))
                        .validateOnly(validateOnly)
                        .build();
        CreateTopicsHandler handler = new CreateTopicsHandler(api.controller, api.configs, 16);
        return api.answer(handler, request, 7, CreateTopicsResponse.class).topics();
    }

    private static ErrorCode code(short id) {
        return Objects.requireNonNull(ErrorCode.find(id));
    }

    @Test
    void oneTopicThatCannotBeCreatedDoesNotHinderTheOthers() {
        List<CreatableTopicResult> results =
                create(
                        false,
                        topic("good").numPartitions(3).build(),
                        topic("bad name").build(),
                        topic("twice").build(),
                        topic("twice").build(),
                        topic("__consumer_offsets").build(),
                        topic("odd").configs(List.of(new CreatableTopicConfig("x", "1"))).build(),
                        topic("null")
                                .configs(List.of(new CreatableTopicConfig("flush", null)))
                                .build());
        assertThat(results)
                .map(result -> result.name() + " " + code(result.errorCode()))
                .containsExactly(
                        "good NONE",
                        "bad name INVALID_TOPIC_EXCEPTION",
                        "__consumer_offsets INVALID_REQUEST",
                        "odd INVALID_CONFIG",
                        "null INVALID_CONFIG",
                        "twice INVALID_REQUEST");
        CreatableTopicResult good = results.getFirst();
        assertThat(good.numPartitions()).isEqualTo(3);
        assertThat(good.replicationFactor()).isEqualTo((short) 1);
        assertThat(api.controller.view().findTopic(good.topicId())).isNotNull();
        assertThat(api.controller.view().topics()).hasSize(1);
    }

    @Test
    void validationAloneCreatesNothing() {
        assertThat(create(true, topic("maybe").build()).getFirst().errorCode()).isZero();
        assertThat(api.controller.view().topics()).isEmpty();
    }

    @Test
    void anAssignmentNamesEachPartitionOnceAndStandsAlone() {
        CreatableReplicaAssignment first = new CreatableReplicaAssignment(0, List.of(3));
        CreatableReplicaAssignment second = new CreatableReplicaAssignment(1, List.of(3));
        CreatableReplicaAssignment third = new CreatableReplicaAssignment(2, List.of(3));
        List<CreatableTopicResult> results =
                create(
                        false,
                        topic("good").numPartitions(-1).assignments(List.of(second, first)).build(),
                        topic("counted").assignments(List.of(first)).build(),
                        topic("hole").numPartitions(-1).assignments(List.of(first, third)).build(),
                        topic("same").numPartitions(-1).assignments(List.of(first, first)).build());
        assertThat(results)
                .map(result -> code(result.errorCode()))
                .containsExactly(
                        ErrorCode.NONE,
                        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                        ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        assertThat(results.getFirst().numPartitions()).isEqualTo(2);
    }

    @Test
    void topicsAreDeletedByNameOrById() {
        UUID id = api.create("by-id", 1).id();
        api.create("by-name", 1);
        api.create("__consumer_offsets", 1);
        DeleteTopicsRequest request =
                DeleteTopicsRequest.builder()
                        .topics(
                                List.of(
                                        new DeleteTopicState(null, id),
                                        new DeleteTopicState("by-name", NO_ID),
                                        new DeleteTopicState("nowhere", NO_ID),
                                        new DeleteTopicState(null, new UUID(1, 2)),
                                        new DeleteTopicState("__consumer_offsets", NO_ID)))
                        .build();
        DeleteTopicsResponse answer =
                api.answer(
                        new DeleteTopicsHandler(api.controller),
                        request,
                        6,
                        DeleteTopicsResponse.class);
        assertThat(answer.responses())
                .map(result -> result.name() + " " + code(result.errorCode()))
                .containsExactly(
                        "by-id NONE",
                        "by-name NONE",
                        "nowhere UNKNOWN_TOPIC_OR_PARTITION",
                        "null UNKNOWN_TOPIC_ID",
                        "__consumer_offsets INVALID_REQUEST");
        assertThat(api.controller.view().topics())
                .map(TopicPlan::name)
                .containsExactly("__consumer_offsets");
    }

    /// Q29.
    @Test
    void partitionsAreAddedAndNeverTaken() {
        api.create("orders", 2);
        assertThat(
                        grow(
                                new CreatePartitionsTopic("orders", 5, null),
                                new CreatePartitionsTopic("nowhere", 3, null)))
                .containsExactly(ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(grow(new CreatePartitionsTopic("orders", 3, null)))
                .containsExactly(ErrorCode.INVALID_PARTITIONS);
        assertThat(api.partition("orders", 4)).isNotNull();
    }

    private List<ErrorCode> grow(CreatePartitionsTopic... topics) {
        CreatePartitionsRequest request =
                CreatePartitionsRequest.builder().topics(List.of(topics)).build();
        return api
                .answer(
                        new CreatePartitionsHandler(api.controller),
                        request,
                        3,
                        CreatePartitionsResponse.class)
                .results()
                .stream()
                .map(result -> code(result.errorCode()))
                .toList();
    }

    private ErrorCode alter(byte type, String name, AlterableConfig... changes) {
        IncrementalAlterConfigsRequest request =
                IncrementalAlterConfigsRequest.builder()
                        .resources(List.of(new AlterConfigsResource(type, name, List.of(changes))))
                        .build();
        return code(
                api.answer(
                                new IncrementalAlterConfigsHandler(
                                        api.controller, ToController.nobody(), api.configs),
                                request,
                                1,
                                IncrementalAlterConfigsResponse.class)
                        .responses()
                        .getFirst()
                        .errorCode());
    }

    private static AlterableConfig change(String name, int operation, @Nullable String value) {
        return new AlterableConfig(name, (byte) operation, value);
    }

    private Map<String, String> settings(String topic) {
        return Objects.requireNonNull(api.controller.view().findTopic(topic)).settings();
    }

    @Test
    void settingsAreChangedOneByOne() {
        api.create("orders", 1, "retention.ms", "1000");
        assertThat(alter(TOPIC, "orders", change("flush", 0, "page-cache")))
                .isEqualTo(ErrorCode.NONE);
        assertThat(settings("orders")).containsOnlyKeys("retention.ms", "flush");
        assertThat(alter(TOPIC, "orders", change("retention.ms", 1, null)))
                .isEqualTo(ErrorCode.NONE);
        assertThat(alter(TOPIC, "orders", change("cleanup.policy", 2, "compact")))
                .isEqualTo(ErrorCode.NONE);
        assertThat(settings("orders")).containsEntry("cleanup.policy", "delete,compact");
        assertThat(alter(TOPIC, "orders", change("cleanup.policy", 3, "delete")))
                .isEqualTo(ErrorCode.NONE);
        assertThat(settings("orders"))
                .containsEntry("cleanup.policy", "compact")
                .doesNotContainKey("retention.ms");
    }

    /// `kafka-reassign-partitions.sh --cancel` and `--verify` remove limits that they have not set.
    @Test
    void limitsOfKafkasToolsCanBeRemovedAndNotSet() {
        api.create("orders", 1);
        String rate = "follower.replication.throttled.rate";
        String replicas = "leader.replication.throttled.replicas";
        assertThat(alter(BROKER, "3", change(rate, 1, null))).isEqualTo(ErrorCode.NONE);
        assertThat(alter(TOPIC, "orders", change(replicas, 1, null))).isEqualTo(ErrorCode.NONE);
        assertThat(alter(BROKER, "3", change(rate, 0, "1000"))).isEqualTo(ErrorCode.INVALID_CONFIG);
        assertThat(alter(TOPIC, "orders", change(replicas, 0, "0:3")))
                .isEqualTo(ErrorCode.INVALID_CONFIG);
        assertThat(alter(BROKER, "3", change(rate, 1, null), change("flush", 1, null)))
                .isEqualTo(ErrorCode.INVALID_CONFIG);
        assertThat(settings("orders")).isEmpty();
    }

    @Test
    void whatCannotBeChangedIsRefusedAndChangesNothing() {
        api.create("orders", 1);
        assertThat(alter(TOPIC, "orders", change("flush", 0, "sometimes")))
                .isEqualTo(ErrorCode.INVALID_CONFIG);
        assertThat(alter(TOPIC, "orders", change("flush", 9, "fsync")))
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(alter(TOPIC, "nowhere", change("flush", 0, "fsync")))
                .isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(alter(BROKER, "3", change("kafka.listen", 0, "x")))
                .isEqualTo(ErrorCode.INVALID_CONFIG);
        assertThat(alter((byte) 77, "x", change("flush", 0, "fsync")))
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(settings("orders")).isEmpty();
    }

    @Test
    void theOldWayReplacesAllSettings() {
        api.create("orders", 1, "retention.ms", "1000");
        AlterConfigsRequest request =
                AlterConfigsRequest.builder()
                        .resources(
                                List.of(
                                        new AlterConfigsRequest.AlterConfigsResource(
                                                TOPIC,
                                                "orders",
                                                List.of(
                                                        new AlterConfigsRequest.AlterableConfig(
                                                                "flush", "page-cache")))))
                        .build();
        AlterConfigsResponse answer =
                api.answer(
                        new AlterConfigsHandler(api.controller, ToController.nobody()),
                        request,
                        2,
                        AlterConfigsResponse.class);
        assertThat(answer.responses().getFirst().errorCode()).isZero();
        assertThat(settings("orders")).containsOnlyKeys("flush");
    }

    private DescribeConfigsResponse.DescribeConfigsResult describe(
            byte type, String name, @Nullable List<String> keys) {
        DescribeConfigsRequest request =
                DescribeConfigsRequest.builder()
                        .resources(List.of(new DescribeConfigsResource(type, name, keys)))
                        .includeSynonyms(true)
                        .build();
        DescribeConfigsHandler handler =
                new DescribeConfigsHandler(api.controller, api.configs, 3, List.of(), () -> 0);
        return api.answer(handler, request, 4, DescribeConfigsResponse.class).results().getFirst();
    }

    @Test
    void eachSettingSaysWhereItsValueComesFrom() {
        api.create("orders", 1, "retention.ms", "1000");
        List<DescribeConfigsResourceResult> all = describe(TOPIC, "orders", null).configs();
        assertThat(all).hasSizeGreaterThan(15);
        List<String> some = List.of("retention.ms", "flush", "profile");
        assertThat(describe(TOPIC, "orders", some).configs())
                .map(config -> config.name() + "=" + config.value() + " " + config.configSource())
                .containsExactlyInAnyOrder(
                        "retention.ms=1000 1", "flush=fsync 4", "profile=balanced 5");
    }

    @Test
    void whatDoesNotExistIsNotDescribed() {
        assertThat(code(describe(TOPIC, "nowhere", null).errorCode()))
                .isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(code(describe(BROKER, "9", null).errorCode()))
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(code(describe((byte) 77, "x", null).errorCode()))
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(code(describe(BROKER, "3", null).errorCode())).isEqualTo(ErrorCode.NONE);
    }
}
