package io.sluice.kafka.api.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.ConsumerGroupDescribeRequest;
import io.sluice.kafka.wire.message.ConsumerGroupDescribeResponse;
import io.sluice.kafka.wire.message.DeleteGroupsRequest;
import io.sluice.kafka.wire.message.DeleteGroupsResponse;
import io.sluice.kafka.wire.message.DescribeGroupsRequest;
import io.sluice.kafka.wire.message.DescribeGroupsResponse;
import io.sluice.kafka.wire.message.DescribeGroupsResponse.DescribedGroup;
import io.sluice.kafka.wire.message.FindCoordinatorRequest;
import io.sluice.kafka.wire.message.FindCoordinatorResponse;
import io.sluice.kafka.wire.message.HeartbeatRequest;
import io.sluice.kafka.wire.message.HeartbeatResponse;
import io.sluice.kafka.wire.message.JoinGroupRequest;
import io.sluice.kafka.wire.message.JoinGroupRequest.JoinGroupRequestProtocol;
import io.sluice.kafka.wire.message.JoinGroupResponse;
import io.sluice.kafka.wire.message.LeaveGroupRequest;
import io.sluice.kafka.wire.message.LeaveGroupRequest.MemberIdentity;
import io.sluice.kafka.wire.message.LeaveGroupResponse;
import io.sluice.kafka.wire.message.ListGroupsRequest;
import io.sluice.kafka.wire.message.ListGroupsResponse;
import io.sluice.kafka.wire.message.OffsetCommitResponse;
import io.sluice.kafka.wire.message.SyncGroupRequest;
import io.sluice.kafka.wire.message.SyncGroupRequest.SyncGroupRequestAssignment;
import io.sluice.kafka.wire.message.SyncGroupResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The life of a group in every version of every API, each message through its bytes (Q17–Q20).
class GroupVersionsTest {
    private final GroupApi api = new GroupApi();
    private String memberId = "";

    private static int clamp(int version, int lowest, int highest) {
        return Math.max(lowest, Math.min(version, highest));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void groupLivesFromItsFirstMemberToItsDeletion(int version) {
        findsItsCoordinator(version);
        joins(version);
        syncs(version);
        assertThat(heartbeat(version)).isEqualTo(ErrorCode.NONE.id());
        commitsAndFetches(version);
        isDescribed(version, "Stable");
        isListed(version);
        assertThat(delete(version)).isEqualTo(ErrorCode.NON_EMPTY_GROUP.id());
        leaves(version);
        assertThat(heartbeat(version)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID.id());
        isDescribed(version, "Empty");
        assertThat(delete(version)).isEqualTo(ErrorCode.NONE.id());
        isDescribed(version, "Dead");
        assertThat(delete(version)).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND.id());
    }

    private void findsItsCoordinator(int version) {
        int v = clamp(version, 0, 6);
        FindCoordinatorRequest request =
                v < 4
                        ? FindCoordinatorRequest.builder().key("g").build()
                        : FindCoordinatorRequest.builder().coordinatorKeys(List.of("g")).build();
        FindCoordinatorResponse found = api.answer(request, v, FindCoordinatorResponse.class);
        assertThat(v < 4 ? found.nodeId() : found.coordinators().getFirst().nodeId()).isEqualTo(3);
        assertThat(v < 4 ? found.port() : found.coordinators().getFirst().port()).isEqualTo(9092);
    }

    private void joins(int version) {
        int v = clamp(version, 0, 9);
        if (v >= 4) {
            JoinGroupResponse first = api.answer(join(), v, JoinGroupResponse.class);
            assertThat(first.errorCode()).isEqualTo(ErrorCode.MEMBER_ID_REQUIRED.id());
            memberId = first.memberId();
        }
        Reply<JoinGroupResponse> waiting = api.ask(join(), v, JoinGroupResponse.class);
        assertThat(waiting.isDone()).isFalse();
        api.pass(Duration.ofSeconds(1));
        JoinGroupResponse joined = waiting.value();
        assertThat(joined.errorCode()).isEqualTo(ErrorCode.NONE.id());
        assertThat(joined.generationId()).isEqualTo(1);
        assertThat(joined.leader()).isEqualTo(joined.memberId()).startsWith("client-");
        assertThat(joined.protocolName()).isEqualTo("range");
        assertThat(joined.members()).hasSize(1);
        assertThat(joined.members().getFirst().metadata()).isEqualTo(subscription());
        memberId = joined.memberId();
    }

    private JoinGroupRequest join() {
        return JoinGroupRequest.builder()
                .groupId("g")
                .memberId(memberId)
                .sessionTimeoutMs(10_000)
                .protocolType("consumer")
                .protocols(List.of(new JoinGroupRequestProtocol("range", subscription())))
                .build();
    }

    /// Version 0: one topic, `t`, no user data.
    private static ByteBuffer subscription() {
        return ByteBuffer.wrap(new byte[] {0, 0, 0, 0, 0, 1, 0, 1, 't', -1, -1, -1, -1});
    }

    private void syncs(int version) {
        int v = clamp(version, 0, 5);
        ByteBuffer plan = ByteBuffer.wrap("t-0".getBytes(StandardCharsets.UTF_8));
        SyncGroupRequest.Builder request =
                SyncGroupRequest.builder()
                        .groupId("g")
                        .memberId(memberId)
                        .generationId(1)
                        .assignments(List.of(new SyncGroupRequestAssignment(memberId, plan)));
        if (v >= 5) {
            assertThat(api.answer(request.build(), v, SyncGroupResponse.class).errorCode())
                    .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL.id());
            request.protocolType("consumer").protocolName("range");
        }
        SyncGroupResponse synced = api.answer(request.build(), v, SyncGroupResponse.class);
        assertThat(synced.errorCode()).isEqualTo(ErrorCode.NONE.id());
        assertThat(synced.assignment()).isEqualTo(plan);
    }

    private short heartbeat(int version) {
        HeartbeatRequest request =
                HeartbeatRequest.builder().groupId("g").memberId(memberId).generationId(1).build();
        return api.answer(request, clamp(version, 0, 4), HeartbeatResponse.class).errorCode();
    }

    private void commitsAndFetches(int version) {
        Offsets offsets = new Offsets(api);
        int commit = clamp(version, 2, 10);
        OffsetCommitResponse committed = offsets.commit(memberId, 1, commit, 0, 42);
        assertThat(committed.topics().getFirst().partitions().getFirst().errorCode())
                .isEqualTo(ErrorCode.NONE.id());
        int fetch = clamp(version, 1, 10);
        assertThat(offsets.fetch(fetch, 0)).isEqualTo(42);
        assertThat(offsets.fetch(fetch, 1)).isEqualTo(-1);
        if (fetch >= 2) {
            assertThat(offsets.fetchAll(fetch)).containsExactly(42L);
        }
    }

    private void isDescribed(int version, String state) {
        int v = clamp(version, 0, 6);
        DescribedGroup group =
                api.answer(
                                DescribeGroupsRequest.builder().groups(List.of("g")).build(),
                                v,
                                DescribeGroupsResponse.class)
                        .groups()
                        .getFirst();
        assertThat(group.groupState()).isEqualTo(state);
        boolean isMissing = state.equals("Dead") && v >= 6;
        assertThat(group.errorCode())
                .isEqualTo((isMissing ? ErrorCode.GROUP_ID_NOT_FOUND : ErrorCode.NONE).id());
        if (state.equals("Stable")) {
            assertThat(group.protocolType()).isEqualTo("consumer");
            assertThat(group.protocolData()).isEqualTo("range");
            assertThat(group.members()).hasSize(1);
            assertThat(group.members().getFirst().clientHost()).isEqualTo("/10.0.0.1");
            assertThat(group.members().getFirst().memberMetadata()).isEqualTo(subscription());
        }
    }

    private void isListed(int version) {
        int v = clamp(version, 0, 5);
        ListGroupsResponse listed =
                api.answer(ListGroupsRequest.builder().build(), v, ListGroupsResponse.class);
        assertThat(listed.groups()).hasSize(1);
        assertThat(listed.groups().getFirst().groupId()).isEqualTo("g");
        if (v >= 5) {
            assertThat(listed.groups().getFirst().groupType()).isEqualTo("Classic");
            assertThat(listedWith("CONSUMER", "")).isZero();
            assertThat(listedWith("classic", "sTaBlE")).isEqualTo(1);
            assertThat(listedWith("classic", "Empty")).isZero();
        }
    }

    private int listedWith(String type, String state) {
        ListGroupsRequest request =
                ListGroupsRequest.builder()
                        .typesFilter(List.of(type))
                        .statesFilter(state.isEmpty() ? List.of() : List.of(state))
                        .build();
        return api.answer(request, 5, ListGroupsResponse.class).groups().size();
    }

    private short delete(int version) {
        DeleteGroupsRequest request =
                DeleteGroupsRequest.builder().groupsNames(List.of("g")).build();
        return api.answer(request, clamp(version, 0, 3), DeleteGroupsResponse.class)
                .results()
                .getFirst()
                .errorCode();
    }

    private void leaves(int version) {
        int v = clamp(version, 0, 5);
        LeaveGroupRequest request =
                v < 3
                        ? LeaveGroupRequest.builder().groupId("g").memberId(memberId).build()
                        : LeaveGroupRequest.builder()
                                .groupId("g")
                                .members(
                                        List.of(
                                                MemberIdentity.builder()
                                                        .memberId(memberId)
                                                        .build()))
                                .build();
        LeaveGroupResponse left = api.answer(request, v, LeaveGroupResponse.class);
        assertThat(left.errorCode()).isEqualTo(ErrorCode.NONE.id());
        LeaveGroupResponse again = api.answer(request, v, LeaveGroupResponse.class);
        assertThat(v < 3 ? again.errorCode() : again.members().getFirst().errorCode())
                .isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID.id());
    }

    /// Admin clients ask in the new way first, and in the old one when they get this answer.
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void newWayOfDescribingSendsClientsToTheOldOne(int version) {
        ConsumerGroupDescribeResponse described =
                api.answer(
                        ConsumerGroupDescribeRequest.builder().groupIds(List.of("g")).build(),
                        version,
                        ConsumerGroupDescribeResponse.class);
        assertThat(described.groups().getFirst().errorCode())
                .isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND.id());
    }
}
