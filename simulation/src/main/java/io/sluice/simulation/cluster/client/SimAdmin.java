package io.sluice.simulation.cluster.client;

import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsRequest;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsRequest.ReassignablePartition;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsRequest.ReassignableTopic;
import io.sluice.kafka.wire.message.CreateTopicsRequest;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopic;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopicConfig;
import io.sluice.kafka.wire.message.CreateTopicsResponse;
import io.sluice.kafka.wire.message.ElectLeadersRequest;
import io.sluice.kafka.wire.message.ElectLeadersRequest.TopicPartitions;
import io.sluice.kafka.wire.message.MetadataRequest;
import io.sluice.kafka.wire.message.MetadataResponse;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.cluster.Cluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Somebody who makes topics, moves replicas and has leaders elected. Owned by its run.
public final class SimAdmin {
    private static final short METADATA_VERSION = 12;
    private static final short CREATE_VERSION = 7;
    private static final short MOVE_VERSION = 0;
    private static final short ELECT_VERSION = 2;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int SERVER_TIMEOUT_MILLIS = 4_000;
    private static final Duration PAUSE = Duration.ofMillis(200);

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

    /// Null when there is no answer.
    private void toController(
            ApiRequest request, short version, Consumer<@Nullable ApiResponse> done) {
        MetadataRequest who = MetadataRequest.builder().topics(List.of()).build();
        client.ask(client.anyBroker(), who, METADATA_VERSION, TIMEOUT)
                .then(
                        answer -> {
                            int controller = ((MetadataResponse) answer).controllerId();
                            if (controller < 1 || controller > cluster.shape().brokers()) {
                                done.accept(null);
                                return;
                            }
                            client.ask(controller, request, version, TIMEOUT)
                                    .then(reply -> done.accept(reply), _ -> done.accept(null));
                        },
                        _ -> done.accept(null));
    }
}
