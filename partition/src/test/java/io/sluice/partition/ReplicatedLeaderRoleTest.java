package io.sluice.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.TopicSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Q22, Q24, Q25: what a leader with followers commits, and whom it counts. Broker 0 leads in epoch 5, brokers 1 and 2 follow.
class ReplicatedLeaderRoleTest {
    private static final int EPOCH = 5;
    private static final long LAG = 10_000;

    /// Offsets 0 to 99 are from earlier terms; everything below 60 was known to be committed.
    private static final long TERM_START = 100;

    private static final long WATERMARK = 60;

    private final List<String> settled = new ArrayList<>();
    private final Map<Integer, Long> registered = new TreeMap<>(Map.of(0, 10L, 1, 11L, 2, 12L));
    private InSyncRules rules = new InSyncRules(1, false, LAG, TopicSettings.NO_LIMIT);

    private LeaderRole leader(Integer... inSync) {
        return new LeaderRole(
                plan(7, inSync),
                new LeaderRole.Start(TERM_START, TERM_START, TERM_START, WATERMARK),
                rules,
                broker -> registered.getOrDefault(broker, -1L),
                0);
    }

    private static Assignment plan(int change, Integer... inSync) {
        return new Assignment(0, EPOCH, List.of(0, 1, 2), List.of(inSync), change, 0);
    }

    private ReplicaFetch fetch(int replica, long offset) {
        long epoch = registered.getOrDefault(replica, -1L);
        return new ReplicaFetch(replica, epoch, EPOCH, offset, EPOCH, 1 << 20, true);
    }

    private void fetched(LeaderRole role, int replica, long offset) {
        fetched(role, replica, offset, 0);
    }

    private void fetched(LeaderRole role, int replica, long offset, long now) {
        ReplicaFetch fetch = fetch(replica, offset);
        assertThat(role.fence(fetch)).isNull();
        role.fetched(fetch, role.endOffset(), now);
    }

    private void await(LeaderRole role, long offset, String name) {
        role.await(offset, 0, PendingAcks.NO_DEADLINE, how -> settled.add(name + " " + how));
    }

    /// One line: the leader's log end and durable end, the followers' fetch offsets (-1: not heard of), and what that commits.
    @ParameterizedTest
    @CsvSource({
        // end, durable, f1, f2, watermark
        "110, 110, 110, 110, 110",
        "110, 105, 110, 110, 105",
        "110, 110, 108, 110, 108",
        "110, 110, 108, 103, 103",
        "110, 100, 108, 103, 100",
        "110, 110,  50, 110,  60", // never back
        "110, 110,  -1, 110,  60", // rule 3: not heard of in this term
        "110, 110, 110,  -1,  60",
    })
    @DisplayName("the watermark is the slowest of the in-sync set, in this term")
    void watermark(long end, long durable, long first, long second, long expected) {
        LeaderRole role = leader(0, 1, 2);
        role.appended(end, false);
        role.flushed(durable);
        if (first >= 0) {
            fetched(role, 1, first);
        }
        if (second >= 0) {
            fetched(role, 2, second);
        }
        assertThat(role.highWatermark()).isEqualTo(expected);
        assertThat(role.safeWatermark()).isEqualTo(expected);
    }

    @Test
    void aReplicaOutsideOfTheSetHoldsNothingUp() {
        LeaderRole role = leader(0, 1);
        role.appended(110, false);
        role.flushed(110);
        fetched(role, 2, 3);
        fetched(role, 1, 110);
        assertThat(role.highWatermark()).isEqualTo(110);
    }

    @Test
    void aRecordWithALeadersAckIsReadableWhenItIsSafeEverywhere() {
        LeaderRole role = leader(0, 1);
        role.appended(110, true);
        assertThat(role.highWatermark()).isEqualTo(WATERMARK);
        fetched(role, 1, 110);
        assertThat(role.highWatermark()).as("not yet durable here").isEqualTo(TERM_START);
        role.flushed(110);
        assertThat(role.highWatermark()).isEqualTo(110);
        assertThat(role.safeWatermark()).isEqualTo(110);
    }

    @Test
    void inMemoryIsSafeOnAPageCacheTopic() {
        rules = new InSyncRules(1, true, LAG, TopicSettings.NO_LIMIT);
        LeaderRole role = leader(0, 1);
        role.appended(110, false);
        assertThat(role.isSafe(110)).isFalse();
        fetched(role, 1, 110);
        assertThat(role.isSafe(110)).isTrue();
    }

    /// Q25 across replicas: durable here and there, whichever comes last.
    @Test
    void anAckOfAllWaitsForTheLastOfDiskAndFollowers() {
        LeaderRole role = leader(0, 1, 2);
        role.appended(101, false);
        await(role, 101, "a");
        fetched(role, 1, 101);
        role.flushed(101);
        assertThat(settled).isEmpty();
        fetched(role, 2, 101);
        assertThat(settled).containsExactly("a SAFE");

        role.appended(102, false);
        await(role, 102, "b");
        fetched(role, 1, 102);
        fetched(role, 2, 102);
        assertThat(settled).hasSize(1);
        role.flushed(102);
        assertThat(settled).containsExactly("a SAFE", "b SAFE");
    }

    /// R6 (KIP-966): with fewer than min.insync.replicas nothing is committed that could be lost with the last one standing.
    @Test
    void nothingIsCommittedWithTooFewInSync() {
        rules = new InSyncRules(2, false, LAG, TopicSettings.NO_LIMIT);
        LeaderRole role = leader(0);
        assertThat(role.lacksReplicas()).isTrue();
        role.appended(110, true);
        role.flushed(110);
        assertThat(role.highWatermark()).isEqualTo(WATERMARK);
        fetched(role, 1, 110);
        role.planned(plan(8, 0, 1), 0);
        assertThat(role.lacksReplicas()).isFalse();
        assertThat(role.highWatermark()).isEqualTo(110);
    }

    @Test
    void whoWaitsWhenTheSetBecomesTooSmallIsTold() {
        rules = new InSyncRules(2, false, LAG, TopicSettings.NO_LIMIT);
        LeaderRole role = leader(0, 1);
        role.appended(101, false);
        await(role, 101, "a");
        role.planned(plan(8, 0), 0);
        assertThat(settled).containsExactly("a TOO_FEW_IN_SYNC");
    }

    /// R7 (KAFKA-13091): a smaller set commits what only waited for the one that left.
    @Test
    void aShrunkSetSettlesWhatWaitedForTheOneThatLeft() {
        LeaderRole role = leader(0, 1, 2);
        role.appended(101, false);
        role.flushed(101);
        await(role, 101, "a");
        fetched(role, 1, 101);
        fetched(role, 2, 100);
        assertThat(settled).isEmpty();
        SortedMap<Integer, Long> wanted = role.propose(true, LAG + 1);
        assertThat(wanted).isEqualTo(Map.of(0, 10L, 1, 11L));
        assertThat(settled).as("the plan still has it").isEmpty();
        role.accepted(7, List.of(0, 1), 8);
        assertThat(settled).containsExactly("a SAFE");
        assertThat(role.highWatermark()).isEqualTo(101);
        assertThat(role.inSync().change()).isEqualTo(8);
    }

    @Test
    void whenTheTermEndsNobodyIsAcknowledged() {
        LeaderRole role = leader(0, 1);
        role.appended(101, false);
        await(role, 101, "a");
        role.failAcks(AckListener.Settled.TERM_ENDED);
        assertThat(settled).containsExactly("a TERM_ENDED");
    }

    /// R3 (KIP-320) and R5 (KIP-903): who asks in another term or life counts for nothing.
    @Test
    void fetchesOfOtherTermsAndLivesAreFenced() {
        LeaderRole role = leader(0, 1, 2);
        assertThat(role.fence(new ReplicaFetch(1, 11, 4, 100, 4, 1, true)))
                .isEqualTo(Unavailable.FENCED_LEADER_EPOCH);
        assertThat(role.fence(new ReplicaFetch(1, 11, 6, 100, 4, 1, true)))
                .isEqualTo(Unavailable.UNKNOWN_LEADER_EPOCH);
        assertThat(role.fence(new ReplicaFetch(7, 11, EPOCH, 100, 4, 1, true)))
                .isEqualTo(Unavailable.NOT_LEADER);
        assertThat(role.fence(new ReplicaFetch(1, 3, EPOCH, 100, 4, 1, true)))
                .isEqualTo(Unavailable.STALE_BROKER_EPOCH);
        // A life that is not registered yet may fetch, and the one before it not any more.
        role.fetched(new ReplicaFetch(1, 15, EPOCH, 100, 4, 1, true), role.endOffset(), 0);
        assertThat(role.fence(new ReplicaFetch(1, 11, EPOCH, 100, 4, 1, true)))
                .isEqualTo(Unavailable.STALE_BROKER_EPOCH);
    }

    /// R4 (KAFKA-7128): the watermark of a new leader may lag; the beginning of its term does not.
    @ParameterizedTest
    @CsvSource({"59, false", "60, false", "99, false", "100, true", "105, true"})
    void whoWantsInMustHaveReachedTheTermsBeginning(long offset, boolean joins) {
        LeaderRole role = leader(0, 1);
        role.appended(110, false);
        fetched(role, 2, offset);
        assertThat(role.propose(false, 0) != null).isEqualTo(joins);
    }

    @Test
    void whoWantsInMustHaveReachedTheWatermark() {
        LeaderRole role = leader(0, 1);
        role.appended(110, false);
        role.flushed(110);
        fetched(role, 1, 108);
        fetched(role, 2, 107);
        assertThat(role.propose(false, 0)).isNull();
        fetched(role, 2, 108);
        assertThat(role.propose(false, 0)).isEqualTo(Map.of(0, 10L, 1, 11L, 2, 12L));
    }

    /// R5 (KIP-903): not with the epoch of a life that is over, or not registered.
    @Test
    void onlyTheRegisteredLifeOfABrokerJoins() {
        LeaderRole role = leader(0, 1);
        registered.put(2, 99L);
        role.fetched(new ReplicaFetch(2, 12, EPOCH, 100, 4, 1, true), role.endOffset(), 0);
        assertThat(role.propose(false, 0)).isNull();
        registered.remove(2);
        assertThat(role.propose(false, 0)).isNull();
        registered.put(2, 12L);
        assertThat(role.propose(false, 0)).containsOnlyKeys(0, 1, 2);
    }

    /// I5: the set that counts holds everybody whom the plan may have.
    @Test
    void whoIsAboutToJoinIsWaitedFor() {
        LeaderRole role = leader(0, 1);
        fetched(role, 1, 100);
        fetched(role, 2, 100);
        assertThat(role.propose(false, 0)).isNotNull();
        role.appended(110, false);
        role.flushed(110);
        fetched(role, 1, 110);
        assertThat(role.highWatermark()).as("broker 2 may be elected").isEqualTo(100);
        role.refused(7, 0);
        assertThat(role.highWatermark()).as("it was not let in").isEqualTo(110);
    }

    @Test
    void whoMayHaveJoinedIsWaitedForUntilThePlanIsKnown() {
        LeaderRole role = leader(0, 1);
        fetched(role, 1, 100);
        fetched(role, 2, 100);
        assertThat(role.propose(false, 0)).isNotNull();
        role.unknown(7, 0);
        role.appended(110, false);
        role.flushed(110);
        fetched(role, 1, 110);
        assertThat(role.highWatermark()).isEqualTo(100);
        long later = LeaderRole.PROPOSAL_PAUSE_NANOS;
        registered.remove(2);
        assertThat(role.propose(false, later)).as("asked again").containsOnlyKeys(0, 1);
        role.refused(7, later);
        assertThat(role.highWatermark()).as("the first one may have counted").isEqualTo(100);
        role.planned(plan(8, 0, 1), later);
        assertThat(role.highWatermark()).isEqualTo(110);
    }

    /// Else it would be proposed and refused for ever: the watermark waits for it, so that it always has reached that.
    @Test
    void whoDiesWhileItsJoiningIsInDoubtIsAskedForNoMore() {
        LeaderRole role = leader(0, 1);
        fetched(role, 1, TERM_START);
        fetched(role, 2, TERM_START);
        assertThat(role.propose(true, 0)).containsOnlyKeys(0, 1, 2);
        role.unknown(7, 0);
        role.appended(110, false);
        role.flushed(110);
        long later = LAG + LeaderRole.PROPOSAL_PAUSE_NANOS;
        fetched(role, 1, 110, later);
        assertThat(role.highWatermark()).isEqualTo(TERM_START);
        assertThat(role.propose(true, later)).containsOnlyKeys(0, 1);
        role.accepted(7, List.of(0, 1), 8);
        assertThat(role.highWatermark()).isEqualTo(110);
    }

    @Test
    void oneProposalAtATimeAndAPauseAfterAVainOne() {
        LeaderRole role = leader(0, 1);
        fetched(role, 2, 100);
        assertThat(role.propose(false, 0)).isNotNull();
        assertThat(role.propose(false, 0)).isNull();
        role.refused(7, 0);
        assertThat(role.propose(false, LeaderRole.PROPOSAL_PAUSE_NANOS - 1)).isNull();
        assertThat(role.propose(false, LeaderRole.PROPOSAL_PAUSE_NANOS)).isNotNull();
    }

    /// R7 (KAFKA-12367): an answer to a proposal on an older plan changes nothing.
    @Test
    void aNewerPlanSupersedesTheProposal() {
        LeaderRole role = leader(0, 1);
        fetched(role, 2, 100);
        assertThat(role.propose(false, 0)).isNotNull();
        role.planned(plan(9, 0), 0);
        role.accepted(7, List.of(0, 1, 2), 8);
        assertThat(role.inSync().members()).containsExactly(0);
        role.unknown(7, 0);
        assertThat(role.inSync().isInDoubt()).isFalse();
    }

    @Test
    void whoHasEverythingIsInSyncHoweverLongItIsSilent() {
        LeaderRole role = leader(0, 1);
        fetched(role, 1, 100);
        assertThat(role.propose(true, LAG * 9)).isNull();
        role.appended(101, false);
        assertThat(role.propose(true, LAG * 10)).as("its time begins now").isNull();
        assertThat(role.propose(true, LAG * 10 + 1)).containsOnlyKeys(0);
    }

    @Test
    void whoIsAlwaysALittleBehindIsInSync() {
        LeaderRole role = leader(0, 1);
        for (int i = 1; i <= 50; i++) {
            role.appended(TERM_START + i, false);
            fetched(role, 1, TERM_START + i - 1, i * LAG / 2);
            assertThat(role.propose(true, i * LAG / 2)).isNull();
        }
    }

    @Test
    void whoNeverComesLeavesAfterTheLagTime() {
        LeaderRole role = leader(0, 1);
        role.appended(101, false);
        assertThat(role.propose(true, LAG)).isNull();
        assertThat(role.propose(false, LAG + 1)).as("looked at now and then only").isNull();
        assertThat(role.propose(true, LAG + 1)).isEqualTo(Map.of(0, 10L));
    }

    /// Q23: the seed's `replica.lag.max.messages`.
    @Test
    void whoIsTooManyRecordsBehindLeavesAtOnceWhereTheTopicSaysSo() {
        rules = new InSyncRules(1, false, LAG, 5);
        LeaderRole role = leader(0, 1, 2);
        fetched(role, 1, 100);
        fetched(role, 2, 100);
        role.appended(106, false);
        fetched(role, 1, 101);
        assertThat(role.propose(true, 1)).containsOnlyKeys(0, 1);
    }

    @Test
    void aReplicaThatIsTakenAwayIsForgotten() {
        LeaderRole role = leader(0, 1);
        fetched(role, 2, 100);
        Assignment without = new Assignment(0, EPOCH, List.of(0, 1), List.of(0, 1), 8, 0);
        role.planned(without, 0);
        assertThat(role.propose(true, 0)).isNull();
        assertThat(role.fence(fetch(2, 100))).isEqualTo(Unavailable.NOT_LEADER);
    }

    /// The one replica of a partition gets company: from then on the other counts.
    @Test
    void aPartitionThatGrowsWaitsForItsNewReplicas() {
        LeaderRole role =
                new LeaderRole(
                        Assignment.alone(0, EPOCH),
                        new LeaderRole.Start(TERM_START, TERM_START, TERM_START, TERM_START),
                        rules,
                        broker -> registered.getOrDefault(broker, -1L),
                        0);
        assertThat(role.highWatermark()).isEqualTo(TERM_START);
        role.planned(new Assignment(0, EPOCH, List.of(0, 1), List.of(0), 1, 0), 0);
        role.appended(101, true);
        role.flushed(101);
        assertThat(role.highWatermark()).as("it is not in sync yet").isEqualTo(101);
        fetched(role, 1, 101);
        assertThat(role.propose(false, 0)).containsOnlyKeys(0, 1);
        role.accepted(1, List.of(0, 1), 2);
        role.appended(102, true);
        role.flushed(102);
        assertThat(role.highWatermark()).isEqualTo(101);
    }
}
