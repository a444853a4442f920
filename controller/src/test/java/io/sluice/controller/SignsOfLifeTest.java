package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Crossing;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// What signs of life and their answers mean for those who send them (Q22).
class SignsOfLifeTest {
    private static final Duration TIMEOUT = ControllerSettings.defaults().heartbeatTimeout();
    private final ClusterWorld world = new ClusterWorld();

    private boolean isCertain(int id) {
        return world.of(id).controller.standing().isCertain();
    }

    @Test
    void everybodyIsCertainWhileTheControllerAnswers() {
        world.startAll(1, 2, 3);
        for (int i = 0; i < 20; i++) {
            world.pass(Duration.ofSeconds(1));
            assertThat(isCertain(1)).as("the controller").isTrue();
            assertThat(isCertain(2)).isTrue();
            assertThat(isCertain(3)).isTrue();
        }
    }

    @Test
    void aBrokerAloneIsCertain() {
        world.start(1);
        world.pass(Duration.ofSeconds(20));
        assertThat(isCertain(1)).isTrue();
    }

    /// Nobody answers it: it may be cut off from all but its clients.
    @Test
    void whoeverGetsNoAnswerIsInDoubtBeforeItIsHeldForDead() {
        world.startAll(1, 2, 3);
        world.create("orders", 1, 3);
        world.of(2).isMute = true;
        while (isCertain(2)) {
            assertThat(world.of(1).view().isLive(2)).isTrue();
            world.pass(Duration.ofMillis(100));
        }
        world.of(2).isMute = false;
        world.pass(Duration.ofSeconds(2));
        assertThat(isCertain(2)).isTrue();
    }

    /// Seed 4545 of the simulated cluster.
    @Test
    void whoeverWakesUpIsInDoubtUntilTheControllerKnowsItAsLive() {
        world.startAll(1, 2, 3);
        world.pause(2, true);
        world.pass(Duration.ofSeconds(10));
        assertThat(world.of(1).view().isLive(2)).isFalse();
        assertThat(isCertain(2)).isFalse();
        world.pause(2, false);
        world.time.settle();
        assertThat(isCertain(2)).as("no sign of life was answered yet").isFalse();
        world.pass(Duration.ofSeconds(2));
        assertThat(world.of(1).view().isLive(2)).isTrue();
        assertThat(isCertain(2)).isTrue();
    }

    /// The controller knows that it lives, and that says nothing of what it led: the news of that may not have come.
    @Test
    void whoeverWakesUpKnowsThePlanBeforeItIsCertain() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1)));
        world.of(2).session.isDeaf = true;
        world.pause(2, true);
        world.pass(Duration.ofSeconds(10));
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        world.pause(2, false);
        world.pass(Duration.ofSeconds(2));
        assertThat(isCertain(2)).isTrue();
        TopicPlan known = Objects.requireNonNull(world.of(2).view().findTopic("orders"));
        assertThat(known.partitions().getFirst().leader()).isEqualTo(3);
    }

    @Test
    void aControllerThatWakesUpHasToAskTheStore() {
        world.startAll(1, 2, 3);
        world.of(1).session.isDeaf = true;
        world.pause(1, true);
        world.pass(Duration.ofSeconds(10));
        assertThat(world.active().id).isEqualTo(2);
        world.pause(1, false);
        world.of(1).controller.controllerAnswered(1, answer(), world.time.monotonicNanos());
        world.time.settle();
        assertThat(isCertain(1)).as("its own answer proves nothing").isFalse();
        world.of(1).session.hear();
        world.pass(Duration.ofSeconds(2));
        assertThat(isCertain(1)).isTrue();
    }

    @Test
    void aControllerThatNobodyHasReplacedFindsThatOutFromTheStore() {
        world.start(1);
        world.pass(Duration.ofSeconds(1));
        world.pause(1, true);
        world.pass(Duration.ofSeconds(10));
        world.pause(1, false);
        world.time.settle();
        assertThat(isCertain(1)).isFalse();
        world.pass(Duration.ofSeconds(1));
        assertThat(isCertain(1)).isTrue();
    }

    /// Then nobody can be replaced either: leaders go on.
    @Test
    void withoutTheStoreEverybodyGoesOnAsLongAsTheyHearOfEachOther() {
        world.startAll(1, 2, 3);
        world.processes.values().forEach(process -> process.session.suspend());
        world.pass(TIMEOUT.multipliedBy(3));
        assertThat(isCertain(1)).as("the controller").isTrue();
        assertThat(isCertain(2)).isTrue();
    }

    @Test
    void aControllerWithoutStoreAndOthersIsInDoubt() {
        world.startAll(1, 2, 3);
        world.of(1).session.suspend();
        world.of(2).isMute = true;
        world.of(3).isMute = true;
        world.pass(TIMEOUT.multipliedBy(3));
        assertThat(isCertain(1)).isFalse();
    }

    /// Somebody who has the store may have taken the office, and given away what the two lead.
    @Test
    void twoThatHaveLostTheStoreTogetherDoNotVouchForEachOther() {
        world.startAll(1, 2, 3);
        world.of(1).session.suspend();
        world.of(2).session.suspend();
        world.pass(TIMEOUT.multipliedBy(3));
        assertThat(world.active().id).isEqualTo(3);
        assertThat(isCertain(1)).as("the former controller").isFalse();
        assertThat(isCertain(2)).isFalse();
        assertThat(isCertain(3)).isTrue();
    }

    /// They still turn to it, and say that they have the store: soon one of them will use it.
    @Test
    void aControllerThatAloneHasLostTheStoreIsInDoubtBeforeAnotherTakesItsOffice() {
        world.startAll(1, 2, 3);
        world.of(1).session.suspend();
        while (isCertain(1)) {
            assertThat(world.of(2).controller.isActive()).isFalse();
            assertThat(world.of(3).controller.isActive()).isFalse();
            world.pass(Duration.ofMillis(100));
        }
        world.pass(TIMEOUT);
        assertThat(world.active().id).isNotEqualTo(1);
    }

    @Test
    void whoeverHasNoOfficeVouchesForNobody() {
        world.startAll(1, 2, 3);
        world.of(2).isMute = true;
        for (int i = 0; i < 12; i++) {
            world.pass(Duration.ofMillis(500));
            decline(2, HeartbeatAnswer.NOT_CONTROLLER);
        }
        assertThat(isCertain(2)).isFalse();
    }

    @Test
    void aControllerThatHasLostTheStoreProlongsWhatItHasConfirmedBefore() {
        world.startAll(1, 2, 3);
        world.of(2).isMute = true;
        for (int i = 0; i < 12; i++) {
            world.pass(Duration.ofMillis(500));
            decline(2, HeartbeatAnswer.WITHOUT_STORE);
        }
        assertThat(isCertain(2)).isTrue();
    }

    private void decline(int id, HeartbeatAnswer answer) {
        world.of(id).controller.controllerAnswered(1, answer, world.time.monotonicNanos());
        world.time.settle();
    }

    /// The controller goes on to decide, and this broker would not hear of it.
    @Test
    void whoeverIsWithoutTheStoreAloneIsInDoubtThoughTheControllerAnswers() {
        world.startAll(1, 2, 3);
        world.of(2).session.suspend();
        world.pass(TIMEOUT.plusSeconds(1));
        assertThat(world.of(1).view().isLive(2)).isTrue();
        assertThat(isCertain(2)).isFalse();
        assertThat(isCertain(1)).isTrue();
        world.of(2).session.resume();
        world.pass(Duration.ofSeconds(1));
        assertThat(isCertain(2)).isTrue();
    }

    @Test
    void whoeverIsToldThatItHasLostItsPlaceIsInDoubtAtOnce() {
        world.startAll(1, 2, 3);
        world.of(2).session.isDeaf = true;
        world.of(2).session.end();
        world.pass(Duration.ofSeconds(1));
        assertThat(isCertain(2)).isFalse();
    }

    /// It counts as connected, and hears nothing: somebody else may be the controller.
    @Test
    void aControllerWhoseStoreDoesNotAnswerIsInDoubt() {
        world.startAll(1, 2, 3);
        world.of(1).session.isHanging = true;
        world.pass(TIMEOUT.plusSeconds(1));
        assertThat(isCertain(1)).isFalse();
        world.of(1).session.isHanging = false;
        world.pass(TIMEOUT.plusSeconds(1));
        assertThat(isCertain(1)).isTrue();
    }

    /// What has waited at a shard since before the pause would be answered from what that one knew.
    @Test
    void aDoubtEndsWhenTheShardsHaveHeardOfThePlan() {
        world.startAll(1, 2, 3);
        world.pause(2, true);
        world.pass(Duration.ofSeconds(10));
        world.of(2).shard.isPaused = true;
        world.pause(2, false);
        world.pass(Duration.ofSeconds(2));
        assertThat(world.of(1).view().isLive(2)).isTrue();
        assertThat(isCertain(2)).as("the shard has heard nothing").isFalse();
        world.of(2).shard.isPaused = false;
        world.pass(Duration.ofSeconds(1));
        assertThat(isCertain(2)).isTrue();
    }

    /// Nobody else can have taken its place: there is nobody it could refuse for.
    @Test
    void whoeverHasAStoreOfItsOwnIsCertainAfterAPause() {
        world.store.isShared = false;
        world.start(1);
        world.pass(Duration.ofSeconds(1));
        world.pause(1, true);
        world.pass(Duration.ofSeconds(10));
        world.pause(1, false);
        assertThat(isCertain(1)).isTrue();
    }

    /// Else the broker would wait for its time-out, and take the controller for one that hangs.
    @Test
    void aBugInASignOfLifeIsToldToItsSender() {
        world.startAll(1, 2, 3);
        long epoch = world.of(2).epoch();
        world.time.hasABug = true;
        Reply<HeartbeatAnswer> reply =
                world.of(1)
                        .controller
                        .heartbeat(new SignOfLife(2, epoch, false, true, false), world.client);
        assertThatThrownBy(world.time::settle)
                .isInstanceOf(Crossing.Unfinished.class)
                .hasMessageContaining("A sign of life of broker 2");
        world.time.hasABug = false;
        world.time.settle();
        assertThat(reply.isFailed()).isTrue();
    }

    private static HeartbeatAnswer answer() {
        return new HeartbeatAnswer(true, true, false, false);
    }
}
