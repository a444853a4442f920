package io.sluice.listener.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.kafka.ShareMembers.Member;
import io.sluice.listener.kafka.ShareMembers.Plan;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/// Whether each partition of a share group has somebody who looks.
class ShareMembersTest {
    private static final Member AT_WORK = new Member("a", false, true);
    private static final Member LOOKS = new Member("b", true, false);
    private static final Member IDLE = new Member("c", false, false);

    private static Set<TopicPartition> partitions(Integer... numbers) {
        return Arrays.stream(numbers)
                .map(number -> new TopicPartition("t", number))
                .collect(Collectors.toSet());
    }

    private static Plan plan(List<Member> ours, Map<String, Set<TopicPartition>> read) {
        return ShareMembers.plan(ours, read);
    }

    @Test
    void whoLooksIntoEveryPartitionIsEnough() {
        var read = Map.of("a", partitions(0), "b", partitions(0));
        assertThat(plan(List.of(AT_WORK, LOOKS), read)).isEqualTo(Plan.NOTHING);
    }

    @Test
    void eachPartitionOfThoseAtWorkNeedsOneMore() {
        var read = Map.of("a", partitions(0, 1), "b", partitions(2, 3));
        assertThat(plan(List.of(AT_WORK, LOOKS), read)).isEqualTo(new Plan(Set.of(), 2));
    }

    @Test
    void whoHasNoSlotLooksWhereNobodyElseDoes() {
        var read = Map.of("a", partitions(0), "b", partitions(1), "c", partitions(0));
        assertThat(plan(List.of(AT_WORK, LOOKS, IDLE), read)).isEqualTo(new Plan(Set.of("c"), 0));
    }

    @Test
    void whoHasJustComeGetsItsPartBeforeTheNextOneComes() {
        var read = Map.of("a", partitions(0, 1), "b", partitions(2, 3));
        assertThat(plan(List.of(AT_WORK, LOOKS, IDLE), read))
                .as("it comes by looking")
                .isEqualTo(new Plan(Set.of("c"), 0));
        var come = Map.of("a", partitions(0, 1), "b", partitions(2, 3), "c", partitions());
        assertThat(plan(List.of(AT_WORK, LOOKS, IDLE), come)).isEqualTo(Plan.NOTHING);
    }

    @Test
    void membersOfOtherWorkersMayBeAtWorkToo() {
        var read = Map.of("a", partitions(0), "b", partitions(1), "elsewhere", partitions(0));
        assertThat(plan(List.of(AT_WORK, LOOKS), read).more()).isEqualTo(1);
    }
}
