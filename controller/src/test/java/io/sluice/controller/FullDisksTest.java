package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A broker whose disk is full says so with its signs of life, and leads nothing that another can until it has room again.
class FullDisksTest {
    private final ClusterWorld world = new ClusterWorld();

    private static Duration seconds(int count) {
        return Duration.ofSeconds(count);
    }

    private void begin() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1), List.of(3, 2, 1)));
        world.create("alone", List.of(List.of(2)));
    }

    private void full(int broker, boolean full) {
        world.of(broker).isDiskFull = full;
        world.pass(seconds(1));
    }

    @Test
    void itsPartitionsAreHandedOverAndItStaysInSync() {
        begin();
        full(2, true);
        PartitionPlan led = world.partition("orders", 0);
        assertThat(led.leader()).isEqualTo(3);
        assertThat(led.leaderEpoch()).isEqualTo(1);
        assertThat(led.inSync()).containsExactly(2, 3, 1);
        assertThat(world.partition("orders", 1).leaderEpoch()).as("led by 3 before").isZero();
        assertThat(world.partition("alone", 0).leader()).as("nobody else has it").isEqualTo(2);
        assertThat(world.of(1).view().isDiskFull(2)).as("everybody sees it").isTrue();
    }

    @Test
    void itDoesNotLeadAgainBeforeItHasRoom() {
        begin();
        full(2, true);
        world.pass(world.settings.balanceInterval().plus(seconds(5)));
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        List<PartitionAnswer> asked =
                world.settled(
                        world.active()
                                .controller
                                .electLeaders(
                                        ElectionKind.PREFERRED,
                                        List.of(new PartitionId("orders", 0)),
                                        world.client));
        assertThat(asked.getFirst().refused())
                .satisfies(
                        refused -> {
                            assertThat(refused).isNotNull();
                            assertThat(refused.reason()).isEqualTo(Reason.NO_LEADER_POSSIBLE);
                            assertThat(refused.sentence()).contains("disk is full");
                        });

        full(2, false);
        assertThat(world.of(1).view().isDiskFull(2)).isFalse();
        world.pass(seconds(5));
        assertThat(world.partition("orders", 0).leader()).as("balanced soon").isEqualTo(2);
    }

    @Test
    void theNextControllerKnowsIt() {
        begin();
        full(2, true);
        world.of(2).isMute = true;
        world.kill(1);
        world.pass(seconds(1));
        assertThat(world.active().id).isNotEqualTo(1);
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        assertThat(world.active().view().isDiskFull(2)).isTrue();
    }

    @Test
    void aNewLifeBeginsWithoutTheNote() {
        begin();
        full(2, true);
        world.kill(2);
        world.start(2);
        world.pass(seconds(1));
        assertThat(world.of(1).view().isDiskFull(2)).isFalse();
    }

    /// What is written of it would go to the disk that is full.
    @Test
    void nothingIsNotedOfABrokerAlone() {
        world.start(1);
        world.create("orders", 1, 1);
        int commits = world.store.commits.size();
        full(1, true);
        assertThat(world.store.commits).hasSize(commits);
        assertThat(world.of(1).view().isDiskFull(1)).isFalse();
    }

    @Test
    void whereAllAreFullNobodyYields() {
        begin();
        for (int id = 1; id <= 3; id++) {
            world.of(id).isDiskFull = true;
        }
        world.pass(seconds(2));
        int epoch = world.partition("orders", 0).leaderEpoch();
        world.pass(world.settings.balanceInterval().plus(seconds(5)));
        assertThat(world.partition("orders", 0).leaderEpoch()).isEqualTo(epoch);
        assertThat(world.partition("orders", 0).hasLeader()).isTrue();
    }
}
