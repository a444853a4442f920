package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Four real brokers change their shape under a producer and a consumer group: replicas move, a broker is emptied and taken in again, partitions are added, a broker is lost for good.
/// No operation of a client fails.
///
/// Shows Q26, Q27 and Q29 with processes.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class ReshapeIT {
    private static final int BROKERS = 4;
    private static final int PARTITIONS = 3;
    private static final int MORE_PARTITIONS = 6;
    private static final int DRAINED = 3;
    private static final int LOST = 2;

    /// Steady, and little: what is shown here is not how much they can carry.
    private static final int PER_SECOND = 1_500;

    /// Nothing that has messages is ever copied at this rate.
    private static final int BYTES_PER_SECOND = 1;

    /// Clients look for new partitions every five minutes otherwise.
    private static final Map<String, Object> ATTENTIVE =
            Map.of(CommonClientConfigs.METADATA_MAX_AGE_CONFIG, 1_000L);

    private final SluiceCluster cluster;

    ReshapeIT(@TempDir Path folder) {
        cluster = new SluiceCluster(folder, BROKERS, "--cluster.replace-after=5s").start();
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    @Test
    @DisplayName(
            "Q26, Q27, Q29: replicas move, a broker is drained, one is lost for good, partitions are added; everything acknowledged is read once and in order, nothing fails")
    void clientsNoticeNothing() {
        ReplicatedTopic topic = ReplicatedTopic.create(cluster, "reshaped", PARTITIONS);
        Map<String, Object> patient = new HashMap<>(AcknowledgedLoad.PATIENT);
        patient.putAll(ATTENTIVE);
        try (Admin admin = topic.admin();
                AcknowledgedLoad load = topic.load(patient, PER_SECOND);
                GroupReader reader =
                        new GroupReader(cluster.bootstrap(), topic.name(), ATTENTIVE)) {
            Operator operator = new Operator(admin);
            load.awaitProgress(PER_SECOND, cluster::output);
            aReplicaMoves(new TopicPartition(topic.name(), 0), operator, load);
            aMoveIsTakenBack(new TopicPartition(topic.name(), 1), operator, load);
            theFirstReplicaIsElected(new TopicPartition(topic.name(), 2), operator);
            aBrokerIsEmptiedAndTakenInAgain(operator, load);
            partitionsAreAdded(topic.name(), operator, load, reader);
            aBrokerIsLostForGood(operator, load);
            load.awaitProgress(PER_SECOND, cluster::output);
            load.finish();
            Map<Integer, List<String>> stored =
                    new ReplicatedTopic(cluster, topic.name(), MORE_PARTITIONS)
                            .requireStoredOnce(load);
            long all = stored.values().stream().mapToLong(List::size).sum();
            Eventually.holds(
                    () -> reader.count() + " of " + all + " read, " + reader.failures(),
                    () -> reader.count() >= all);
            assertThat(reader.failures()).isEmpty();
            assertThat(reader.values()).as("once and in order").isEqualTo(stored);
        }
    }

    /// The new one first, then the old one goes (Q27). Held back, so that it can be seen on its way; lifting the limit is enough to have it done.
    private void aReplicaMoves(TopicPartition one, Operator operator, AcknowledgedLoad load) {
        List<Integer> before = operator.replicas(one);
        int old = before.getFirst();
        int fresh = brokerBeside(before);
        List<Integer> target = List.of(fresh, before.get(1), before.get(2));
        operator.limitMoves(BYTES_PER_SECOND);
        operator.move(one, target);
        awaitListed(one, fresh, old, operator);
        load.awaitProgress(PER_SECOND, cluster::output);
        assertThat(operator.moves()).as("held back").containsKey(one);
        assertThat(operator.replicas(one)).as("nobody goes yet").containsAll(before);

        operator.limitMoves(0);
        eventually(() -> operator.moves().isEmpty() && operator.replicas(one).equals(target));
        eventually(() -> !operator.stored(old).contains(one));
        assertThat(operator.stored(fresh)).contains(one);
        say("a replica moved from broker " + old + " to broker " + fresh);
    }

    private void aMoveIsTakenBack(TopicPartition one, Operator operator, AcknowledgedLoad load) {
        List<Integer> before = operator.replicas(one);
        int fresh = brokerBeside(before);
        operator.limitMoves(BYTES_PER_SECOND);
        operator.move(one, List.of(before.get(0), before.get(1), fresh));
        awaitListed(one, fresh, before.get(2), operator);
        load.awaitProgress(PER_SECOND, cluster::output);
        operator.cancel(one);
        eventually(
                () ->
                        operator.moves().isEmpty()
                                && Set.copyOf(operator.replicas(one)).equals(Set.copyOf(before)));
        eventually(() -> !operator.stored(fresh).contains(one));
        operator.limitMoves(0);
        say("a move to broker " + fresh + " was taken back");
    }

    /// On its way: one that still waits for its turn is listed, too, but has no new replica yet.
    private void awaitListed(TopicPartition one, int adding, int removing, Operator operator) {
        eventually(() -> operator.replicas(one).contains(adding));
        PartitionReassignment move = Objects.requireNonNull(operator.moves().get(one));
        assertThat(move.addingReplicas()).containsExactly(adding);
        assertThat(move.removingReplicas()).containsExactly(removing);
        assertThat(move.replicas()).contains(adding, removing).hasSize(4);
    }

    private static int brokerBeside(List<Integer> replicas) {
        for (int id = 1; id <= BROKERS; id++) {
            if (!replicas.contains(id)) {
                return id;
            }
        }
        throw new AssertionError("All brokers are among " + replicas);
    }

    /// Another order of the replicas changes no leader; an election does. The controller sees to it as well now and then: when it was faster, once more.
    private void theFirstReplicaIsElected(TopicPartition one, Operator operator) {
        eventually(
                () -> {
                    List<Integer> turned = new ArrayList<>(operator.replicas(one));
                    turned.addLast(turned.removeFirst());
                    operator.move(one, turned);
                    eventually(() -> operator.replicas(one).equals(turned));
                    boolean elected = operator.electPreferred(one).isEmpty();
                    eventually(() -> leads(turned.getFirst(), operator.describe(one)));
                    return elected;
                });
        say("the first replica was elected");
    }

    private static boolean leads(int broker, TopicPartitionInfo partition) {
        Node leader = partition.leader();
        return leader != null && leader.id() == broker;
    }

    private void aBrokerIsEmptiedAndTakenInAgain(Operator operator, AcknowledgedLoad load) {
        assertThat(operator.isFree(DRAINED)).isFalse();
        operator.drain(DRAINED);
        eventually(() -> operator.isFree(DRAINED));
        eventually(() -> operator.stored(DRAINED).isEmpty());
        load.awaitProgress(PER_SECOND, cluster::output);
        assertThat(operator.isFree(DRAINED)).as("nothing new is placed there").isTrue();
        say("broker " + DRAINED + " was drained");

        operator.takeIn(DRAINED);
        eventually(() -> operator.moves().isEmpty() && !operator.isFree(DRAINED));
        say("broker " + DRAINED + " was taken in again");
    }

    private void partitionsAreAdded(
            String topic, Operator operator, AcknowledgedLoad load, GroupReader reader) {
        Clients.result(
                operator.admin()
                        .createPartitions(Map.of(topic, NewPartitions.increaseTo(MORE_PARTITIONS)))
                        .all());
        Clients.awaitPartitions(operator.admin(), topic, MORE_PARTITIONS);
        load.spreadOver(MORE_PARTITIONS);
        Eventually.holds(
                () -> "read from " + reader.values().keySet() + ", " + reader.failures(),
                () -> reader.values().size() == MORE_PARTITIONS || !reader.failures().isEmpty());
        say("partitions were added");
    }

    private void aBrokerIsLostForGood(Operator operator, AcknowledgedLoad load) {
        assertThat(operator.isFree(LOST)).isFalse();
        cluster.broker(LOST).kill();
        load.awaitProgress(PER_SECOND, cluster::output);
        eventually(() -> operator.everything().stream().allMatch(ReshapeIT::isWholeWithoutTheLost));
        eventually(() -> operator.moves().isEmpty());
        say("what broker " + LOST + " had was made anew on the others");
    }

    private static boolean isWholeWithoutTheLost(TopicPartitionInfo partition) {
        Set<Integer> replicas = Set.copyOf(Operator.ids(partition.replicas()));
        return replicas.equals(Set.of(1, 3, 4))
                && Set.copyOf(Operator.ids(partition.isr())).equals(replicas);
    }

    private void eventually(BooleanSupplier condition) {
        Eventually.holds(cluster::output, condition);
    }

    private static void say(String what) {
        System.out.println("reshaped: " + what);
    }
}
