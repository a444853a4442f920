package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination.Change;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Replicas move while the cluster runs: asked for, taken back, by drains, and because a broker stays away (Q26, Q27).
class MovesInClusterTest {
    private final ClusterWorld world = new ClusterWorld();
    private final PartitionId first = new PartitionId("orders", 0);

    private PartitionAnswer move(PartitionId partition, @Nullable List<Integer> replicas) {
        return world.settled(
                        world.active()
                                .controller
                                .reassign(
                                        List.of(new MoveRequest(partition, replicas)),
                                        world.client))
                .getFirst();
    }

    /// Followers of moving partitions catch up until nothing moves any more.
    private void catchUp(String topic, int partitions) {
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < partitions; i++) {
                PartitionPlan plan = world.partition(topic, i);
                List<Integer> live = new ArrayList<>(plan.replicas());
                live.removeIf(id -> !world.processes.containsKey(id));
                if (plan.isMoving() && !plan.inSync().containsAll(live)) {
                    world.alter(topic, i, live.toArray(Integer[]::new));
                }
            }
        }
    }

    @Test
    void aReplicaIsAddedBeforeOneIsRemoved() {
        world.startAll(1, 2, 3, 4);
        world.create("orders", List.of(List.of(1, 2, 3)));
        assertThat(move(first, List.of(4, 2, 3)).isDone()).isTrue();
        PartitionPlan moving = world.partition("orders", 0);
        assertThat(moving.replicas()).containsExactly(4, 2, 3, 1);
        assertThat(moving.leader()).isEqualTo(1);
        assertThat(world.of(3).view().moves())
                .containsExactly(
                        new Move(first, List.of(4, 2, 3, 1), List.of(4), List.of(1), false));
        world.pass(Duration.ofSeconds(5));
        assertThat(world.partition("orders", 0).replicas()).as("4 is not in sync").hasSize(4);
        world.alter("orders", 0, 1, 2, 3, 4);
        PartitionPlan done = world.partition("orders", 0);
        assertThat(done.replicas()).containsExactly(4, 2, 3);
        assertThat(done.leader()).isIn(2, 3, 4);
        assertThat(world.of(3).view().moves()).isEmpty();
    }

    @Test
    void aMoveIsTakenBack() {
        world.startAll(1, 2, 3, 4);
        world.create("orders", List.of(List.of(1, 2, 3)));
        assertThat(refusal(move(first, null))).isEqualTo(Reason.NO_MOVE);
        move(first, List.of(4, 2, 3));
        assertThat(move(first, null).isDone()).isTrue();
        PartitionPlan back = world.partition("orders", 0);
        assertThat(back.isMoving()).isFalse();
        assertThat(back.replicas()).containsExactlyInAnyOrder(1, 2, 3);
    }

    @Test
    void aLimitForMovesIsKnownToAllAndToTheNextController() {
        world.startAll(1, 2, 3);
        assertThat(world.of(2).view().moveLimit()).isEmpty();
        for (long limit : new long[] {5_000_000, 0, 7_000_000}) {
            world.settled(world.active().controller.limitMoves(limit, world.client));
            assertThat(world.of(2).view().moveLimit()).hasValue(limit);
        }
        world.kill(1);
        world.pass(Duration.ofSeconds(1));
        assertThat(world.active().controller.view().moveLimit()).hasValue(7_000_000);
        world.settled(world.active().controller.limitMoves(-1, world.client));
        assertThat(world.of(3).view().moveLimit()).isEmpty();
    }

    private static Reason refusal(PartitionAnswer answer) {
        return answer.refused() == null ? Reason.INTERNAL_TOPIC : answer.refused().reason();
    }

    @Test
    void whatCannotBeMovedIsRefused() {
        world.startAll(1, 2);
        world.create("orders", List.of(List.of(1)));
        assertThat(refusal(move(first, List.of(9)))).isEqualTo(Reason.INVALID_ASSIGNMENT);
        assertThat(refusal(move(first, List.of(2, 2)))).isEqualTo(Reason.INVALID_ASSIGNMENT);
        assertThat(refusal(move(first, List.of()))).isEqualTo(Reason.INVALID_ASSIGNMENT);
        assertThat(refusal(move(new PartitionId("orders", 1), List.of(2))))
                .isEqualTo(Reason.UNKNOWN_PARTITION);
    }

    private ControllerSettings atATime(int moves) {
        return with(moves, world.settings.commitBytes());
    }

    private ControllerSettings with(int moves, int commitBytes) {
        ControllerSettings usual = world.settings;
        return new ControllerSettings(
                usual.heartbeatInterval(),
                usual.heartbeatTimeout(),
                usual.replaceAfter(),
                usual.balanceInterval(),
                moves,
                commitBytes);
    }

    /// As long as the store would count it, more or less.
    private static int bytes(List<Change> commit) {
        int bytes = 0;
        for (Change change : commit) {
            bytes += 160 + change.path().length();
            bytes +=
                    switch (change) {
                        case Change.Create create -> create.value().length();
                        case Change.Set set -> set.value().length();
                        case Change.Delete _, Change.Check _ -> 0;
                    };
        }
        return bytes;
    }

    private int largestCommit() {
        return world.store.commits.stream().mapToInt(MovesInClusterTest::bytes).max().orElse(0);
    }

    @Test
    void onlySoManyMoveAtATimeAndTheRestIsKeptForTheNextController() {
        world.settings = atATime(2);
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2), List.of(2), List.of(2), List.of(2)));
        List<MoveRequest> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(new MoveRequest(new PartitionId("orders", i), List.of(3)));
        }
        world.settled(world.active().controller.reassign(all, world.client));
        assertThat(world.of(2).view().moves())
                .map(Move::waiting)
                .containsExactly(false, false, true, true);
        world.kill(1);
        world.pass(Duration.ofSeconds(1));
        world.alter("orders", 0, 2, 3);
        assertThat(world.of(2).view().moves())
                .map(move -> move.partition().index() + ":" + move.waiting())
                .containsExactly("1:false", "2:false", "3:true");
        catchUp("orders", 4);
        assertThat(world.of(2).view().moves()).isEmpty();
        assertThat(world.partition("orders", 3).replicas()).containsExactly(3);
        assertThat(world.store.nodes).doesNotContainKey("/moves/orders");
    }

    @Test
    void aDrainedBrokerKeepsNothingAndCanBeRemoved() {
        world.startAll(1, 2, 3, 4);
        world.create("orders", 12, 3);
        BrokerOutcome outcome =
                world.settled(
                        world.active()
                                .controller
                                .execute(new BrokerCommand.Drain(4), world.client));
        assertThat(outcome).isEqualTo(new BrokerOutcome.Done());
        catchUp("orders", 12);
        assertThat(Repairs.replicasOn(world.of(1).view(), 4)).isZero();
        for (int i = 0; i < 12; i++) {
            assertThat(world.partition("orders", i).replicas()).hasSize(3);
        }
        assertThat(world.create("later", 6, 3).partitions())
                .allMatch(partition -> !partition.replicas().contains(4));
        assertThat(remove(4)).as("it is running").isInstanceOf(BrokerOutcome.Refused.class);
        world.kill(4);
        world.sessionsOfTheDead(4).forEach(SharedStore.Session::end);
        world.time.settle();
        assertThat(remove(4)).isEqualTo(new BrokerOutcome.Done());
        assertThat(world.of(1).view().members()).containsOnlyKeys(1, 2, 3);
        assertThat(remove(9)).isInstanceOf(BrokerOutcome.Refused.class);
    }

    /// Of a broker that was away while topics came and went for a year.
    @Test
    void notesThatWaitForARemovedBrokerGoInPortionsAlsoWhenTheControllerDies() {
        int most = 4_000;
        world.settings = with(20, most);
        world.startAll(1, 2, 3, 4);
        world.kill(4);
        world.sessionsOfTheDead(4).forEach(SharedStore.Session::end);
        world.time.settle();
        for (int i = 0; i < 100; i++) {
            world.create("topic-" + i, List.of(List.of(1, 2, 3)));
            world.execute(new TopicCommand.Delete("topic-" + i));
        }
        assertThat(notes()).isEqualTo(100L);
        world.store.commits.clear();
        SharedStore.Session slow = world.of(1).session;
        slow.isPatient = true;
        world.active().controller.execute(new BrokerCommand.Remove(4), world.client);
        world.time.settle();
        slow.letThrough();
        world.time.settle();
        slow.letThrough();
        world.time.settle();
        assertThat(world.store.nodes).as("first of all").doesNotContainKey("/members/4");
        assertThat(notes()).as("a portion").isBetween(1L, 99L);
        world.kill(1);
        world.pass(Duration.ofSeconds(1));
        assertThat(notes()).isZero();
        assertThat(world.of(2).view().members()).containsOnlyKeys(1, 2, 3);
        assertThat(largestCommit()).isLessThanOrEqualTo(most);
        world.create("topic-7", List.of(List.of(2, 3)));
    }

    private long notes() {
        return world.store.nodes.keySet().stream()
                .filter(path -> path.startsWith("/deletions/"))
                .count();
    }

    @Test
    void ofMoreMovesThanOneCommitTakesTheRestIsAskedForAgain() {
        int most = 4_000;
        world.settings = with(1, most);
        world.startAll(1, 2, 3);
        List<PartitionId> left = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            world.create("topic-" + i, List.of(List.of(2)));
            left.add(new PartitionId("topic-" + i, 0));
        }
        world.store.commits.clear();
        for (int round = 0; !left.isEmpty(); round++) {
            List<PartitionAnswer> answers =
                    world.settled(
                            world.active()
                                    .controller
                                    .reassign(
                                            left.stream()
                                                    .map(id -> new MoveRequest(id, List.of(3)))
                                                    .toList(),
                                            world.client));
            assertThat(left.removeIf(id -> answers.contains(PartitionAnswer.done(id)))).isTrue();
            assertThat(round == 0 && left.isEmpty()).as("too much for one commit").isFalse();
        }
        assertThat(world.of(1).view().moves()).hasSize(30);
        assertThat(largestCommit()).isLessThanOrEqualTo(most);
    }

    private BrokerOutcome remove(int broker) {
        return world.settled(
                world.active().controller.execute(new BrokerCommand.Remove(broker), world.client));
    }

    @Test
    void replicasOfABrokerThatStaysAwayAreMadeAnew() {
        world.startAll(1, 2, 3, 4);
        world.create("orders", List.of(List.of(1, 2, 3)));
        world.kill(3);
        world.pass(Duration.ofMinutes(9));
        assertThat(world.partition("orders", 0).replicas()).containsExactly(1, 2, 3);
        world.pass(Duration.ofMinutes(2));
        assertThat(world.partition("orders", 0).adding()).containsExactly(4);
        catchUp("orders", 1);
        assertThat(world.partition("orders", 0).replicas()).containsExactly(1, 2, 4);
    }

    /// Two of two moves under way are to a broker that dies: they are turned to another one, and meanwhile nobody waits for them.
    @Test
    void movesToABrokerThatStaysAwayGoElsewhereAndHoldNobodyUp() {
        world.settings = atATime(2);
        world.startAll(1, 2, 3, 4, 5);
        world.create("orders", List.of(List.of(1, 2), List.of(1, 2), List.of(1, 3)));
        move(first, List.of(1, 4));
        move(new PartitionId("orders", 1), List.of(1, 4));
        world.kill(4);
        world.pass(Duration.ofSeconds(10));
        assertThat(world.partition("orders", 0).adding()).containsExactly(4);
        assertThat(move(new PartitionId("orders", 2), List.of(1, 5)).isDone()).isTrue();
        assertThat(world.partition("orders", 2).adding()).containsExactly(5);
        catchUp("orders", 3);
        assertThat(world.partition("orders", 2).replicas()).containsExactly(1, 5);
        world.kill(2);
        world.pass(Duration.ofMinutes(11));
        for (int i = 0; i < 2; i++) {
            assertThat(world.partition("orders", i).adding()).isNotEmpty().doesNotContain(4);
        }
        catchUp("orders", 3);
        for (int i = 0; i < 3; i++) {
            PartitionPlan healed = world.partition("orders", i);
            assertThat(healed.isMoving()).isFalse();
            assertThat(healed.replicas()).hasSize(2).doesNotContain(2, 4);
            assertThat(healed.inSync()).hasSize(2);
        }
    }

    /// It waits for a broker that does not come, and its other replicas must be looked after all the same.
    @Test
    void aMoveThatCannotBeginKeepsNothingFromBeingHealed() {
        world.startAll(1, 2, 3, 4);
        world.create("orders", List.of(List.of(1, 2)));
        world.kill(4);
        world.pass(Duration.ofSeconds(10));
        move(first, List.of(1, 4));
        assertThat(world.of(1).view().moves()).map(Move::waiting).containsExactly(true);
        world.kill(2);
        world.pass(Duration.ofMinutes(11));
        assertThat(world.partition("orders", 0).adding()).containsExactly(3);
    }

    @Test
    void theGraceIsCountedOnByTheNextController() {
        world.startAll(1, 2, 3, 4);
        world.create("orders", List.of(List.of(2, 3, 4)));
        world.kill(4);
        world.pass(Duration.ofMinutes(8));
        world.kill(1);
        world.start(1);
        assertThat(world.of(2).view().isLive(4))
                .as("a new controller does not hold the dead for alive")
                .isFalse();
        world.pass(Duration.ofMinutes(3));
        assertThat(world.partition("orders", 0).adding()).containsExactly(1);
    }

    @Test
    void aNewBrokerGetsItsShareWhenAsked() {
        world.startAll(1, 2, 3);
        world.create("orders", 8, 3);
        world.start(4);
        List<MoveRequest> proposed =
                world.settled(world.active().controller.rebalance(true, world.client));
        assertThat(proposed).hasSize(6);
        assertThat(world.of(1).view().moves()).as("only proposed").isEmpty();
        world.settled(world.active().controller.rebalance(false, world.client));
        catchUp("orders", 8);
        assertThat(Repairs.replicasOn(world.of(1).view(), 4)).isEqualTo(6);
        assertThat(world.of(1).view().moves()).isEmpty();
    }

    @Test
    void moreAndFewerReplicas() {
        world.startAll(1, 2, 3);
        world.create("orders", 3, 1);
        world.execute(new TopicCommand.ChangeReplication("orders", 3));
        catchUp("orders", 3);
        for (int i = 0; i < 3; i++) {
            assertThat(world.partition("orders", i).replicas()).hasSize(3);
            assertThat(world.partition("orders", i).leader()).isEqualTo(i + 1);
        }
        world.execute(new TopicCommand.ChangeReplication("orders", 2));
        for (int i = 0; i < 3; i++) {
            assertThat(world.partition("orders", i).replicas()).hasSize(2);
            assertThat(world.partition("orders", i).leader()).isEqualTo(i + 1);
        }
    }
}
