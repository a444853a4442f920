package io.sluice.coordinator.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.Decision;
import io.sluice.coordinator.groups.GroupCommand.CommitOffsets;
import io.sluice.coordinator.groups.GroupCommand.MemberRef;
import io.sluice.coordinator.groups.GroupCommand.OffsetToCommit;
import io.sluice.coordinator.groups.GroupReply.Joined;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Which offsets are forgotten, and how many at a time (KIP-211).
class OffsetExpiryTest extends GroupFixture {
    @Test
    void offsetsOfATopicNoLongerSubscribedToExpireUnderAStableGroup() {
        PartitionId old = new PartitionId("old", 0);
        ask(commit("g", NOBODY, old, 1));
        ask(commit("g", NOBODY, T0, 1));
        Joined member = settled("g");
        MemberRef ref = new MemberRef(member.memberId(), null, 1);
        for (int day = 0; day < 8; day++) {
            nanos += Duration.ofDays(1).toNanos();
            ask(new GroupCommand.Heartbeat("g", ref));
            pass(Duration.ofSeconds(1));
        }
        assertThat(machine().table().group("g").phase()).isEqualTo(GroupPhase.STABLE);
        assertThat(offsets("g")).containsOnlyKeys(T0);
    }

    @Test
    void clientsOfOldVersionsMayChooseTheirOwnRetention() {
        ask(
                new CommitOffsets(
                        "g",
                        NOBODY,
                        List.of(new OffsetToCommit(T0, 1, -1, "", null)),
                        Duration.ofHours(1).toMillis()));
        pass(Duration.ofMinutes(59));
        assertThat(offsets("g")).containsKey(T0);
        pass(Duration.ofMinutes(12));
        assertThat(machine().table().find("g")).isNull();
    }

    /// Consumers that were stopped for a moment would begin anew, or miss what has come since.
    @Test
    void aDateThatHasLeaptForgetsNoOffsetsBeforeItIsTrusted() {
        ask(commit("g", NOBODY, T0, 1));
        leap = Duration.ofDays(30);
        dateIsTrusted = false;
        pass(Duration.ofHours(6));
        assertThat(offsets("g")).containsOnlyKeys(T0);
        dateIsTrusted = true;
        pass(Duration.ofMinutes(11));
        assertThat(machine().table().find("g")).isNull();
    }

    @Test
    void manyExpireInPortions() {
        for (int i = 0; i < 1_000; i++) {
            List<OffsetToCommit> many = new ArrayList<>();
            for (int p = 0; p < 30; p++) {
                many.add(new OffsetToCommit(new PartitionId("t", p), 1, -1, "", null));
            }
            ask(new CommitOffsets("g" + i, NOBODY, many, -1));
        }
        nanos = Duration.ofDays(7).toNanos();
        int decisions = 0;
        while (machine().table().size() > 0) {
            Decision<GroupChange, GroupReply> decision = machine().wake(now());
            assertThat(decision.changes().size()).isLessThanOrEqualTo(10_001);
            carryOut(decision);
            decisions++;
            assertThat(decisions).isLessThan(100);
        }
        assertThat(decisions).isGreaterThan(2);
    }

    @Test
    void oneHugeGroupExpiresInPortionsToo() {
        for (int from = 0; from < 25_000; from += 1_000) {
            List<OffsetToCommit> many = new ArrayList<>();
            for (int p = from; p < from + 1_000; p++) {
                many.add(new OffsetToCommit(new PartitionId("t", p), 1, -1, "", null));
            }
            ask(new CommitOffsets("g", NOBODY, many, -1));
        }
        nanos = Duration.ofDays(7).toNanos();
        pass(Duration.ofSeconds(1));
        assertThat(machine().table().find("g")).isNull();
    }

    /// A broker that was away hears of a deletion late, and may lead the group's partition by then.
    @Test
    void whatWasCommittedForALaterTopicOfTheNameIsNotForgottenWithTheEarlierOne() {
        UUID earlier = new UUID(1, 1);
        PartitionId again = new PartitionId("again", 0);
        ask(new CommitOffsets("old", NOBODY, of(again, earlier), -1));
        ask(new CommitOffsets("unknown", NOBODY, of(again, null), -1));
        ask(new CommitOffsets("new", NOBODY, of(again, new UUID(1, 2)), -1));
        assertThat(reply(new GroupCommand.ForgetTopic("again", earlier)))
                .isEqualTo(new GroupReply.TopicForgotten(2, true));
        assertThat(offsets("new")).containsOnlyKeys(again);
    }

    private static List<OffsetToCommit> of(PartitionId partition, @Nullable UUID topic) {
        return List.of(new OffsetToCommit(partition, 1, -1, "", topic));
    }

    @Test
    void deletedTopicIsForgottenInPortions() {
        for (int i = 0; i < 400; i++) {
            List<OffsetToCommit> many = new ArrayList<>();
            for (int p = 0; p < 30; p++) {
                many.add(new OffsetToCommit(new PartitionId("gone", p), 1, -1, "", null));
            }
            many.add(new OffsetToCommit(T0, 1, -1, "", null));
            ask(new CommitOffsets("g" + i, NOBODY, many, -1));
        }
        assertThat(reply(new GroupCommand.ForgetTopic("gone", new UUID(1, 1))))
                .isEqualTo(new GroupReply.TopicForgotten(10_000, false));
        assertThat(reply(new GroupCommand.ForgetTopic("gone", new UUID(1, 1))))
                .isEqualTo(new GroupReply.TopicForgotten(2_000, true));
        assertThat(offsets("g399")).containsOnlyKeys(T0);
    }
}
