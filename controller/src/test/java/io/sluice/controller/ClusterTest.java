package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.InSyncAnswer.Flaw;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Several brokers over one store: what becomes of partitions when brokers come, go and return (Q22, Q26).
class ClusterTest {
    private final ClusterWorld world = new ClusterWorld();

    private static Duration seconds(int count) {
        return Duration.ofSeconds(count);
    }

    @Test
    void aBrokerAloneIsTheControllerAtOnce() {
        ClusterWorld.Running one = world.start(1);
        assertThat(one.joined.isDone()).as("without any time passing").isTrue();
        assertThat(one.controller.isActive()).isTrue();
        assertThat(one.view().brokers()).map(BrokerView::id).containsExactly(1);
        assertThat(one.view().controllerId()).isEqualTo(1);
        assertThat(one.view().controllerEpoch()).isZero();
    }

    @Test
    void threeBrokersFindEachOtherAndOneIsActive() {
        world.startAll(1, 2, 3);
        for (ClusterWorld.Running process : world.processes.values()) {
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

    @Test
    void aRestartIsANewBrokerEpochAndANewTerm() {
        ClusterWorld.Running before = world.start(1);
        world.create("orders", 2, 1);
        long epoch = before.epoch();
        world.kill(1);
        ClusterWorld.Running after = world.start(1);
        assertThat(after.joined.isDone()).as("its own old session is no obstacle").isTrue();
        assertThat(after.epoch()).isGreaterThan(epoch);
        for (int i = 0; i < 2; i++) {
            assertThat(world.partition("orders", i).leader()).isEqualTo(1);
            assertThat(world.partition("orders", i).leaderEpoch()).isEqualTo(1);
        }
        assertThat(world.store.commits.getLast())
                .as("one commit admits it with all that follows: check, member, topic")
                .hasSize(3);
    }

    @Test
    void aQuickRestartIsNotedThoughNobodySawTheDeath() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1), List.of(3, 2, 1)));
        ClusterWorld.Running old = world.processes.remove(2);
        assertThat(old).isNotNull();
        old.box.kill();
        old.session.abandon();
        world.start(2);
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        assertThat(world.partition("orders", 0).inSync()).containsExactly(3, 1);
        assertThat(world.partition("orders", 1).inSync()).containsExactly(3, 1);
    }

    /// Broker 1 has made the topic with a minimum of one, by which its leader 2 commits alone. Then broker 2 is the controller, whose configuration says two: if it decided by that, whoever leaves the in-sync set would
    /// lead next, without what was acknowledged.
    @Test
    void aControllerWithOtherDefaultsDecidesByTheRulesOfTheTopic() {
        world.otherRules.put(2, new TopicRules(2, false, false));
        world.startAll(1, 2, 3);
        TopicPlan topic = world.create("orders", List.of(List.of(2, 1, 3)));
        world.kill(1);
        world.pass(seconds(1));
        assertThat(world.of(2).controller.isActive()).isTrue();
        PartitionPlan plan = world.partition("orders", 0);
        TreeMap<Integer, Long> alone = new TreeMap<>(Map.of(2, world.of(2).epoch()));
        InSyncChange shrink =
                new InSyncChange(topic.id(), 0, plan.leaderEpoch(), plan.change(), alone);
        world.settled(
                world.of(2)
                        .controller
                        .alterInSync(2, world.of(2).epoch(), List.of(shrink), world.client));
        assertThat(world.partition("orders", 0).inSync()).containsExactly(2);
        assertThat(world.partition("orders", 0).eligible()).isEmpty();
    }

    /// Plans from before rules were noted.
    @Test
    void aControllerNotesTheRulesOfTopicsThatHaveNone() {
        world.startAll(1, 2, 3);
        TopicPlan topic = world.create("orders", List.of(List.of(1, 2, 3)));
        world.store.put("/topics/orders", TopicPlanFormat.write(topic.ruled(null)));
        world.time.settle();
        TopicPlan noted = Objects.requireNonNull(world.of(3).view().findTopic("orders"));
        assertThat(noted.rules()).isEqualTo(world.rules);
        assertThat(noted.partitions().getFirst().change())
                .as("what a leader has asked for by rules of its own is not granted")
                .isEqualTo(1);
        assertThat(noted.version()).as("once").isEqualTo(2);
    }

    /// The plan goes on to name a controller: without the store nobody can write that it is gone.
    @Test
    void withoutTheStoreNobodyTakesTheClusterForDirected() {
        world.startAll(1, 2, 3);
        world.pass(seconds(2));
        assertThat(world.processes.values()).allMatch(one -> one.controller.isDirected());
        world.processes.values().forEach(one -> one.session.suspend());
        world.pass(seconds(2));
        assertThat(world.processes.values())
                .noneMatch(one -> one.controller.isDirected())
                .allMatch(one -> one.view().controllerId() == 1);
        world.processes.values().forEach(one -> one.session.resume());
        world.pass(seconds(2));
        assertThat(world.processes.values()).allMatch(one -> one.controller.isDirected());
    }

    /// R5, KIP-903: the old life of a broker is not let into an in-sync set, and asks for nothing.
    @Test
    void whoRegisteredAnewHasToCatchUpFirst() {
        world.startAll(1, 2, 3);
        TopicPlan topic = world.create("orders", List.of(List.of(1, 2, 3)));
        long old = world.of(2).epoch();
        world.kill(2);
        world.start(2);
        PartitionPlan plan = world.partition("orders", 0);
        TreeMap<Integer, Long> wanted = new TreeMap<>(Map.of(1, world.of(1).epoch(), 2, old));
        wanted.put(3, world.of(3).epoch());
        InSyncChange stale =
                new InSyncChange(topic.id(), 0, plan.leaderEpoch(), plan.change(), wanted);
        Controller controller = world.of(1).controller;
        assertThat(
                        world.settled(
                                controller.alterInSync(
                                        1, world.of(1).epoch(), List.of(stale), world.client)))
                .map(answer -> ((InSyncAnswer.Refused) answer).flaw())
                .containsExactly(Flaw.INELIGIBLE_REPLICA);
        assertThat(world.settled(controller.alterInSync(2, old, List.of(stale), world.client)))
                .map(answer -> ((InSyncAnswer.Refused) answer).flaw())
                .containsExactly(Flaw.STALE_BROKER_EPOCH);
        assertThat(world.settled(controller.heartbeat(sign(2, old, false), world.client)))
                .isEqualTo(HeartbeatAnswer.STALE);
        assertThat(world.alter("orders", 0, 1, 2, 3)).isInstanceOf(InSyncAnswer.Accepted.class);
    }

    @Test
    void aWipedDirectoryIsInSyncWithNothing() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3)));
        world.create("single", List.of(List.of(2)));
        world.kill(2);
        world.wipe(2);
        ClusterWorld.Running back = world.start(2);
        assertThat(back.joined.isDone())
                .as("the old registration is of another directory, and perhaps of somebody alive")
                .isFalse();
        world.pass(seconds(6));
        oldSessionEnds(2);
        world.pass(seconds(1));
        assertThat(back.joined.isDone()).isTrue();
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        assertThat(world.partition("orders", 0).inSync()).containsExactly(3);
        PartitionPlan lost = world.partition("single", 0);
        assertThat(lost.hasLeader()).as("an empty disk must not lead").isFalse();
        assertThat(lost.inSync()).isEmpty();
        Reply<List<PartitionAnswer>> ordered =
                world.active().controller.electLeaders(ElectionKind.UNCLEAN, null, world.client);
        assertThat(world.settled(ordered)).allMatch(PartitionAnswer::isDone).hasSize(1);
        assertThat(world.partition("single", 0).leader()).isEqualTo(2);
        ControllerCounters counters = world.active().controller.counters();
        assertThat(counters.partitionsLost.sum()).isEqualTo(1);
        assertThat(counters.uncleanElections.sum()).isEqualTo(1);
    }

    private void oldSessionEnds(int id) {
        world.sessionsOfTheDead(id).forEach(SharedStore.Session::end);
    }

    @Test
    void aSecondBrokerWithTheSameIdGivesUp() {
        world.startAll(1, 2);
        ClusterWorld.Running first = world.of(2);
        world.wipe(2);
        ClusterWorld.Running second = world.start(2);
        world.processes.put(2, first);
        for (int i = 0; i < 70; i++) {
            world.pass(Duration.ofMillis(500));
        }
        assertThat(second.joined.isFailed()).isTrue();
        assertThat(second.joined.failure())
                .isInstanceOf(CannotJoin.class)
                .hasMessageContaining("host2:9092");
        assertThat(first.view().isLive(2)).isTrue();
    }

    @Test
    void aBrokerThatStopsHandsOverFirst() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1), List.of(1, 2, 3)));
        world.create("single", List.of(List.of(2)));
        world.of(2).wantsToStop = true;
        Reply<HeartbeatAnswer> answer =
                world.of(1).controller.heartbeat(sign(2, world.of(2).epoch(), true), world.client);
        assertThat(world.settled(answer).mayStop()).isTrue();
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        assertThat(world.partition("orders", 0).inSync()).containsExactly(3, 1);
        assertThat(world.partition("orders", 1).inSync()).containsExactly(1, 3);
        assertThat(world.partition("single", 0).leader()).as("nobody can take it").isEqualTo(2);
        assertThat(world.alter("orders", 0, 1, 2, 3))
                .as("it does not come back while it stops")
                .isInstanceOf(InSyncAnswer.Refused.class);
    }

    @Test
    void leadershipGoesBackToTheFirstReplicaWhenItHasCaughtUp() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3, 1)));
        world.kill(2);
        world.start(2);
        world.pass(seconds(1));
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        world.alter("orders", 0, 1, 2, 3);
        world.pass(seconds(4));
        assertThat(world.partition("orders", 0).leader()).isEqualTo(2);
    }

    @Test
    void aWholeClusterComesBackWithItsLeaders() {
        world.startAll(1, 2, 3);
        world.create("orders", 6, 3);
        for (int id = 1; id <= 3; id++) {
            world.kill(id);
        }
        world.startAll(3, 2, 1);
        world.pass(seconds(5));
        for (int i = 0; i < 6; i++) {
            PartitionPlan plan = world.partition("orders", i);
            assertThat(plan.hasLeader()).isTrue();
            assertThat(plan.inSync()).contains(plan.leader());
        }
    }

    @Test
    void whoIsNotTheControllerSaysWhoIs() {
        world.startAll(1, 2, 3);
        Reply<TopicOutcome> refused =
                world.of(2)
                        .controller
                        .execute(new TopicCommand.Delete("orders"), false, world.client);
        assertThat(world.settled(refused))
                .isEqualTo(
                        new TopicOutcome.Refused(
                                TopicOutcome.Reason.NOT_CONTROLLER,
                                "Broker 1 is the controller; ask there."));
        assertThat(
                        world.settled(
                                world.of(2)
                                        .controller
                                        .heartbeat(
                                                sign(3, world.of(3).epoch(), false), world.client)))
                .isEqualTo(HeartbeatAnswer.NOT_CONTROLLER);
    }

    private static SignOfLife sign(int broker, long epoch, boolean wantsToStop) {
        return new SignOfLife(broker, epoch, wantsToStop, true, false);
    }

    /// More than the store takes from then on.
    private void createTooWide() {
        world.execute(
                new TopicCommand.Create(
                        "wide",
                        -1,
                        -1,
                        List.of(List.of(2, 3)),
                        Map.of("remark", "long ".repeat(400))));
        world.store.largest = 1_000;
    }

    /// A topic whose plan has outgrown the store is left for a while; the others get their leaders.
    @Test
    void aPlanThatTheStoreDoesNotTakeHoldsUpNoOther() {
        world.startAll(1, 2, 3);
        world.create("orders", List.of(List.of(2, 3)));
        createTooWide();
        world.kill(2);
        world.pass(Duration.ofSeconds(20));
        assertThat(world.partition("orders", 0).leader()).isEqualTo(3);
        assertThat(world.partition("wide", 0).leader()).isEqualTo(2);
        assertThat(world.active().controller.counters().topicsSetAside.sum()).isPositive();
        world.store.largest = Integer.MAX_VALUE;
        world.pass(Duration.ofMinutes(2));
        assertThat(world.partition("wide", 0).leader()).isEqualTo(3);
    }

    /// Else it could be elected where its plan still counts it.
    @Test
    void whoHasLostItsDataIsNotTakenInBeforeAllPlansSaySo() {
        world.startAll(1, 2, 3);
        createTooWide();
        world.kill(2);
        world.sessionsOfTheDead(2).forEach(SharedStore.Session::end);
        world.wipe(2);
        world.start(2);
        world.pass(Duration.ofSeconds(20));
        assertThat(world.partition("wide", 0).inSync()).contains(2);
        assertThat(world.of(1).view().isLive(2)).isFalse();
        world.store.largest = Integer.MAX_VALUE;
        world.pass(Duration.ofMinutes(2));
        assertThat(world.of(1).view().isLive(2)).isTrue();
        assertThat(world.partition("wide", 0).inSync()).doesNotContain(2);
    }
}
