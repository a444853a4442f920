package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Exactly one controller's writes count (Q23, Z1, Z3): claims, zombies, lost sessions, unknown outcomes.
class OfficeTest {
    private final ClusterWorld world = new ClusterWorld();

    private static TopicCommand create(String topic) {
        return new TopicCommand.Create(topic, 1, 1, List.of(), Map.of());
    }

    private static Reason reason(TopicOutcome outcome) {
        return outcome instanceof TopicOutcome.Refused(Reason reason, String sentence)
                        && sentence.endsWith(".")
                ? reason
                : Reason.INTERNAL_TOPIC;
    }

    private static int version(ClusterWorld.Running broker, String topic) {
        TopicPlan plan = broker.view().findTopic(topic);
        return plan == null ? -1 : plan.version();
    }

    private int epoch() {
        return world.store.version("/epoch");
    }

    @Test
    void ofTwoWhoClaimAtTheSameTimeOneHasTheOffice() {
        ClusterWorld.Running one = world.start(1);
        ClusterWorld.Running two = world.start(2);
        world.pass(Duration.ofSeconds(1));
        world.kill(1);
        ClusterWorld.Running three = world.start(3);
        two.session.isPatient = true;
        three.session.isPatient = true;
        world.pass(Duration.ofSeconds(1));
        assertThat(one.controller.isActive()).as("it is dead and does not know").isTrue();
        assertThat(two.session.waiting()).isEqualTo(1);
        assertThat(three.session.waiting()).as("both have claimed").isEqualTo(1);
        three.session.isPatient = false;
        two.session.isPatient = false;
        three.session.letThrough();
        two.session.letThrough();
        world.time.settle();
        assertThat(three.controller.isActive()).isTrue();
        assertThat(two.controller.isActive()).as("the epoch had moved on").isFalse();
        assertThat(two.view().controllerId()).isEqualTo(3);
        assertThat(epoch()).isEqualTo(1);
    }

    @Test
    void aDeadControllerIsReplacedLongBeforeItsSessionExpires() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(1, 2, 3)));
        world.kill(1);
        world.pass(Duration.ofMillis(400));
        assertThat(world.of(2).controller.isActive()).isTrue();
        assertThat(world.store.value("/brokers/1")).as("the session lives on").isNotEmpty();
        assertThat(world.partition("orders", 0).leader())
                .as("whoever held the office is looked for at once")
                .isEqualTo(2);
        assertThat(world.of(3).view().controllerId()).isEqualTo(2);
    }

    @Test
    void aControllerThatDoesNotAnswerIsReplacedAfterTheTimeout() {
        world.startAll(1, 2, 3);
        world.pause(1, true);
        world.pass(Duration.ofSeconds(2));
        assertThat(world.of(2).view().controllerId()).isEqualTo(1);
        world.pass(Duration.ofSeconds(1));
        assertThat(world.of(2).controller.isActive()).isTrue();
    }

    /// Patience is for those who lose the office though they were there; whoever hung or was cut off has lost it rightly.
    @Test
    void whoHungAndLostTheOfficeIsAsQuickAsTheOthersLater() {
        world.startAll(1, 2);
        world.pause(1, true);
        world.pass(Duration.ofSeconds(5));
        assertThat(world.of(2).controller.isActive()).isTrue();
        world.pause(1, false);
        world.pass(Duration.ofSeconds(5));
        assertThat(world.of(1).controller.isActive()).isFalse();
        world.pause(2, true);
        world.pass(Duration.ofSeconds(4));
        assertThat(world.of(1).controller.isActive()).isTrue();
    }

    /// Starting takes long on a busy machine. Whoever has sent no sign of life yet misses no answer.
    @Test
    void aBrokerThatHasJustStartedTakesNoOffice() {
        world.startAll(1, 2);
        world.start(3).isMute = true;
        world.pass(Duration.ofSeconds(20));
        assertThat(epoch()).isZero();
        assertThat(world.of(1).controller.isActive()).isTrue();
        assertThat(world.of(1).view().isLive(3)).as("nothing was heard of it").isFalse();
        world.of(3).isMute = false;
        world.pass(Duration.ofSeconds(1));
        assertThat(world.of(1).view().isLive(3)).isTrue();
        assertThat(epoch()).isZero();
    }

    /// The broker that dies has the leader of the store's ensemble in it, as one of three always has.
    @Test
    void whoDiesWhileTheStoreIsAwayIsKnownWhenItIsBack() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1)));
        world.of(1).session.suspend();
        world.kill(2);
        world.pass(Duration.ofMillis(300));
        world.of(1).session.resume();
        world.time.settle();
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
    }

    @Test
    void aControllerThatDiesWithTheStoresLeaderIsReplacedAsSoonAsTheStoreIsBack() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(1, 2, 3)));
        world.of(2).session.suspend();
        world.of(3).session.suspend();
        world.kill(1);
        world.pass(Duration.ofMillis(500));
        world.of(3).session.resume();
        world.of(2).session.resume();
        world.time.settle();
        assertThat(world.of(2).controller.isActive()).isTrue();
        assertThat(world.partition("orders", 0).leader()).isEqualTo(2);
    }

    /// A new controller has heard of nobody; that says nothing about them.
    @Test
    void aNewControllerTakesNothingFromThoseItHasNotHeardOf() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(3, 2, 1)));
        world.of(3).isMute = true;
        world.kill(1);
        world.pass(Duration.ofSeconds(8));
        assertThat(world.of(2).controller.isActive()).isTrue();
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        world.of(3).isMute = false;
        world.pass(Duration.ofSeconds(20));
        assertThat(world.partition("orders", 0).leaderEpoch()).isZero();
    }

    /// Z3 and the zombie controller: it wakes up, believes to be in office, and its writes find another epoch.
    @Test
    void aZombiesWritesAreRefused() {
        world.startAll(1, 2, 3);
        ClusterWorld.Running zombie = world.of(1);
        world.create("orders", 1, 3);
        zombie.session.isDeaf = true;
        world.pause(1, true);
        world.pass(Duration.ofSeconds(5));
        assertThat(world.of(2).controller.isActive()).isTrue();
        Reply<TopicOutcome> late =
                zombie.controller.execute(create("of-the-zombie"), false, world.client);
        zombie.box.isPaused = false;
        world.time.settle();
        assertThat(reason(late.value())).isEqualTo(Reason.NOT_CONTROLLER);
        assertThat(world.store.nodes).doesNotContainKey("/topics/of-the-zombie");
        assertThat(zombie.controller.isActive()).as("resigned, without another try").isFalse();
        zombie.session.hear();
        world.pause(1, false);
        world.pass(Duration.ofSeconds(10));
        assertThat(world.of(2).controller.isActive()).as("nobody takes it back").isTrue();
        assertThat(zombie.view().controllerId()).isEqualTo(2);
    }

    @Test
    void everyWriteOfAControllerNamesItsEpoch() {
        world.startAll(1, 2, 3);
        world.create("orders", 3, 3);
        world.kill(2);
        world.start(2);
        world.execute(new TopicCommand.Delete("orders"));
        for (List<Change> commit : world.store.commits) {
            boolean ofAController =
                    commit.stream()
                            .anyMatch(
                                    change ->
                                            change.path().startsWith("/topics/")
                                                    || change.path().startsWith("/members/"));
            if (ofAController) {
                assertThat(commit.getFirst()).isEqualTo(new Change.Check("/epoch", 0));
            }
        }
    }

    @Test
    void whoIsCutOffFromTheStoreDecidesNothingAndClaimsNothing() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1)));
        world.of(1).session.suspend();
        world.time.settle();
        assertThat(world.of(1).controller.isActive()).isFalse();
        Reply<TopicOutcome> refused =
                world.of(1).controller.execute(create("more"), false, world.client);
        world.time.settle();
        assertThat(reason(refused.value())).isEqualTo(Reason.NOT_CONTROLLER);
        world.of(3).session.suspend();
        world.pass(Duration.ofSeconds(10));
        assertThat(world.of(2).controller.isActive()).as("it does not answer").isTrue();
        assertThat(world.of(3).controller.isActive()).isFalse();
        world.of(1).session.resume();
        world.time.settle();
        assertThat(world.of(1).controller.isActive()).isFalse();
        assertThat(world.of(1).view().controllerId()).isEqualTo(2);
    }

    @Test
    void aShortBreakCostsNobodyTheOffice() {
        world.startAll(1, 2, 3);
        world.of(1).session.suspend();
        world.pass(Duration.ofSeconds(1));
        world.of(1).session.resume();
        world.pass(Duration.ofSeconds(1));
        assertThat(world.of(1).controller.isActive()).isTrue();
        assertThat(epoch()).isZero();
        assertThat(world.create("orders", 1, 3).partitions()).hasSize(1);
    }

    @Test
    void anExpiredSessionMeansANewLife() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(3, 1, 2)));
        long before = world.of(3).epoch();
        world.of(3).session.expire();
        world.pass(Duration.ofSeconds(1));
        assertThat(world.of(3).epoch()).isGreaterThan(before);
        assertThat(world.of(1).view().isLive(3)).isTrue();
        assertThat(world.partition("orders", 0).leader()).isEqualTo(1);
        assertThat(world.partition("orders", 0).inSync()).containsExactly(1, 2);
        world.of(1).session.expire();
        world.pass(Duration.ofSeconds(2));
        assertThat(world.active().id).isIn(1, 2, 3);
        assertThat(epoch()).isEqualTo(1);
        assertThat(world.of(1).view().isLive(1)).isTrue();
    }

    @Test
    void whatIsInDoubtIsLookedAtBeforeAnythingElse() {
        world.startAll(1, 2, 3);
        ClusterWorld.Running one = world.of(1);
        one.session.unknownButMade = true;
        assertThat(world.execute(create("made"))).isInstanceOf(TopicOutcome.Done.class);
        one.session.unknownButMade = false;
        assertThat(world.execute(create("not-made")))
                .as("decided again")
                .isInstanceOf(TopicOutcome.Done.class);
        assertThat(world.store.nodes).containsKeys("/topics/made", "/topics/not-made");
        one.session.unknownButMade = true;
        world.execute(new TopicCommand.Delete("made"));
        assertThat(world.store.nodes).doesNotContainKey("/topics/made");
        one.session.unknownButMade = true;
        world.kill(3);
        assertThat(world.of(2).view().isLive(3)).isFalse();
    }

    @Test
    void claimsAndRegistrationsInDoubtComeToAnEnd() {
        ClusterWorld.Running one = world.start(1);
        one.session.unknownButMade = true;
        one.session.expire();
        world.pass(Duration.ofSeconds(1));
        assertThat(one.controller.isActive()).isTrue();
        one.session.expire();
        one.session.unknownButMade = false;
        world.pass(Duration.ofSeconds(1));
        assertThat(one.controller.isActive()).isTrue();
        assertThat(one.view().isLive(1)).isTrue();
    }

    /// Z1, KAFKA-2729: a version that is out of date is read anew, and the work goes on.
    @Test
    void aPlanThatSomebodyElseHasChangedIsReadAndDecidedAgain() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1)));
        world.of(1).session.isDeaf = true;
        world.store.put("/topics/orders", world.store.value("/topics/orders"));
        world.kill(2);
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        assertThat(world.store.version("/topics/orders")).isEqualTo(2);
        world.of(1).session.hear();
        world.time.settle();
        assertThat(version(world.of(1), "orders")).isEqualTo(2);
    }

    @Test
    void newsThatComeLateDoNotHoldUpAController() {
        world.startAll(1, 2, 3);
        world.of(1).session.isDeaf = true;
        world.create("orders", List.of(List.of(1, 2, 3)));
        for (int i = 0; i < 3; i++) {
            assertThat(world.alter("orders", 0, 1, 2)).isInstanceOf(InSyncAnswer.Accepted.class);
            assertThat(world.alter("orders", 0, 1, 2, 3)).isInstanceOf(InSyncAnswer.Accepted.class);
        }
        world.of(1).session.hear();
        world.time.settle();
        assertThat(version(world.of(1), "orders")).isEqualTo(6);
    }

    @Test
    void aNewControllerReadsNothingBeforeItActs() {
        world.startAll(1, 2, 3);
        world.create("wide", 10_000, 3);
        int read = world.store.reads;
        int commits = world.store.commits.size();
        world.kill(1);
        world.pass(Duration.ofMillis(400));
        assertThat(world.of(2).controller.isActive()).isTrue();
        assertThat(world.store.reads).isEqualTo(read);
        assertThat(world.store.commits).as("the claim and all elections").hasSize(commits + 2);
        TopicPlan plan = world.of(3).view().findTopic("wide");
        assertThat(plan).isNotNull();
        assertThat(plan.partitions())
                .allMatch(one -> one.leader() != 1 && !one.inSync().contains(1));
        assertThat(world.store.value("/topics/wide").length()).isLessThan(512 * 1024);
    }
}
