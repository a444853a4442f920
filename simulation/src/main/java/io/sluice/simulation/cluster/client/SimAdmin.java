package io.sluice.simulation.cluster.client;

import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsRequest;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsRequest.ReassignablePartition;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsRequest.ReassignableTopic;
import io.sluice.kafka.wire.message.CreatePartitionsRequest;
import io.sluice.kafka.wire.message.CreatePartitionsRequest.CreatePartitionsTopic;
import io.sluice.kafka.wire.message.CreateTopicsRequest;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopic;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopicConfig;
import io.sluice.kafka.wire.message.CreateTopicsResponse;
import io.sluice.kafka.wire.message.DeleteTopicsRequest;
import io.sluice.kafka.wire.message.DeleteTopicsRequest.DeleteTopicState;
import io.sluice.kafka.wire.message.ElectLeadersRequest;
import io.sluice.kafka.wire.message.ElectLeadersRequest.TopicPartitions;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest.AlterableConfig;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsResponse;
import io.sluice.kafka.wire.message.MetadataRequest;
import io.sluice.kafka.wire.message.MetadataResponse;
import io.sluice.kafka.wire.message.UnregisterBrokerRequest;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.cluster.Cluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Somebody who makes topics and changes them, moves replicas, empties brokers and has leaders elected. Owned by its run.
public final class SimAdmin {
    private static final short METADATA_VERSION = 12;
    private static final short CREATE_VERSION = 7;
    private static final short DELETE_VERSION = 6;
    private static final short GROW_VERSION = 3;
    private static final short MOVE_VERSION = 0;
    private static final short ELECT_VERSION = 2;
    private static final short ALTER_VERSION = 1;
    private static final short UNREGISTER_VERSION = 0;
    private static final byte TOPIC = 2;
    private static final byte BROKER = 4;
    private static final byte SET = 0;
    private static final byte APPEND = 2;
    private static final byte SUBTRACT = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int SERVER_TIMEOUT_MILLIS = 4_000;
    private static final Duration PAUSE = Duration.ofMillis(200);

    /// After which nothing is under way any more that was asked before.
    private static final Duration LATE = Duration.ofSeconds(12);

    private final Cluster cluster;
    private final ClientProgram client;

    public SimAdmin(Cluster cluster) {
        this.cluster = cluster;
        this.client = new ClientProgram(cluster, "admin");
    }

    /// A topic that is to be. Immutable.
    public record Wanted(
            String name, int partitions, int replicas, SortedMap<String, String> settings) {}

    /// Tries until the topic is there.
    public void create(Wanted topic, Runnable done) {
        List<CreatableTopicConfig> settings = new ArrayList<>();
        topic.settings()
                .forEach((name, value) -> settings.add(new CreatableTopicConfig(name, value)));
        CreateTopicsRequest request =
                CreateTopicsRequest.builder()
                        .topics(
                                List.of(
                                        new CreatableTopic(
                                                topic.name(),
                                                topic.partitions(),
                                                (short) topic.replicas(),
                                                List.of(),
                                                settings)))
                        .timeoutMs(SERVER_TIMEOUT_MILLIS)
                        .build();
        client.run(
                () ->
                        toController(
                                request,
                                CREATE_VERSION,
                                answer -> {
                                    if (answer == null || !isThere((CreateTopicsResponse) answer)) {
                                        client.after(PAUSE, () -> create(topic, done));
                                    } else {
                                        done.run();
                                    }
                                }));
    }

    /// Tries until the topic is gone: by its id, so that a question that comes late does not reach the next one of its name.
    ///
    /// @param isGone a person would look
    public void delete(UUID topic, BooleanSupplier isGone, Runnable done) {
        cluster.tell(() -> "delete " + topic);
        DeleteTopicsRequest request =
                DeleteTopicsRequest.builder()
                        .topics(List.of(new DeleteTopicState(null, topic)))
                        .timeoutMs(SERVER_TIMEOUT_MILLIS)
                        .build();
        client.run(
                () ->
                        toController(
                                request,
                                DELETE_VERSION,
                                _ -> {
                                    if (isGone.getAsBoolean()) {
                                        done.run();
                                    } else {
                                        client.after(PAUSE, () -> delete(topic, isGone, done));
                                    }
                                }));
    }

    /// Once; whether it works is not looked at.
    public void grow(String topic, int partitions) {
        cluster.tell(() -> "grow " + topic + " to " + partitions);
        CreatePartitionsRequest request =
                CreatePartitionsRequest.builder()
                        .topics(List.of(new CreatePartitionsTopic(topic, partitions, null)))
                        .timeoutMs(SERVER_TIMEOUT_MILLIS)
                        .build();
        client.run(() -> toController(request, GROW_VERSION, _ -> {}));
    }

    public void after(Duration delay, Runnable work) {
        client.after(delay, work);
    }

    private static boolean isThere(CreateTopicsResponse answer) {
        ErrorCode error = ErrorCode.find(answer.topics().getFirst().errorCode());
        if (error == ErrorCode.INVALID_CONFIG || error == ErrorCode.INVALID_REQUEST) {
            throw new InvariantBroken(
                    "TheScenarioIsSound", "topic refused: " + answer.topics().getFirst());
        }
        return error == ErrorCode.NONE || error == ErrorCode.TOPIC_ALREADY_EXISTS;
    }

    /// Once; whether it works is not looked at. Null takes a move back.
    public void move(String topic, int partition, @Nullable List<Integer> replicas) {
        cluster.tell(() -> "move " + topic + "-" + partition + " to " + replicas);
        AlterPartitionReassignmentsRequest request =
                AlterPartitionReassignmentsRequest.builder()
                        .timeoutMs(SERVER_TIMEOUT_MILLIS)
                        .topics(
                                List.of(
                                        new ReassignableTopic(
                                                topic,
                                                List.of(
                                                        new ReassignablePartition(
                                                                partition, replicas)))))
                        .build();
        client.run(() -> toController(request, MOVE_VERSION, _ -> {}));
    }

    /// Leadership to the first replica where that is in sync.
    public void electPreferred(String topic, int partition) {
        ElectLeadersRequest request =
                ElectLeadersRequest.builder()
                        .electionType((byte) 0)
                        .topicPartitions(List.of(new TopicPartitions(topic, List.of(partition))))
                        .timeoutMs(SERVER_TIMEOUT_MILLIS)
                        .build();
        client.run(() -> toController(request, ELECT_VERSION, _ -> {}));
    }

    /// How fast each broker may copy what moves to it; 0 for no limit. Once, like the next ones.
    public void limitMoves(long bytesPerSecond) {
        alter(SettingChange.limit(bytesPerSecond), _ -> {});
    }

    /// Everything on it moves to the others.
    public void drain(int broker) {
        alter(SettingChange.draining(APPEND, Integer.toString(broker)), _ -> {});
    }

    public void takeIn(int broker) {
        alter(SettingChange.draining(SUBTRACT, Integer.toString(broker)), _ -> {});
    }

    /// The cluster is to forget a broker that is away and has no replicas.
    public void unregister(int broker) {
        cluster.tell(() -> "unregister broker " + broker);
        UnregisterBrokerRequest request =
                UnregisterBrokerRequest.builder().brokerId(broker).build();
        client.run(
                () ->
                        client.ask(client.anyBroker(), request, UNREGISTER_VERSION, TIMEOUT)
                                .then(_ -> {}, _ -> {}));
    }

    public void rebalance() {
        alter(new SettingChange(BROKER, "", "cluster.rebalance", SET, "now"), _ -> {});
    }

    public void alterMinInSync(String topic, int number) {
        alter(
                new SettingChange(
                        TOPIC, topic, "min.insync.replicas", SET, Integer.toString(number)),
                _ -> {});
    }

    /// Tries until nothing is held back, and then until every broker takes part; and looks again, for what was asked before may come late.
    public void settle() {
        untilDone(
                SettingChange.limit(0),
                () ->
                        untilDone(
                                SettingChange.draining(SET, ""),
                                () -> client.after(LATE, this::settle)));
    }

    private void untilDone(SettingChange change, Runnable then) {
        alter(
                change,
                answer -> {
                    if (isDone(answer)) {
                        then.run();
                    } else {
                        client.after(PAUSE, () -> untilDone(change, then));
                    }
                });
    }

    private static boolean isDone(@Nullable ApiResponse answer) {
        return answer instanceof IncrementalAlterConfigsResponse response
                && response.responses().getFirst().errorCode() == ErrorCode.NONE.id();
    }

    private void alter(SettingChange change, Consumer<@Nullable ApiResponse> done) {
        cluster.tell(change::toString);
        AlterableConfig config =
                new AlterableConfig(change.setting(), change.operation(), change.value());
        IncrementalAlterConfigsRequest request =
                IncrementalAlterConfigsRequest.builder()
                        .resources(
                                List.of(
                                        new AlterConfigsResource(
                                                change.resourceType(),
                                                change.resource(),
                                                List.of(config))))
                        .build();
        client.run(() -> toController(request, ALTER_VERSION, done));
    }

    /// One setting of a topic, or of all brokers together (the resource without a name). Immutable.
    private record SettingChange(
            byte resourceType, String resource, String setting, byte operation, String value) {
        static SettingChange limit(long bytesPerSecond) {
            return new SettingChange(
                    BROKER,
                    "",
                    "cluster.move-bytes-per-second",
                    SET,
                    Long.toString(bytesPerSecond));
        }

        static SettingChange draining(byte operation, String brokers) {
            return new SettingChange(BROKER, "", "cluster.draining", operation, brokers);
        }
    }

    /// Null when there is no answer.
    private void toController(
            ApiRequest request, short version, Consumer<@Nullable ApiResponse> done) {
        MetadataRequest who = MetadataRequest.builder().topics(List.of()).build();
        client.ask(client.anyBroker(), who, METADATA_VERSION, TIMEOUT)
                .then(
                        answer -> {
                            int controller = ((MetadataResponse) answer).controllerId();
                            if (controller < 1 || controller > cluster.brokers().size()) {
                                done.accept(null);
                                return;
                            }
                            client.ask(controller, request, version, TIMEOUT)
                                    .then(reply -> done.accept(reply), _ -> done.accept(null));
                        },
                        _ -> done.accept(null));
    }
}
