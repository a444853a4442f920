package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.Admissions.Return;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What a broker's return means (R5, R6, KIP-903): its former life ends, and what its disk lacks it does not lead with.
class AdmissionsTest {
    private static final UUID PROCESS = new UUID(7, 7);
    private static final TopicRules FSYNC = new TopicRules(1, false, false);
    private static final TopicRules PAGE_CACHE = new TopicRules(1, false, true);
    private static final Return CLEAN = new Return(1, false, false, true);
    private static final Return RUNNING_ON = new Return(1, false, false, false);
    private static final Return CACHE_LOST = new Return(1, false, true, false);
    private static final Return WIPED = new Return(1, true, true, false);

    private static PartitionPlan plan(int leader, List<Integer> inSync, List<Integer> eligible) {
        return new PartitionPlan(
                List.of(1, 2, 3), leader, 5, inSync, eligible, List.of(), List.of(), 7);
    }

    private static PartitionPlan fence(
            PartitionPlan plan, Return back, TopicRules rules, Integer... others) {
        return Admissions.fence(plan, back, Set.of(others)::contains, rules);
    }

    @Test
    void whatItLedGoesToAnotherAndItLeavesTheSet() {
        PartitionPlan after = fence(plan(1, List.of(1, 2), List.of()), CLEAN, FSYNC, 2, 3);
        assertThat(after.leader()).isEqualTo(2);
        assertThat(after.inSync()).containsExactly(2);
        PartitionPlan followed = fence(plan(2, List.of(1, 2), List.of()), CLEAN, FSYNC, 2, 3);
        assertThat(followed.leader()).isEqualTo(2);
        assertThat(followed.leaderEpoch()).isEqualTo(5);
        assertThat(followed.inSync()).containsExactly(2);
    }

    @Test
    void theLastOneInSyncStaysAndLeadsANewTerm() {
        PartitionPlan before = plan(1, List.of(1), List.of());
        PartitionPlan after = fence(before, CACHE_LOST, FSYNC, 2, 3);
        assertThat(after.hasLeader()).isFalse();
        assertThat(after.inSync()).containsExactly(1);
        PartitionPlan led = Elections.settle(after, Set.of(1, 2, 3)::contains, FSYNC).after(before);
        assertThat(led.leader()).isEqualTo(1);
        assertThat(led.leaderEpoch()).as("one step for everybody else").isEqualTo(6);
        assertThat(led.change()).isEqualTo(8);
    }

    /// R6: a power loss may have taken what was only in the page cache.
    @Test
    void afterAPowerLossOthersComeFirstWhereDataIsInThePageCache() {
        PartitionPlan waiting = plan(-1, List.of(1, 2), List.of());
        assertThat(fence(waiting, CACHE_LOST, PAGE_CACHE, 3).inSync()).containsExactly(2);
        assertThat(fence(waiting, CACHE_LOST, FSYNC, 3)).isSameAs(waiting);
        assertThat(fence(waiting, CLEAN, PAGE_CACHE, 3)).isSameAs(waiting);
        PartitionPlan alone = plan(-1, List.of(1), List.of());
        assertThat(fence(alone, CACHE_LOST, PAGE_CACHE, 3))
                .as("nobody else is left")
                .isSameAs(alone);
        PartitionPlan withEligible = plan(-1, List.of(1), List.of(2));
        assertThat(fence(withEligible, CACHE_LOST, PAGE_CACHE, 3).inSync()).containsExactly(2);
    }

    /// It may have lost power before its topic was taken out of the page cache, and come back after that.
    @Test
    void whatWasInThePageCacheWhenThatEndedIsStillNotTrusted() {
        PartitionPlan waiting = plan(-1, List.of(1, 2), List.of(3));
        PartitionPlan ended = Elections.ruled(waiting, PAGE_CACHE, FSYNC);
        assertThat(ended.unforced()).containsExactly(1, 2, 3);
        PartitionPlan after = fence(ended, CACHE_LOST, FSYNC);
        assertThat(after.inSync()).containsExactly(2);
        assertThat(after.unforced()).containsExactly(2, 3);
        assertThat(fence(ended, RUNNING_ON, FSYNC).inSync()).containsExactly(1, 2);
    }

    @Test
    void whoWasStoppedInOrderHasForcedEverything() {
        PartitionPlan ended =
                Elections.ruled(plan(-1, List.of(1, 2), List.of()), PAGE_CACHE, FSYNC);
        PartitionPlan after = fence(ended, CLEAN, FSYNC, 3);
        assertThat(after.inSync()).containsExactly(1, 2);
        assertThat(after.unforced()).containsExactly(2);
        assertThat(fence(after, CACHE_LOST, FSYNC, 3).inSync()).containsExactly(1, 2);
    }

    @Test
    void whoCatchesUpAgainIsTrustedAgain() {
        PartitionPlan ended = Elections.ruled(plan(2, List.of(1, 2), List.of()), PAGE_CACHE, FSYNC);
        PartitionPlan back =
                ended.counting(List.of(2), List.of()).counting(List.of(1, 2), List.of());
        assertThat(back.unforced()).containsExactly(2);
    }

    /// R5: an empty disk under an old id is not in sync with anything.
    @Test
    void withAnotherDirectoryItHasNothing() {
        PartitionPlan shared = fence(plan(1, List.of(1, 2), List.of()), WIPED, FSYNC, 2, 3);
        assertThat(shared.leader()).isEqualTo(2);
        assertThat(shared.inSync()).containsExactly(2);
        PartitionPlan last = fence(plan(1, List.of(1), List.of()), WIPED, FSYNC, 2, 3);
        assertThat(last.hasLeader()).isFalse();
        assertThat(last.inSync()).as("lost: an operator has to decide").isEmpty();
        assertThat(Elections.settle(last, Set.of(1, 2, 3)::contains, FSYNC)).isSameAs(last);
        PartitionPlan eligible = fence(plan(3, List.of(3), List.of(1)), WIPED, FSYNC, 2, 3);
        assertThat(eligible.eligible()).isEmpty();
    }

    @Test
    void whatItDoesNotHaveStaysAsItIs() {
        PartitionPlan other =
                new PartitionPlan(
                        List.of(2, 3), -1, 5, List.of(2), List.of(), List.of(), List.of(), 7);
        assertThat(fence(other, WIPED, FSYNC, 3)).isSameAs(other);
    }

    @Test
    void theStopWasCleanIfItWasOfTheLifeThatWasAdmittedLast() {
        UUID disk = new UUID(1, 1);
        Member member = member(disk, null, null);
        assertThat(Admissions.of(registered(disk, 40), member)).isEqualTo(CLEAN);
        assertThat(Admissions.of(registered(disk, 30), member)).isEqualTo(CACHE_LOST);
        assertThat(Admissions.of(registered(disk, -1), member)).isEqualTo(CACHE_LOST);
        assertThat(Admissions.of(registered(new UUID(2, 2), -1), member)).isEqualTo(WIPED);
        assertThat(Admissions.of(registered(disk, -1), null)).isEqualTo(RUNNING_ON);
    }

    /// In the simulation the only good copy of a page-cache topic was given up for one that had lost power (seed 1070).
    @Test
    void whoHasOnlyLostItsSessionHasNotCrashed() {
        UUID disk = new UUID(1, 1);
        Member same = member(disk, PROCESS, null);
        Member other = member(disk, new UUID(8, 8), null);
        assertThat(Admissions.of(registered(disk, -1), same)).isEqualTo(RUNNING_ON);
        assertThat(Admissions.of(registered(disk, -1), other)).isEqualTo(CACHE_LOST);
    }

    /// In the simulation nobody was left whom the controller trusted, though a killed broker had everything (seeds 3345, 4223).
    @Test
    void aKilledProcessHasLostNothingIfItsMachineHasRunOn() {
        UUID disk = new UUID(1, 1);
        UUID boot = new UUID(9, 1);
        Member member = member(disk, new UUID(8, 8), boot);
        assertThat(Admissions.of(registered(disk, -1, boot), member)).isEqualTo(RUNNING_ON);
        assertThat(Admissions.of(registered(disk, -1, new UUID(9, 2)), member))
                .as("the machine was off")
                .isEqualTo(CACHE_LOST);
        assertThat(Admissions.of(registered(new UUID(2, 2), -1, boot), member).wiped())
                .as("the machine runs on, its disk was replaced")
                .isTrue();
    }

    @Test
    void whereABootIsNotKnownACrashCountsAsAPowerLoss() {
        UUID disk = new UUID(1, 1);
        UUID boot = new UUID(9, 1);
        Member unknown = member(disk, new UUID(8, 8), null);
        assertThat(Admissions.of(registered(disk, -1, boot), unknown)).isEqualTo(CACHE_LOST);
        assertThat(Admissions.of(registered(disk, -1), unknown)).isEqualTo(CACHE_LOST);
        Member known = member(disk, new UUID(8, 8), boot);
        assertThat(Admissions.of(registered(disk, -1), known)).isEqualTo(CACHE_LOST);
    }

    @Test
    void whoeverIsAdmittedIsRememberedWithItsBoot() {
        UUID disk = new UUID(1, 1);
        Registered registered = registered(disk, -1, new UUID(9, 2));
        Member admitted = Admissions.admitted(registered, member(disk, PROCESS, new UUID(9, 1)));
        assertThat(admitted.boot()).isEqualTo(new UUID(9, 2));
    }

    private static Member member(UUID disk, @Nullable UUID process, @Nullable UUID boot) {
        return new Member(
                1, 40, disk, process, boot, Member.State.ACTIVE, Member.PRESENT, false, 3);
    }

    private static Registered registered(UUID directory, long cleanEpoch) {
        return registered(directory, cleanEpoch, null);
    }

    private static Registered registered(UUID directory, long cleanEpoch, @Nullable UUID boot) {
        return new Registered(
                new Registration(1, "h", 1, null, PROCESS, directory, null, cleanEpoch, boot),
                50,
                0);
    }
}
