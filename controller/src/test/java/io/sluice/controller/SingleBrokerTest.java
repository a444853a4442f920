package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The plan changes one command at a time and is published when it is durable (Q21).
class SingleBrokerTest {
    private final ClusterWorld world = new ClusterWorld();
    private ClusterWorld.Running one = world.start(1);

    @BeforeEach
    void itIsTheController() {
        assertThat(one.controller.isActive()).isTrue();
    }

    private Reply<TopicOutcome> create(String topic) {
        return run(new TopicCommand.Create(topic, 2, 1, List.of(), Map.of()), false);
    }

    private Reply<TopicOutcome> run(TopicCommand command, boolean validateOnly) {
        Reply<TopicOutcome> reply = one.controller.execute(command, validateOnly, world.client);
        world.time.settle();
        return reply;
    }

    private static boolean isDone(Reply<TopicOutcome> reply) {
        return reply.isDone() && reply.value() instanceof TopicOutcome.Done;
    }

    private static Reason reason(Reply<TopicOutcome> reply) {
        if (reply.value() instanceof TopicOutcome.Refused(Reason reason, _)) {
            return reason;
        }
        throw new AssertionError("not refused: " + reply);
    }

    private void letThrough() {
        one.session.letThrough();
        world.time.settle();
    }

    @Test
    void aPlanIsPublishedWhenItIsDurable() {
        one.session.isPatient = true;
        List<Integer> published = new ArrayList<>();
        one.controller.onChange((_, after) -> published.add(after.topics().size()));
        Reply<TopicOutcome> reply = create("orders");
        assertThat(reply.isDone()).isFalse();
        assertThat(one.view().findTopic("orders")).isNull();
        letThrough();
        assertThat(isDone(reply)).isTrue();
        assertThat(one.view().findTopic("orders")).isNotNull();
        assertThat(published).startsWith(1);
    }

    @Test
    void commandsAreCarriedOutOneAfterTheOther() {
        one.session.isPatient = true;
        Reply<TopicOutcome> first = create("orders");
        Reply<TopicOutcome> again = create("orders");
        assertThat(one.session.waiting()).isEqualTo(1);
        letThrough();
        assertThat(isDone(first)).isTrue();
        assertThat(reason(again)).isEqualTo(Reason.ALREADY_EXISTS);
        assertThat(one.session.waiting()).isZero();
    }

    @Test
    void validationAloneWritesNothing() {
        int commits = world.store.commits.size();
        TopicCommand command = new TopicCommand.Create("orders", 2, 1, List.of(), Map.of());
        assertThat(isDone(run(command, true))).isTrue();
        assertThat(world.store.commits).hasSize(commits);
        assertThat(one.view().findTopic("orders")).isNull();
    }

    @Test
    void aStoreThatFailsChangesNothingAndHoldsUpNobody() {
        one.session.isPatient = true;
        Reply<TopicOutcome> failed = create("orders");
        Reply<TopicOutcome> next = create("payments");
        one.session.failure = "no room";
        letThrough();
        letThrough();
        assertThat(reason(failed)).isEqualTo(Reason.STORE_FAILED);
        assertThat(isDone(next)).isTrue();
        assertThat(one.view().topics()).map(TopicPlan::name).containsExactly("payments");
    }

    @Test
    void onlySoManyCommandsWait() {
        one.session.isPatient = true;
        create("first");
        Mailbox owner = one.box;
        List<Reply<TopicOutcome>> replies = new ArrayList<>();
        owner.post(
                () -> {
                    for (int i = 0; i <= Office.WAITING_MAX; i++) {
                        replies.add(
                                one.controller.execute(
                                        new TopicCommand.Delete("none"), false, world.client));
                    }
                });
        world.time.settle();
        assertThat(reason(replies.getLast())).isEqualTo(Reason.BUSY);
        assertThat(replies.getFirst().isDone()).isFalse();
    }

    @Test
    void anInterruptedDeletionIsFinishedAtTheNextStart() {
        create("orders");
        one.retirement = new Reply<>();
        Reply<TopicOutcome> deleted = run(new TopicCommand.Delete("orders"), false);
        assertThat(deleted.isDone()).isFalse();
        assertThat(one.view().findTopic("orders")).isNull();
        world.kill(1);
        one = world.start(1);
        assertThat(one.retired).containsExactly("orders");
        assertThat(world.store.nodes.keySet()).noneMatch(path -> path.contains("orders"));
        assertThat(isDone(create("orders"))).isTrue();
    }

    @Test
    void itRestsWhenItHasNothingToDo() {
        int commits = world.store.commits.size();
        world.time.advance(Duration.ofHours(1));
        assertThat(world.store.commits).hasSize(commits);
        assertThat(one.controller.isActive()).isTrue();
    }

    /// Ten thousand topics take a few commits at a start, each within the store's limit.
    @Test
    void aStartWithManyTopicsIsAFewCommits() {
        world.kill(1);
        for (int i = 0; i < 10_000; i++) {
            TopicPlan plan =
                    new TopicPlan(
                            "topic-" + i,
                            new UUID(3, i),
                            List.of(PartitionPlan.fresh(List.of(1))),
                            Map.of(),
                            0);
            world.store.put("/topics/" + plan.name(), TopicPlanFormat.write(plan));
        }
        int commits = world.store.commits.size();
        one = world.start(1);
        assertThat(one.view().topics())
                .hasSize(10_000)
                .allMatch(
                        topic ->
                                topic.partitions().getFirst().leader() == 1
                                        && topic.partitions().getFirst().leaderEpoch() >= 1);
        assertThat(world.store.commits.size() - commits).isLessThan(15);
    }

    @Test
    void producerIdsAreNeverGivenTwice() {
        List<Long> given = new ArrayList<>();
        for (int start = 0; start < 2; start++) {
            ProducerIds ids = new ProducerIds(one.session, one.box);
            for (int i = 0; i < 1001; i++) {
                given.add(world.settled(ids.next(world.client)));
            }
        }
        assertThat(given).doesNotHaveDuplicates();
    }

    @Test
    void producerIdsAreGivenWhenTheirBlockIsDurable() {
        one.session.isPatient = true;
        ProducerIds ids = new ProducerIds(one.session, one.box);
        Reply<Long> first = ids.next(world.client);
        Reply<Long> second = ids.next(world.client);
        world.time.settle();
        assertThat(first.isDone()).isFalse();
        assertThat(one.session.waiting()).as("one block for both").isEqualTo(1);
        letThrough();
        assertThat(List.of(first.value(), second.value())).containsExactly(0L, 1L);
    }

    @Test
    void aStoreThatFailsGivesNoProducerIdsButTheNextMayWork() {
        ProducerIds ids = new ProducerIds(one.session, one.box);
        one.session.failure = "no room";
        Reply<Long> failed = ids.next(world.client);
        world.time.settle();
        assertThat(failed.isFailed()).isTrue();
        assertThat(world.settled(ids.next(world.client))).isZero();
    }
}
