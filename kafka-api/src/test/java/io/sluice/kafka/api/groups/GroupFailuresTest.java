package io.sluice.kafka.api.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.ClusterView;
import io.sluice.coordinator.Unavailability;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FindCoordinatorRequest;
import io.sluice.kafka.wire.message.FindCoordinatorResponse;
import io.sluice.kafka.wire.message.HeartbeatRequest;
import io.sluice.kafka.wire.message.HeartbeatResponse;
import io.sluice.kafka.wire.message.JoinGroupRequest;
import io.sluice.kafka.wire.message.JoinGroupRequest.JoinGroupRequestProtocol;
import io.sluice.kafka.wire.message.JoinGroupResponse;
import io.sluice.kafka.wire.message.ListGroupsRequest;
import io.sluice.kafka.wire.message.ListGroupsResponse;
import io.sluice.kafka.wire.message.OffsetCommitResponse;
import io.sluice.kafka.wire.message.OffsetFetchResponse;
import io.sluice.kafka.wire.message.SyncGroupRequest;
import io.sluice.kafka.wire.message.SyncGroupResponse;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// What clients are told when something is wrong: with them, with the topic, with the log.
class GroupFailuresTest {
    private final GroupApi api = new GroupApi();
    private final Offsets offsets = new Offsets(api);

    private static ErrorCode codeOf(OffsetCommitResponse response) {
        int id = response.topics().getFirst().partitions().getFirst().errorCode();
        ErrorCode code = ErrorCode.find(id);
        assertThat(code).isNotNull();
        return code == null ? ErrorCode.UNKNOWN_SERVER_ERROR : code;
    }

    private ErrorCode commit(int version, int partition) {
        return codeOf(offsets.commit("", -1, version, partition, 1));
    }

    @Test
    void offsetsOfUnknownPartitionsAreNotCommitted() {
        assertThat(commit(9, 0)).isEqualTo(ErrorCode.NONE);
        assertThat(commit(9, 2)).isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(commit(9, -1)).isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(commit(10, 2)).isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(
                        codeOf(
                                offsets.commit(
                                        Offsets.topic("no such topic", GroupApi.TOPIC_ID, 9),
                                        "",
                                        -1,
                                        9,
                                        0,
                                        1)))
                .isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(codeOf(offsets.commit(Offsets.topic("t", new UUID(8, 8), 10), "", -1, 10, 0, 1)))
                .isEqualTo(ErrorCode.UNKNOWN_TOPIC_ID);
    }

    @Test
    void memberOfAGroupThatIsGoneIsToldSoIfItsVersionKnowsHow() {
        assertThat(codeOf(offsets.commit("m", 5, 8, 0, 1))).isEqualTo(ErrorCode.ILLEGAL_GENERATION);
        assertThat(codeOf(offsets.commit("m", 5, 9, 0, 1))).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
    }

    /// The topic is deleted, and made again.
    private void recreate(UUID id) {
        api.cluster =
                new ClusterView(
                        "cluster", api.cluster.brokers(), 3, List.of(GroupApi.plan("t", id)));
    }

    /// A broker that was away is told of a deletion late, and clients that name topics have committed for the next one by then.
    @Test
    void whatIsCommittedByNameIsOfTheTopicThatHasIt() {
        assertThat(commit(9, 0)).isEqualTo(ErrorCode.NONE);
        recreate(new UUID(9, 9));
        assertThat(commit(9, 1)).isEqualTo(ErrorCode.NONE);
        api.coordinators.forgetTopic("t", GroupApi.TOPIC_ID, api.world);
        api.world.settle();
        assertThat(offsets.fetch(9, 0)).isEqualTo(-1);
        assertThat(offsets.fetch(9, 1)).isEqualTo(1);
    }

    @Test
    void offsetsOfAnEarlierTopicOfTheSameNameAreNotTold() {
        assertThat(commit(10, 0)).isEqualTo(ErrorCode.NONE);
        UUID recreated = new UUID(9, 9);
        recreate(recreated);
        OffsetFetchResponse fetched = offsets.fetch(10, List.of(0), recreated);
        assertThat(
                        fetched.groups()
                                .getFirst()
                                .topics()
                                .getFirst()
                                .partitions()
                                .getFirst()
                                .committedOffset())
                .isEqualTo(-1);
        OffsetFetchResponse old = offsets.fetch(10, List.of(0), GroupApi.TOPIC_ID);
        assertThat(old.groups().getFirst().topics().getFirst().partitions().getFirst().errorCode())
                .isEqualTo(ErrorCode.UNKNOWN_TOPIC_ID.id());
    }

    @Test
    void logThatCannotBeOpenedIsTriedAgainAfterARest() {
        api.topic.failToOpen(Unavailability.LOG_OFFLINE);
        assertThat(commit(9, 0)).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);
        assertThat(commit(9, 0)).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);
        assertThat(api.topic.openings).isEqualTo(1);
        api.topic.failToOpen(null);
        api.pass(Duration.ofSeconds(1));
        assertThat(commit(9, 0)).isEqualTo(ErrorCode.NONE);
        assertThat(api.topic.openings).isEqualTo(2);
    }

    @Test
    void damagedLogIsNotReadAgainForEveryRequest() {
        api.topic.require(api.world);
        int partition = GroupCoordinators.partitionOf("g", 4);
        ByteBuffer batch = new BatchBuilder().add(LogRecord.of(0, "k", "v")).build();
        api.topic.partition(partition).plant(batch);
        batch.put(batch.limit() - 1, (byte) 9);
        for (int i = 0; i < 10; i++) {
            assertThat(commit(9, 0)).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);
        }
        assertThat(api.topic.openings).isEqualTo(1);
    }

    @Test
    void topicThatCannotBeMadeMakesGroupsUnavailable() {
        api.topic.cannotBeMade();
        assertThat(commit(9, 0)).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);
        ListGroupsResponse listed =
                api.answer(ListGroupsRequest.builder().build(), 5, ListGroupsResponse.class);
        assertThat(listed.errorCode()).isEqualTo(ErrorCode.NONE.id());
        assertThat(listed.groups()).isEmpty();
    }

    @Test
    void listingGroupsDoesNotMakeTheTopic() {
        api.answer(ListGroupsRequest.builder().build(), 5, ListGroupsResponse.class);
        assertThat(api.topic.partitions()).isZero();
    }

    @Test
    void coordinatorThatLostItsLogComesBackWithWhatWasCommitted() {
        assertThat(commit(9, 0)).isEqualTo(ErrorCode.NONE);
        Reply<JoinGroupResponse> waiting = api.ask(join(), 3, JoinGroupResponse.class);
        int partition = GroupCoordinators.partitionOf("g", 4);
        api.topic.partition(partition).commitByItself(false);
        Reply<OffsetCommitResponse> lost =
                api.ask(
                        Offsets.request(Offsets.topic("t", GroupApi.TOPIC_ID, 9), "", -1, 1, 99),
                        9,
                        OffsetCommitResponse.class);
        api.pass(Duration.ofSeconds(1));
        api.topic.partition(partition).loseUncommitted(0);
        api.topic.partition(partition).commitByItself(true);
        assertThat(waiting.value().errorCode()).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE.id());
        assertThat(codeOf(lost.value())).isNotEqualTo(ErrorCode.NONE);
        api.pass(Duration.ofSeconds(1));
        assertThat(offsets.fetchAll(9)).containsExactly(1L);
    }

    private static JoinGroupRequest join() {
        return JoinGroupRequest.builder()
                .groupId("g")
                .sessionTimeoutMs(10_000)
                .protocolType("consumer")
                .protocols(List.of(new JoinGroupRequestProtocol("range", ByteBuffer.allocate(0))))
                .build();
    }

    /// The Java client dies of `COORDINATOR_LOAD_IN_PROGRESS` in answer to these two.
    @Test
    void loadingIsHiddenFromThoseWhoDoNotExpectIt() {
        api.topic.holdOpenings();
        HeartbeatRequest heartbeat =
                HeartbeatRequest.builder().groupId("g").memberId("m").generationId(1).build();
        for (int i = 0; i < 10_000; i++) {
            assertThat(api.ask(heartbeat, 4, HeartbeatResponse.class).isDone()).isFalse();
        }
        assertThat(api.answer(heartbeat, 4, HeartbeatResponse.class).errorCode())
                .isEqualTo(ErrorCode.NONE.id());
        SyncGroupRequest sync =
                SyncGroupRequest.builder().groupId("g").memberId("m").generationId(1).build();
        assertThat(api.answer(sync, 4, SyncGroupResponse.class).errorCode())
                .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS.id());
        assertThat(commit(9, 0)).isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    }

    @Test
    void failureReachesEachPartitionInVersionOneAndTheGroupLater() {
        api.topic.failToOpen(Unavailability.LOG_OFFLINE);
        short expected = ErrorCode.COORDINATOR_NOT_AVAILABLE.id();
        assertThat(
                        offsets.fetch(1, List.of(0, 1), GroupApi.TOPIC_ID)
                                .topics()
                                .getFirst()
                                .partitions())
                .hasSize(2)
                .allMatch(partition -> partition.errorCode() == expected);
        assertThat(offsets.fetch(7, List.of(0), GroupApi.TOPIC_ID).errorCode()).isEqualTo(expected);
        assertThat(offsets.fetch(9, List.of(0), GroupApi.TOPIC_ID).groups().getFirst().errorCode())
                .isEqualTo(expected);
    }

    @Test
    void transactionsHaveNoCoordinatorYetAndTheMessageSaysSo() {
        FindCoordinatorRequest request =
                FindCoordinatorRequest.builder()
                        .keyType((byte) 1)
                        .coordinatorKeys(List.of("payments"))
                        .build();
        FindCoordinatorResponse.Coordinator found =
                api.answer(request, 6, FindCoordinatorResponse.class).coordinators().getFirst();
        assertThat(found.errorCode()).isEqualTo(ErrorCode.INVALID_REQUEST.id());
        assertThat(found.errorMessage()).contains("transactions");
    }

    /// Its groups would be refused here, and asked for again where they are refused.
    @Test
    void aBrokerInDoubtIsNobodysCoordinatorAndSendsItsClientsToTheOthers() {
        FindCoordinatorRequest request =
                FindCoordinatorRequest.builder().coordinatorKeys(List.of("g")).build();
        assertThat(find(request).nodeId()).isEqualTo(3);
        assertThat(api.peer.isTurnedAway()).isFalse();
        api.placeIsCertain = false;
        assertThat(find(request).errorCode()).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE.id());
        assertThat(find(request).errorMessage()).contains("Broker 3 is out of touch");
        assertThat(api.peer.isTurnedAway()).isTrue();
    }

    private FindCoordinatorResponse.Coordinator find(FindCoordinatorRequest request) {
        return api.answer(request, 6, FindCoordinatorResponse.class).coordinators().getFirst();
    }

    /// Q18; the formula is Kafka's.
    @Test
    void groupIsFoundByHashingItsName() {
        assertThat("orders".hashCode()).isNegative();
        assertThat(GroupCoordinators.partitionOf("orders", 50)).isEqualTo(31);
        assertThat(GroupCoordinators.partitionOf("payments", 50)).isEqualTo(13);
        assertThat("polygenelubricants".hashCode()).isEqualTo(Integer.MIN_VALUE);
        assertThat(GroupCoordinators.partitionOf("polygenelubricants", 50)).isZero();
    }
}
