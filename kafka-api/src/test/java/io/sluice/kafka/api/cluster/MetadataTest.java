package io.sluice.kafka.api.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicPlan;
import io.sluice.kafka.api.ApiWorld;
import io.sluice.kafka.api.OwnPlace;
import io.sluice.kafka.api.ToController;
import io.sluice.kafka.api.topics.TopicCreation;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsRequest;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsResponse;
import io.sluice.kafka.wire.message.MetadataRequest;
import io.sluice.kafka.wire.message.MetadataRequest.MetadataRequestTopic;
import io.sluice.kafka.wire.message.MetadataResponse;
import io.sluice.kafka.wire.message.MetadataResponse.MetadataResponseBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How clients learn who leads what (Q15), and topics that come into being by being asked for.
class MetadataTest {
    private static final UUID NO_ID = new UUID(0, 0);

    @TempDir Path folder;
    private ApiWorld api;
    private boolean autoCreate = true;
    private boolean certain = true;

    @BeforeEach
    void begin() {
        api = new ApiWorld(folder);
    }

    private MetadataResponse ask(
            int version, boolean mayCreate, @Nullable List<MetadataRequestTopic> topics) {
        MetadataRequest request =
                MetadataRequest.builder().topics(topics).allowAutoTopicCreation(mayCreate).build();
        TopicCreation creation = new TopicCreation(api.controller, ToController.nobody());
        MetadataHandler handler =
                new MetadataHandler(api.controller, place(3), creation, autoCreate);
        return api.answer(handler, request, version, MetadataResponse.class);
    }

    private OwnPlace place(int broker) {
        return new OwnPlace(broker, () -> certain);
    }

    private static MetadataRequestTopic named(String name) {
        return new MetadataRequestTopic(NO_ID, name);
    }

    /// As `name/partitions` or `name!ERROR`.
    private static List<String> told(MetadataResponse response) {
        List<String> told = new ArrayList<>();
        response.topics()
                .forEach(
                        topic -> {
                            ErrorCode error =
                                    Objects.requireNonNull(ErrorCode.find(topic.errorCode()));
                            told.add(
                                    error == ErrorCode.NONE
                                            ? topic.name() + "/" + topic.partitions().size()
                                            : topic.name() + "!" + error);
                        });
        return told;
    }

    @Test
    void theBrokersAndWhoLeadsEachPartition() {
        TopicPlan plan = api.create("orders", 2);
        MetadataResponse response = ask(12, false, List.of(named("orders")));
        assertThat(response.brokers())
                .containsExactly(new MetadataResponseBroker(3, "host", 9092, null));
        assertThat(response.clusterId()).isEqualTo("cluster");
        assertThat(response.controllerId()).isEqualTo(3);
        assertThat(response.topics().getFirst().topicId()).isEqualTo(plan.id());
        assertThat(response.topics().getFirst().partitions())
                .map(partition -> partition.partitionIndex() + " " + partition.leaderId())
                .containsExactly("0 3", "1 3");
        assertThat(response.topics().getFirst().partitions())
                .allMatch(
                        partition ->
                                partition.leaderEpoch()
                                        == plan.partitions()
                                                .get(partition.partitionIndex())
                                                .leaderEpoch())
                .allMatch(partition -> partition.isrNodes().equals(List.of(3)))
                .allMatch(partition -> partition.offlineReplicas().isEmpty());
    }

    @Test
    void nothingAskedIsAllOrNothingByVersion() {
        api.create("one", 1);
        api.create("two", 1);
        assertThat(told(ask(12, false, null))).containsExactly("one/1", "two/1");
        assertThat(told(ask(0, true, List.of()))).containsExactly("one/1", "two/1");
        assertThat(told(ask(12, false, List.of()))).isEmpty();
    }

    @Test
    void aTopicCanBeAskedForByItsId() {
        UUID id = api.create("orders", 2).id();
        assertThat(
                        told(
                                ask(
                                        12,
                                        true,
                                        List.of(
                                                new MetadataRequestTopic(id, null),
                                                new MetadataRequestTopic(new UUID(1, 2), null)))))
                .containsExactly("orders/2", "null!UNKNOWN_TOPIC_ID");
    }

    @Test
    void aTopicIsCreatedByBeingAskedForWhereBothSidesWantIt() {
        assertThat(told(ask(12, false, List.of(named("fresh")))))
                .containsExactly("fresh!UNKNOWN_TOPIC_OR_PARTITION");
        autoCreate = false;
        assertThat(told(ask(12, true, List.of(named("fresh")))))
                .containsExactly("fresh!UNKNOWN_TOPIC_OR_PARTITION");
        autoCreate = true;
        assertThat(told(ask(12, true, List.of(named("fresh"))))).containsExactly("fresh/2");
        assertThat(told(ask(1, true, List.of(named("older"))))).containsExactly("older/2");
    }

    @Test
    void aTopicAskedForTwiceAtOnceIsCreatedOnce() {
        assertThat(told(ask(12, true, List.of(named("fresh"), named("fresh")))))
                .containsExactly("fresh/2");
    }

    /// A topic's description can be ten thousand times as large as its name.
    @Test
    void aTopicNamedAThousandTimesIsDescribedOnce() {
        UUID id = api.create("orders", 2).id();
        List<MetadataRequestTopic> asked = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            asked.add(named("nowhere"));
            asked.add(named("orders"));
            asked.add(new MetadataRequestTopic(id, null));
            asked.add(new MetadataRequestTopic(id, "called-" + i)); // The id counts.
        }
        assertThat(told(ask(12, false, asked)))
                .containsExactly("nowhere!UNKNOWN_TOPIC_OR_PARTITION", "orders/2", "orders/2");
    }

    @Test
    void whatCannotBeATopicIsNotCreated() {
        assertThat(told(ask(12, true, List.of(named("bad name"), named("__consumer_offsets")))))
                .containsExactly(
                        "bad name!INVALID_TOPIC_EXCEPTION",
                        "__consumer_offsets!UNKNOWN_TOPIC_OR_PARTITION");
        assertThat(api.controller.view().topics()).isEmpty();
    }

    /// It would send clients to itself, who may have been replaced; and as it refuses all they bring it has nothing to do, so that they would come with every question.
    @Test
    void aBrokerInDoubtDoesNotNameItselfAndSendsItsClientsToTheOthers() {
        api.create("orders", 1);
        certain = false;
        MetadataResponse.MetadataResponsePartition told =
                ask(12, false, List.of(named("orders")))
                        .topics()
                        .getFirst()
                        .partitions()
                        .getFirst();
        assertThat(told.errorCode()).isEqualTo(ErrorCode.LEADER_NOT_AVAILABLE.id());
        assertThat(told.leaderId()).isEqualTo(-1);
        assertThat(told.isrNodes()).containsExactly(3);
        assertThat(api.peer.isTurnedAway()).isTrue();
    }

    @Test
    void aBrokerInDoubtDescribesWithoutALeaderWhatItLed() {
        api.create("orders", 1);
        certain = false;
        assertThat(describedLeader(3)).isEqualTo(-1);
        assertThat(api.peer.isTurnedAway()).isTrue();
    }

    @Test
    void whoeverIsCertainOrNamesOthersKeepsItsClients() {
        api.create("orders", 1);
        assertThat(describedLeader(3)).isEqualTo(3);
        certain = false;
        assertThat(describedLeader(2)).as("somebody else leads it").isEqualTo(3);
        assertThat(api.peer.isTurnedAway()).isFalse();
    }

    private int describedLeader(int self) {
        return api.answer(
                        new DescribeTopicPartitionsHandler(api.controller, place(self)),
                        DescribeTopicPartitionsRequest.builder()
                                .topics(
                                        List.of(
                                                new DescribeTopicPartitionsRequest.TopicRequest(
                                                        "orders")))
                                .responsePartitionLimit(10)
                                .build(),
                        0,
                        DescribeTopicPartitionsResponse.class)
                .topics()
                .getFirst()
                .partitions()
                .getFirst()
                .leaderId();
    }
}
