package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.batch;
import static io.sluice.partition.PartitionWorld.batchFrom;
import static io.sluice.partition.PartitionWorld.require;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.log.TopicSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A leader that may have been replaced without having heard of it, and those who wait for it.
class DoubtTest {
    @TempDir Path folder;
    private ReplicaCluster cluster;

    @BeforeEach
    void begin() {
        cluster = new ReplicaCluster(folder, 2, TopicSettings.defaults());
        cluster.lead(0, 0, 1);
        cluster.catchUp(1);
    }

    private Reply<AppendOutcome> send(int sequence) {
        PartitionWorld leader = cluster.world(0);
        Reply<AppendOutcome> reply =
                cluster.on(0)
                        .append(
                                batchFrom(1, sequence, "value " + sequence),
                                Acks.ALL,
                                PartitionWorld.TIMEOUT_MILLIS,
                                leader.home);
        leader.turn();
        return reply;
    }

    /// Cut off from the others, and not from its clients: another one leads by now, and a producer that waits here would only be sent there by its own time-out.
    @Test
    void producersAreSentToAskTheOthersWhileNobodySaysWhoLeads() {
        PartitionWorld leader = cluster.world(0);
        Reply<AppendOutcome> append = send(0);
        leader.settle();
        leader.time.advance(Shard.DOUBT_CHECK.multipliedBy(4));
        leader.turn();
        assertThat(append.isDone()).as("as long as it is known who leads").isFalse();

        leader.certain = false;
        leader.time.advance(Shard.DOUBT_CHECK.dividedBy(2));
        Reply<AppendOutcome> later = send(1);
        leader.time.advance(Shard.DOUBT_CHECK.dividedBy(2));
        leader.turn();
        assertThat(require(append))
                .isInstanceOfSatisfying(
                        AppendOutcome.Failed.class,
                        failed -> assertThat(failed.why()).isEqualTo(Unavailable.NOT_LEADER));
        assertThat(later.isDone()).as("a round through followers takes a moment").isFalse();
        leader.time.advance(Shard.DOUBT_CHECK);
        leader.turn();
        assertThat(later.isDone()).isTrue();
    }

    /// The plan says nothing new: the same leader has what was sent, and says so when it is safe.
    @Test
    void whatWasSentAgainAfterADoubtIsAcknowledgedOnce() {
        PartitionWorld leader = cluster.world(0);
        leader.certain = false;
        send(0);
        leader.time.advance(Shard.DOUBT_CHECK.multipliedBy(2));
        leader.turn();
        leader.certain = true;
        Reply<AppendOutcome> again = send(0);
        leader.settle();
        cluster.fetch(1);
        cluster.fetch(1);
        leader.turn();
        assertThat(require(again)).isEqualTo(new AppendOutcome.Acknowledged(0, -1, 0));
        assertThat(cluster.values(0)).containsExactly("value 0");
    }

    /// Coordinators: what they have written is theirs until they hear that their term is over.
    @Test
    void whoWaitsAsLongAsItTakesIsNotSentAway() {
        PartitionWorld leader = cluster.world(0);
        leader.certain = false;
        Reply<Lookup<LocalPartition>> opened = cluster.on(0).local();
        leader.settle();
        List<AppendOutcome> settled = new ArrayList<>();
        if (require(opened) instanceof Lookup.Found(LocalPartition local)) {
            leader.owner.post(() -> local.append(batch("a"), settled::add));
        }
        leader.settle();
        leader.time.advance(Shard.DOUBT_CHECK.multipliedBy(4));
        leader.turn();
        assertThat(cluster.status(0).endOffset()).isEqualTo(1);
        assertThat(settled).isEmpty();
    }
}
