package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.require;
import static io.sluice.partition.PartitionWorld.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskFile;
import io.sluice.env.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A replica whose forced bytes are gone, because somebody has deleted its folder or a disk has lost them, claims nothing that it lacks.
@DisplayName("Q8, Q13, Q24: durable records that are gone from a disk are copied anew, and not led")
class HollowReplicaTest {
    private static final int RECORDS = 12;
    private static final String LARGE = "x".repeat(200_000);

    @TempDir Path folder;
    private ReplicaCluster cluster;
    private final List<String> values = new ArrayList<>();

    @BeforeEach
    void begin() {
        cluster = new ReplicaCluster(folder, 3, settings("segment.bytes", "1048576"));
        cluster.lead(0, 0, 1, 2);
        for (int i = 0; i < RECORDS; i++) {
            write(i + LARGE);
        }
        cluster.fetch(1);
        cluster.fetch(2);
        for (int broker = 0; broker < 3; broker++) {
            cluster.world(broker).checkpoint();
        }
    }

    private void write(String value) {
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, value);
        cluster.world(0).settle();
        for (int round = 0; round < 2; round++) {
            cluster.fetch(1);
            cluster.fetch(2);
        }
        cluster.settle();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
        values.add(value);
    }

    private void deleteFolder(int broker) {
        cluster.world(broker).disk.delete("orders-0");
    }

    /// A replica comes back with a gap, and the controller counts without it.
    private void restartUncounted(int broker) {
        cluster.restart(broker);
        Reply<Lookup<FetchPosition>> asked = askPosition(broker);
        assertThat(asked.isDone()).isFalse();
        ManualInSync.Asked proposed = cluster.world(broker).inSync.last();
        assertThat(proposed.proposal().inSync()).doesNotContainKey(broker);
        proposed.accept();
        cluster.world(broker).settle();
        assertThat(require(asked)).isInstanceOf(Lookup.Found.class);
    }

    private Reply<Lookup<FetchPosition>> askPosition(int broker) {
        Reply<Lookup<FetchPosition>> asked =
                cluster.on(broker).fetchPosition(cluster.world(broker).home);
        cluster.world(broker).settle();
        return asked;
    }

    private List<String> files(int broker) {
        return cluster.world(broker).disk.list("orders-0").stream().sorted().toList();
    }

    private void deleteSegment(int broker, long base) {
        cluster.world(broker).disk.delete("orders-0/%020d.log".formatted(base));
    }

    private long secondSegment(int broker) {
        return cluster.world(broker).disk.list("orders-0").stream()
                .filter(name -> name.endsWith(".log"))
                .map(name -> Long.parseLong(name.substring(0, 20)))
                .filter(base -> base > 0)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aFollowerWhoseFolderWasDeletedIsCopiedAnew() {
        deleteFolder(1);
        restartUncounted(1);
        assertThat(cluster.position(1)).isEqualTo(new FetchPosition(0, 0, -1));
        cluster.catchUp(1);
        assertThat(cluster.values(1)).isEqualTo(values);
        assertThat(cluster.world(1).counters.damagesPresent.sum()).isZero();
        assertThat(cluster.world(1).counters.damages.sum()).isEqualTo(1);
        cluster.restart(1);
        assertThat(cluster.position(1).offset()).isEqualTo(RECORDS);
    }

    @Test
    void aFollowerThatLacksASegmentInTheMiddleGoesBackToTheGap() {
        long gap = secondSegment(1);
        deleteSegment(1, gap);
        restartUncounted(1);
        cluster.fetch(1);
        assertThat(cluster.position(1).offset()).isEqualTo(gap);
        cluster.catchUp(1);
        assertThat(cluster.values(1)).isEqualTo(values);
    }

    @Test
    void aFollowerWhoseLastFileIsTooShortGoesBackToItsEnd() {
        List<String> names = cluster.world(1).disk.list("orders-0");
        String last = names.stream().filter(name -> name.endsWith(".log")).toList().getLast();
        try (DiskFile file = cluster.world(1).disk.open("orders-0/" + last)) {
            file.truncate(200_100 + 1000);
        }
        restartUncounted(1);
        assertThat(cluster.position(1).offset())
                .isEqualTo(Long.parseLong(last.substring(0, 20)) + 1);
        cluster.catchUp(1);
        assertThat(cluster.values(1)).isEqualTo(values);
    }

    /// All were stopped, and the one that lost its folder is the first that is back.
    @Test
    void aHollowReplicaDoesNotLeadWhileAnotherIsInSync() {
        deleteFolder(1);
        cluster.elect(1, 0, 1, 2);
        cluster.restart(1);
        Reply<AppendOutcome> append = cluster.append(1, Acks.LEADER, "new");
        cluster.world(1).settle();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Failed.class);
        assertThat(cluster.world(1).counters.damagesPresent.sum()).isEqualTo(1);
        ManualInSync.Asked asked = cluster.world(1).inSync.last();
        SortedMap<Integer, Long> others = new TreeMap<>(java.util.Map.of(0, 70L, 2, 72L));
        assertThat(asked.proposal().inSync()).isEqualTo(others);

        asked.accept();
        cluster.lead(0, 0, 2);
        cluster.world(1).settle();
        Reply<Lookup<FetchPosition>> following = askPosition(1);
        cluster.world(1).inSync.last().accept();
        cluster.world(1).settle();
        assertThat(require(following)).isInstanceOf(Lookup.Found.class);
        cluster.catchUp(1);
        assertThat(cluster.values(1)).isEqualTo(values);
        int proposals = cluster.world(1).inSync.count();
        cluster.advance(Duration.ofMinutes(1));
        cluster.settle();
        assertThat(cluster.world(1).inSync.count()).isEqualTo(proposals);
    }

    @Test
    void aResignationIsRepeatedUntilItIsAnswered() {
        deleteFolder(1);
        cluster.elect(1, 0, 1, 2);
        cluster.restart(1);
        cluster.status(1);
        assertThat(cluster.world(1).inSync.count()).isEqualTo(1);
        cluster.world(1).inSync.last().fail();
        cluster.world(1).settle();
        cluster.world(1).time.advance(Duration.ofSeconds(2));
        cluster.world(1).settle();
        assertThat(cluster.world(1).inSync.count()).isEqualTo(2);
        cluster.world(1)
                .inSync
                .last()
                .answer(new InSyncDoor.Answer.Refused("the plan has changed", false));
        cluster.world(1).settle();
        assertThat(cluster.status(1).endOffset()).isEqualTo(RECORDS);
        Reply<AppendOutcome> append = cluster.append(1, Acks.LEADER, "new");
        cluster.world(1).settle();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Failed.class);
    }

    /// As on a single node: better what there is than nothing, and no offset is given twice.
    @Test
    void theLastInSyncReplicaLeadsWithWhatItHas() {
        deleteFolder(1);
        cluster.elect(1, 1);
        cluster.restart(1);
        cluster.status(1);
        ManualInSync.Asked asked = cluster.world(1).inSync.last();
        assertThat(asked.proposal().inSync()).isEmpty();
        asked.answer(new InSyncDoor.Answer.Accepted(List.of(1), asked.proposal().change()));
        cluster.world(1).settle();
        Reply<AppendOutcome> append = cluster.append(1, Acks.LEADER, "new");
        cluster.world(1).settle();
        assertThat(require(append))
                .isInstanceOfSatisfying(
                        AppendOutcome.Acknowledged.class,
                        done -> assertThat(done.baseOffset()).isEqualTo(RECORDS));
        assertThat(cluster.world(1).counters.damagesPresent.sum()).isEqualTo(1);
    }

    /// Once it is cut nothing here tells that it lacks something: whoever elects it must know. It may be stopped at any moment.
    @Test
    void nothingIsCutBeforeTheControllerCountsWithoutIt() {
        long lost = secondSegment(1);
        deleteSegment(1, lost);
        cluster.restart(1);
        List<String> before = new ArrayList<>(files(1));
        before.remove("%020d.index".formatted(lost)); // Of nothing.
        Reply<Lookup<FetchPosition>> first = askPosition(1);
        assertThat(first.isDone()).isFalse();
        cluster.world(1)
                .inSync
                .last()
                .answer(new InSyncDoor.Answer.Refused("the plan has changed", false));
        cluster.world(1).settle();
        assertThat(require(first)).isInstanceOf(Lookup.Failed.class);
        Reply<Lookup<FetchPosition>> second = askPosition(1);
        cluster.world(1).inSync.last().fail();
        cluster.world(1).settle();
        assertThat(require(second)).isInstanceOf(Lookup.Failed.class);
        Reply<Lookup<FetchPosition>> third = askPosition(1);
        ManualInSync.Asked asked = cluster.world(1).inSync.last();
        asked.answer(new InSyncDoor.Answer.Accepted(List.of(0, 1), asked.proposal().change()));
        cluster.world(1).settle();
        assertThat(require(third)).isInstanceOf(Lookup.Failed.class);
        assertThat(files(1)).isEqualTo(before);
        restartUncounted(1);
        cluster.catchUp(1);
        assertThat(cluster.values(1)).isEqualTo(values);
    }

    /// Its leader has answered to its question in the term before, in which it was counted out: that is looked at anew.
    @Test
    void aNewTermBeginsWithTheSameQuestion() {
        deleteSegment(1, secondSegment(1));
        restartUncounted(1);
        FetchPosition asked = cluster.position(1);
        ReplicaReadOutcome answer = cluster.ask(0, 1, asked);
        cluster.lead(0, 0, 2);
        List<String> before = files(1);
        assertThat(require(cluster.take(1, asked.leaderEpoch(), answer)))
                .isInstanceOf(FollowOutcome.Stale.class);
        assertThat(askPosition(1).isDone()).isFalse();
        assertThat(files(1)).isEqualTo(before);
    }

    /// The plan names a leader that is dead: what lies behind the gap may be the last copy.
    @Test
    void whatLiesBehindAGapStaysUntilTheLeaderHasAnswered() {
        long gap = secondSegment(1);
        deleteSegment(1, gap);
        cluster.restart(1);
        cluster.status(1);
        List<String> before = files(1);
        restartUncounted(1);
        assertThat(cluster.position(1))
                .isEqualTo(new FetchPosition(0, FetchPosition.BEHIND_ALL, 0));
        cluster.advance(Duration.ofMinutes(1));
        cluster.settle();
        assertThat(files(1)).isEqualTo(before);
        assertThat(cluster.status(1).endOffset()).isEqualTo(RECORDS);

        cluster.fetch(1);
        assertThat(cluster.position(1)).isEqualTo(new FetchPosition(0, gap, 0));
    }

    /// The question how far its leader goes claims nothing, wherever the leader's log ends.
    @Test
    void aReplicaWithAGapIsNotTakenForCaughtUp() {
        deleteSegment(1, secondSegment(1));
        restartUncounted(1);
        cluster.inSync(0, 2);
        int proposals = cluster.world(0).inSync.count();
        cluster.ask(0, 1, cluster.position(1));
        cluster.world(0).settle();
        assertThat(cluster.world(0).inSync.count()).isEqualTo(proposals);
    }

    /// An unclean election: the leader lacks what is committed, and this replica has most of it behind a gap.
    @Test
    void whatLiesBehindAGapIsKeptWhereTheLeaderHasLess() {
        cluster =
                new ReplicaCluster(
                        folder.resolve("unclean"), 2, settings("segment.bytes", "1048576"));
        cluster.lead(0, 0);
        for (int i = 0; i < RECORDS; i++) {
            Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, i + LARGE);
            cluster.settle();
            assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
        }
        cluster.world(0).checkpoint();
        cluster.lead(1, 1);
        Reply<AppendOutcome> other = cluster.append(1, Acks.ALL, "other");
        cluster.settle();
        assertThat(require(other)).isInstanceOf(AppendOutcome.Acknowledged.class);

        deleteSegment(0, secondSegment(0));
        cluster.restart(0);
        cluster.status(0);
        List<String> before = files(0);
        restartUncounted(0);
        assertThat(cluster.fetch(0))
                .isInstanceOfSatisfying(
                        FollowOutcome.Failed.class,
                        failed -> assertThat(failed.sentence()).contains("Nothing was cut"));
        assertThat(cluster.on(0).isOffline()).isTrue();
        assertThat(files(0)).isEqualTo(before);
    }

    /// As on a replica without a gap: it had more than was committed when its leader died.
    @Test
    void whatWasNeverCommittedIsGivenUpBehindAGapToo() {
        cluster.append(0, Acks.LEADER, "never committed");
        cluster.world(0).settle();
        cluster.world(0).checkpoint();
        cluster.elect(1, 1, 2);
        cluster.tell(1);
        cluster.tell(2);
        Reply<AppendOutcome> append = cluster.append(1, Acks.ALL, "after");
        cluster.world(1).settle();
        cluster.fetch(2);
        cluster.fetch(2);
        cluster.settle();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
        deleteSegment(0, secondSegment(0));
        restartUncounted(0);
        cluster.catchUp(0);
        values.add("after");
        assertThat(cluster.values(0)).isEqualTo(values);
    }

    /// An operator has ordered an unclean election, and followed what this replica said then.
    @Test
    void aReplicaWhoseLeaderHasLessIsCopiedAnewOnceItsFolderIsDeleted() {
        cluster = new ReplicaCluster(folder.resolve("unclean"), 2, settings());
        cluster.lead(0, 0);
        Reply<AppendOutcome> first = cluster.append(0, Acks.ALL, "a", "b", "c");
        cluster.settle();
        assertThat(require(first)).isInstanceOf(AppendOutcome.Acknowledged.class);
        cluster.world(0).checkpoint();
        cluster.lead(1, 1);
        cluster.world(1).settle();
        Reply<AppendOutcome> second = cluster.append(1, Acks.ALL, "other");
        cluster.settle();
        assertThat(require(second)).isInstanceOf(AppendOutcome.Acknowledged.class);
        assertThat(cluster.fetch(0))
                .isInstanceOfSatisfying(
                        FollowOutcome.Failed.class,
                        failed -> assertThat(failed.sentence()).contains("delete the folder"));
        assertThat(cluster.on(0).isOffline()).isTrue();

        deleteFolder(0);
        restartUncounted(0);
        cluster.catchUp(0);
        assertThat(cluster.values(0)).containsExactly("other");
    }

    /// A log that is empty has nothing to lose, wherever its watermark was.
    @Test
    void anEmptyReplicaBeginsAnewWhereItsLeaderBegins() {
        deleteFolder(1);
        cluster.world(0).time.advance(Duration.ofDays(1));
        Reply<DeleteOutcome> deleted = cluster.on(0).deleteBefore(7, cluster.world(0).home);
        cluster.world(0).settle();
        assertThat(require(deleted)).isInstanceOf(DeleteOutcome.Deleted.class);
        restartUncounted(1);
        cluster.catchUp(1);
        assertThat(cluster.status(1).startOffset()).isEqualTo(7);
        assertThat(cluster.values(1)).isEqualTo(values.subList(7, RECORDS));
    }
}
