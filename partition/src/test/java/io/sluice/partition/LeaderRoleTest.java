package io.sluice.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.log.TopicSettings;
import io.sluice.record.Invariant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Q24, Q25: what is acknowledged and what is readable, on one node.
class LeaderRoleTest {
    private final List<String> settled = new ArrayList<>();

    private AckListener ack(String name) {
        return how -> settled.add(name + " " + how);
    }

    private static LeaderRole role(long endOffset, long durableOffset) {
        return role(endOffset, durableOffset, false);
    }

    private static LeaderRole role(long endOffset, long durableOffset, boolean pageCache) {
        return new LeaderRole(
                Assignment.alone(0, 3),
                new LeaderRole.Start(endOffset, endOffset, durableOffset, endOffset),
                new InSyncRules(1, pageCache, 10_000, TopicSettings.NO_LIMIT),
                _ -> -1,
                0);
    }

    private void appendAwaiting(LeaderRole role, long end, String name) {
        role.appended(end, false);
        role.await(end, 0, PendingAcks.NO_DEADLINE, ack(name));
    }

    @Test
    void whatWasFoundAtStartIsReadable() {
        assertThat(role(10, 10).highWatermark()).isEqualTo(10);
        assertThat(role(10, 4).highWatermark()).isEqualTo(10);
    }

    @Test
    void aBatchThatWaitsForTheDiskIsNotReadableBefore() {
        LeaderRole role = role(0, 0);
        appendAwaiting(role, 5, "a");
        assertThat(role.highWatermark()).isZero();
        assertThat(settled).isEmpty();
        role.flushed(5);
        assertThat(role.highWatermark()).isEqualTo(5);
        assertThat(settled).containsExactly("a SAFE");
    }

    @Test
    void aBatchThatWaitsForNothingIsReadableAtOnceAndSafeLater() {
        LeaderRole role = role(0, 0);
        role.appended(3, true);
        assertThat(role.highWatermark()).isEqualTo(3);
        assertThat(role.safeWatermark()).isZero();
        role.flushed(3);
        assertThat(role.safeWatermark()).isEqualTo(3);
    }

    @Test
    void inThePageCacheIsSafeWhereTheTopicWantsNoMore() {
        LeaderRole role = role(0, 0, true);
        role.appended(3, false);
        assertThat(role.isSafe(3)).isTrue();
        assertThat(role.highWatermark()).isEqualTo(3);
    }

    @Test
    void oneFlushSettlesAllThatItCoversInOrder() {
        LeaderRole role = role(0, 0);
        appendAwaiting(role, 1, "a");
        appendAwaiting(role, 2, "b");
        appendAwaiting(role, 3, "c");
        role.flushed(2);
        assertThat(settled).containsExactly("a SAFE", "b SAFE");
        role.flushed(3);
        assertThat(settled).containsExactly("a SAFE", "b SAFE", "c SAFE");
    }

    /// A leader's ack behind it makes a batch readable, and does not make it safe.
    @Test
    void anAckOfAllWaitsForTheDiskThoughItsRecordCanBeRead() {
        LeaderRole role = role(0, 0);
        appendAwaiting(role, 1, "a");
        role.appended(2, true);
        assertThat(role.highWatermark()).isEqualTo(2);
        assertThat(settled).isEmpty();
        role.flushed(2);
        assertThat(settled).containsExactly("a SAFE");
    }

    @Test
    void theWatermarkNeverRetreats() {
        LeaderRole role = role(0, 0);
        role.appended(8, true);
        role.flushed(4);
        assertThat(role.highWatermark()).isEqualTo(8);
    }

    @Test
    void aBatchSentAgainWaitsForTheSameDurability() {
        LeaderRole role = role(0, 0);
        appendAwaiting(role, 4, "first");
        role.await(4, 0, PendingAcks.NO_DEADLINE, ack("again"));
        assertThat(settled).isEmpty();
        role.flushed(4);
        assertThat(settled).containsExactly("first SAFE", "again SAFE");
        role.await(2, 0, PendingAcks.NO_DEADLINE, ack("late"));
        assertThat(settled).contains("late SAFE");
    }

    @Test
    void aFailedDiskTellsEverybodyWhoWaits() {
        LeaderRole role = role(0, 0);
        appendAwaiting(role, 4, "a");
        role.failAcks(AckListener.Settled.DISK_FAILED);
        assertThat(settled).containsExactly("a DISK_FAILED");
        assertThat(role.highWatermark()).isZero();
    }

    @Test
    void whoseTimeIsUpIsToldAndTheOthersWaitOn() {
        LeaderRole role = role(0, 0);
        role.appended(3, false);
        role.await(1, 0, 500, ack("slow"));
        role.await(2, 0, 100, ack("hasty"));
        role.await(3, 0, PendingAcks.NO_DEADLINE, ack("patient"));
        assertThat(role.nextDeadline()).isEqualTo(100);
        role.expireAcks(99);
        assertThat(settled).isEmpty();
        role.expireAcks(100);
        assertThat(settled).containsExactly("hasty TIMED_OUT");
        assertThat(role.nextDeadline()).isEqualTo(500);
        role.flushed(3);
        assertThat(settled).containsExactly("hasty TIMED_OUT", "slow SAFE", "patient SAFE");
        assertThat(role.nextDeadline()).isEqualTo(PendingAcks.NO_DEADLINE);
    }

    @Test
    void impossibleProgressIsABug() {
        LeaderRole role = role(5, 5);
        assertThatThrownBy(() -> role.appended(4, true)).isInstanceOf(Invariant.Violation.class);
        assertThatThrownBy(() -> role.flushed(6)).isInstanceOf(Invariant.Violation.class);
    }
}
