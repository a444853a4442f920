package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Q27: new replicas first, and the old ones go when the new ones have caught up.
class MovesTest {
    private static final TopicRules RULES = new TopicRules(2, false, false);
    private static final Set<Integer> LIVE = Set.of(1, 2, 3, 4, 5, 6);
    private final PartitionPlan plan =
            new PartitionPlan(
                    List.of(1, 2, 3), 1, 5, List.of(1, 2, 3), List.of(), List.of(), List.of(), 7);

    private static PartitionPlan finish(PartitionPlan moving) {
        return Moves.finish(moving, LIVE::contains, RULES);
    }

    private static PartitionPlan inSync(PartitionPlan moving, Integer... brokers) {
        return moving.counting(List.of(brokers), List.of());
    }

    @Test
    void thereAreMoreReplicasUntilTheNewOnesHaveCaughtUp() {
        PartitionPlan moving = Moves.begin(plan, List.of(4, 2, 5));
        assertThat(moving.replicas()).containsExactly(4, 2, 5, 1, 3);
        assertThat(moving.adding()).containsExactly(4, 5);
        assertThat(moving.removing()).containsExactly(1, 3);
        assertThat(moving.inSync()).containsExactly(1, 2, 3);
        assertThat(moving.leader()).isEqualTo(1);
        assertThat(finish(moving)).isSameAs(moving);
        PartitionPlan half = inSync(moving, 1, 2, 3, 4);
        assertThat(finish(half)).isSameAs(half);
        PartitionPlan done = finish(inSync(moving, 1, 2, 3, 4, 5));
        assertThat(done.replicas()).containsExactly(4, 2, 5);
        assertThat(done.inSync()).containsExactlyInAnyOrder(2, 4, 5);
        assertThat(done.leader()).as("the old leader has gone").isEqualTo(4);
        assertThat(done.leaderEpoch()).isEqualTo(6);
        assertThat(done.isMoving()).isFalse();
    }

    @Test
    void theLeaderStaysIfItIsToStay() {
        PartitionPlan done = finish(inSync(Moves.begin(plan, List.of(4, 1, 2)), 1, 2, 3, 4));
        assertThat(done.leader()).isEqualTo(1);
    }

    /// Whoever was taken away and is added again has nothing, and its broker has lived on: only the term tells a fetch of its time before from one of now.
    @Test
    void aNewTermBeginsWhenAReplicaGoes() {
        PartitionPlan moving = Moves.begin(plan, List.of(1, 2, 4));
        assertThat(moving.leaderEpoch()).as("nobody has gone").isEqualTo(5);
        PartitionPlan back = Moves.takeBack(moving, LIVE::contains);
        assertThat(back).isNotNull();
        assertThat(back.leader()).isEqualTo(1);
        assertThat(back.leaderEpoch()).isEqualTo(6);
        assertThat(Moves.begin(back, List.of(1, 2, 4)).leaderEpoch()).isEqualTo(6);
        assertThat(Moves.begin(moving, List.of(1, 2, 5)).leaderEpoch())
                .as("4 goes at once")
                .isEqualTo(6);
        assertThat(finish(inSync(moving, 1, 2, 3, 4)).leaderEpoch()).isEqualTo(6);
    }

    @Test
    void fewerReplicasNeedNoWait() {
        assertThat(finish(Moves.begin(plan, List.of(1, 2))).replicas()).containsExactly(1, 2);
    }

    @Test
    void theOldOnesStayWhileTooFewOthersAreInSync() {
        PartitionPlan shrinking = inSync(Moves.begin(plan, List.of(1, 2)), 1, 3);
        assertThat(finish(shrinking)).as("1 alone could commit nothing").isSameAs(shrinking);
    }

    @Test
    void anotherOrderIsNoMoveOfData() {
        PartitionPlan turned = Moves.begin(plan, List.of(3, 1, 2));
        assertThat(turned.isMoving()).isFalse();
        assertThat(turned.replicas()).containsExactly(3, 1, 2);
        assertThat(turned.leader()).isEqualTo(1);
    }

    @Test
    void aMoveThatIsTakenBackLeavesTheOldReplicas() {
        PartitionPlan moving = inSync(Moves.begin(plan, List.of(4, 2, 5)), 1, 2, 3, 4);
        PartitionPlan back = Moves.takeBack(moving, LIVE::contains);
        assertThat(back).isNotNull();
        assertThat(back.replicas()).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(back.inSync()).containsExactly(1, 2, 3);
        assertThat(back.isMoving()).isFalse();
        PartitionPlan led = moving.led(4, List.of(4, 2), List.of());
        PartitionPlan other = Moves.takeBack(led, LIVE::contains);
        assertThat(other).isNotNull();
        assertThat(other.leader()).isEqualTo(2);
        PartitionPlan onlyNew = moving.led(4, List.of(4), List.of());
        assertThat(Moves.takeBack(onlyNew, LIVE::contains)).as("it would lose data").isNull();
        assertThat(Moves.takeBack(led, Set.of(4)::contains)).as("nobody could lead").isNull();
    }

    @Test
    void aMoveCanBeTurnedToAnotherGoal() {
        PartitionPlan moving = inSync(Moves.begin(plan, List.of(4, 5, 3)), 1, 2, 3, 4);
        PartitionPlan turned = Moves.begin(moving, List.of(6, 2, 3));
        assertThat(turned.adding()).containsExactly(6);
        assertThat(turned.replicas()).as("4 is in sync, 5 is not").containsExactly(6, 2, 3, 4, 1);
        assertThat(turned.removing()).containsExactly(4, 1);
        PartitionPlan done = finish(inSync(turned, 1, 2, 3, 4, 6));
        assertThat(done.replicas()).containsExactly(6, 2, 3);
    }
}
