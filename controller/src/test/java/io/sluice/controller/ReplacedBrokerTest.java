package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A process that was part of the cluster finds another one registered under its id.
class ReplacedBrokerTest {
    private final ClusterWorld world = new ClusterWorld();

    /// It is frozen until its session is over, a machine with an empty disk has its id, and it goes on.
    private ClusterWorld.Running comeBackToATakenId() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1)));
        ClusterWorld.Running first = world.of(2);
        assertThat(first.controller.ownEpoch()).isEqualTo(first.epoch());
        world.pause(2, true);
        first.session.suspend();
        first.session.end();
        world.pass(Duration.ofSeconds(8));
        world.wipe(2);
        ClusterWorld.Running second = world.start(2);
        world.pass(Duration.ofSeconds(2));
        assertThat(second.view().isLive(2)).isTrue();
        first.isSilent = false;
        first.box.isPaused = false;
        first.session.expire();
        world.time.settle();
        return first;
    }

    @Test
    void saysNothingInTheNameOfItsSuccessor() {
        ClusterWorld.Running first = comeBackToATakenId();
        assertThat(first.view().brokerEpoch(2)).as("its clients learn where").isPositive();
        assertThat(first.controller.ownEpoch()).isEqualTo(-1);
        assertThat(first.controller.isReplaced()).isTrue();
        assertThat(first.controller.standing().isCertain()).isFalse();
        assertThat(world.of(2).controller.isReplaced()).isFalse();
        assertThat(world.of(2).controller.ownEpoch()).isEqualTo(world.of(2).epoch());
    }

    @Test
    void endsWithASentenceWhenTheOtherStays() {
        ClusterWorld.Running first = comeBackToATakenId();
        world.pass(Duration.ofSeconds(29));
        assertThat(first.controller.removed().isDone()).as("the other may go").isFalse();
        world.pass(Duration.ofSeconds(2));
        assertThat(first.controller.removed().value())
                .contains("id 2", "host2:9092", "another data directory", "node.id");
        assertThat(world.of(1).view().isLive(2)).isTrue();
        assertThat(world.of(2).controller.removed().isDone()).isFalse();
    }

    @Test
    void takesPartAgainWhenItIsAdmittedAnew() {
        ClusterWorld.Running first = comeBackToATakenId();
        world.kill(2);
        world.processes.put(2, first);
        world.sessionsOfTheDead(2).forEach(SharedStore.Session::end);
        world.time.settle();
        world.pass(Duration.ofSeconds(5));
        assertThat(first.controller.isReplaced()).isFalse();
        assertThat(first.controller.ownEpoch()).isPositive().isEqualTo(first.epoch());
        assertThat(first.controller.standing().isCertain()).isTrue();
        assertThat(world.of(1).view().isLive(2)).isTrue();
        assertThat(world.partition("orders", 0).inSync())
                .as("another disk than the one that was admitted last")
                .doesNotContain(2);
        world.pass(Duration.ofSeconds(40));
        assertThat(first.controller.removed().isDone()).isFalse();
    }

    /// They had replaced each other for ever, each time with an admission and elections.
    @Test
    void endsAtOnceWhenTheOtherRunsOnACopyOfItsDirectory() {
        world.startAll(1, 2);
        ClusterWorld.Running first = world.of(2);
        ClusterWorld.Running copy = world.start(2);
        assertThat(first.controller.removed().value()).contains("host2:9092", "a copy");
        world.pass(Duration.ofSeconds(2));
        int commits = world.store.commits.size();
        world.pass(Duration.ofSeconds(60));
        assertThat(world.store.commits).as("nothing more happens").hasSize(commits);
        assertThat(copy.view().isLive(2)).isTrue();
        assertThat(copy.controller.ownEpoch()).isEqualTo(copy.epoch());
        assertThat(first.controller.ownEpoch()).isEqualTo(-1);
    }
}
