package io.sluice.kafka.api.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.ConsumerGroupDescribeRequest;
import io.sluice.kafka.wire.message.ConsumerGroupDescribeResponse;
import io.sluice.kafka.wire.message.DeleteGroupsRequest;
import io.sluice.kafka.wire.message.DeleteGroupsResponse;
import io.sluice.kafka.wire.message.DescribeGroupsRequest;
import io.sluice.kafka.wire.message.DescribeGroupsResponse;
import io.sluice.kafka.wire.message.FindCoordinatorRequest;
import io.sluice.kafka.wire.message.FindCoordinatorResponse;
import io.sluice.kafka.wire.message.OffsetFetchRequest;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import io.sluice.kafka.wire.message.OffsetFetchResponse;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A group that is named a thousand times is answered once: what it has to tell can be far larger than its name.
class RepeatedGroupsTest {
    private static final List<String> OFTEN = Collections.nCopies(1000, "g");

    private final GroupApi api = new GroupApi();
    private final Offsets offsets = new Offsets(api);

    @Test
    void describedGroups() {
        DescribeGroupsRequest request = DescribeGroupsRequest.builder().groups(OFTEN).build();
        assertThat(api.answer(request, 5, DescribeGroupsResponse.class).groups()).hasSize(1);
    }

    @Test
    void describedConsumerGroups() {
        ConsumerGroupDescribeRequest request =
                ConsumerGroupDescribeRequest.builder().groupIds(OFTEN).build();
        assertThat(api.answer(request, 1, ConsumerGroupDescribeResponse.class).groups()).hasSize(1);
    }

    @Test
    void deletedGroups() {
        DeleteGroupsRequest request = DeleteGroupsRequest.builder().groupsNames(OFTEN).build();
        assertThat(api.answer(request, 2, DeleteGroupsResponse.class).results()).hasSize(1);
    }

    @Test
    void foundCoordinators() {
        FindCoordinatorRequest request =
                FindCoordinatorRequest.builder().coordinatorKeys(OFTEN).build();
        assertThat(api.answer(request, 6, FindCoordinatorResponse.class).coordinators()).hasSize(1);
    }

    /// A commit may carry kilobytes of metadata, a question for it has four bytes.
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 10})
    void fetchedOffsets(int version) {
        offsets.commit("", -1, version < 10 ? 5 : 10, 0, 42);
        OffsetFetchResponse answer =
                offsets.fetch(version, Collections.nCopies(1000, 0), GroupApi.TOPIC_ID);
        if (version < 8) {
            assertThat(answer.topics().getFirst().partitions())
                    .map(partition -> partition.committedOffset())
                    .containsExactly(42L);
        } else {
            assertThat(answer.groups().getFirst().topics().getFirst().partitions())
                    .map(partition -> partition.committedOffset())
                    .containsExactly(42L);
        }
    }

    @Test
    void offsetsOfOneGroupAskedForTwice() {
        offsets.commit("", -1, 5, 0, 42);
        OffsetFetchRequestGroup all =
                OffsetFetchRequestGroup.builder().groupId("g").topics(null).build();
        OffsetFetchRequestGroup other =
                OffsetFetchRequestGroup.builder().groupId("other").topics(null).build();
        OffsetFetchRequest request =
                OffsetFetchRequest.builder().groups(List.of(all, other, all, all)).build();
        assertThat(api.answer(request, 9, OffsetFetchResponse.class).groups())
                .map(group -> group.groupId() + " " + group.errorCode())
                .containsExactlyInAnyOrder(
                        "g " + ErrorCode.INVALID_REQUEST.id(), "other " + ErrorCode.NONE.id());
    }
}
