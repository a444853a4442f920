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
        cluster.restart(1);
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
        cluster.world(1).disk.delete("orders-0/%020d.log".formatted(gap));
        cluster.restart(1);
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
        cluster.restart(1);
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

    /// Its leader goes before it has got everything back: what it has is whole by now, and still not all.
    @Test
    void aReplicaThatIsBeingFilledAgainDoesNotLead() {
        deleteFolder(1);
        cluster.restart(1);
        cluster.fetch(1);
        assertThat(cluster.position(1).offset()).isBetween(1L, RECORDS - 1L);
        cluster.lead(1, 0, 1, 2);
        cluster.world(1).settle();
        assertThat(cluster.world(1).inSync.last().proposal().inSync()).doesNotContainKey(1);
        cluster.lead(0, 0, 2);
        cluster.catchUp(1);
        cluster.lead(1, 0, 1, 2);
        cluster.world(1).settle();
        Reply<AppendOutcome> append = cluster.append(1, Acks.LEADER, "new");
        cluster.world(1).settle();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
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
        cluster.restart(0);
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
        cluster.restart(1);
        cluster.catchUp(1);
        assertThat(cluster.status(1).startOffset()).isEqualTo(7);
        assertThat(cluster.values(1)).isEqualTo(values.subList(7, RECORDS));
    }
}
