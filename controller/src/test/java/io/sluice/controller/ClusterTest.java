package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/// Several brokers over one store: who is the controller, and what becomes of partitions when brokers come and go.
class ClusterTest {
    private final ClusterWorld world = new ClusterWorld();

    private static Duration seconds(int count) {
        return Duration.ofSeconds(count);
    }

    @Test
    void aBrokerAloneIsTheControllerAtOnce() {
        ClusterWorld.Process one = world.start(1);
        assertThat(one.joined.isDone()).as("without any time passing").isTrue();
        assertThat(one.controller.isActive()).isTrue();
        assertThat(one.view().brokers()).map(BrokerView::id).containsExactly(1);
        assertThat(one.view().controllerId()).isEqualTo(1);
        assertThat(one.view().controllerEpoch()).isZero();
    }

    @Test
    void threeBrokersFindEachOtherAndOneIsActive() {
        world.startAll(1, 2, 3);
        for (ClusterWorld.Process process : world.processes.values()) {
            assertThat(process.view().brokers()).map(BrokerView::id).containsExactly(1, 2, 3);
            assertThat(process.view().controllerId()).isEqualTo(1);
            assertThat(process.controller.isActive()).isEqualTo(process.id == 1);
        }
        TopicPlan plan = world.create("orders", 6, 3);
        assertThat(plan.partitions()).map(PartitionPlan::leader).containsExactly(1, 2, 3, 1, 2, 3);
        assertThat(world.of(3).view().findTopic("orders")).isEqualTo(plan);
    }

    @Test
    void aBrokerThatDiesLeadsNothingAnyMoreAtOnce() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1), List.of(1, 2, 3)));
        world.kill(2);
        PartitionPlan led = world.partition("orders", 0);
        assertThat(led.leader()).as("its listener refuses: no timeout was needed").isEqualTo(3);
        assertThat(led.leaderEpoch()).isEqualTo(1);
        assertThat(led.inSync()).containsExactly(3, 1);
        assertThat(world.partition("orders", 1).inSync()).containsExactly(1, 3);
        assertThat(world.of(3).view().brokers()).map(BrokerView::id).containsExactly(1, 3);
    }

    @Test
    void aBrokerThatIsNotHeardOfLosesItsLeadershipAfterTheTimeout() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1)));
        world.pause(2, true);
        world.pass(seconds(2));
        assertThat(world.partition("orders", 0).leader()).isEqualTo(2);
        world.pass(seconds(2));
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        world.pause(2, false);
        world.pass(seconds(1));
        assertThat(world.of(1).view().isLive(2)).as("heard of again").isTrue();
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
    }
}
