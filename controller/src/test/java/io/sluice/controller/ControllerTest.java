package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The plan changes one command at a time, is published when it is durable, and a deleted topic's data goes before its name is free (Q21).
class ControllerTest {
    private final HeldStore store = new HeldStore();
    private final List<String> retired = new ArrayList<>();
    private Reply<Integer> retirement = Reply.of(1);
    private long ids;
    private final Controller controller = controller();

    private static final List<Runnable> LATER = new ArrayList<>();

    /// Everything on one thread, at once, or when the test says that it is later.
    private static final Mailbox HERE =
            new Mailbox() {
                @Override
                public void post(Runnable work) {
                    work.run();
                }

                @Override
                public boolean isCurrent() {
                    return true;
                }

                @Override
                public Timer schedule(Duration delay, Runnable work) {
                    LATER.add(work);
                    return () -> LATER.remove(work);
                }
            };

    private Controller controller() {
        return new Controller(
                store,
                () -> ++ids,
                HERE,
                new TopicPlanner(new TopicPlanner.Defaults(2, 1), _ -> {}),
                this::retire,
                new ClusterView("c", List.of(new BrokerAddress(3, "host", 1)), 3, List.of()));
    }

    private Reply<Integer> retire(String topic, UUID id, int partitions) {
        retired.add(topic + "/" + partitions);
        return retirement;
    }

    @BeforeEach
    void nothingIsDueLater() {
        LATER.clear();
    }

    private Reply<TopicOutcome> create(String topic) {
        return run(new TopicCommand.Create(topic, -1, -1, List.of(), Map.of()));
    }

    private Reply<TopicOutcome> delete(String topic) {
        return run(new TopicCommand.Delete(topic));
    }

    private Reply<TopicOutcome> run(TopicCommand command) {
        return controller.execute(command, false, HERE);
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

    @Test
    void aPlanIsPublishedWhenItIsDurable() {
        store.isPatient = true;
        List<Integer> published = new ArrayList<>();
        controller.onChange((_, after) -> published.add(after.topics().size()));
        Reply<TopicOutcome> reply = create("orders");
        assertThat(reply.isDone()).isFalse();
        assertThat(controller.view().findTopic("orders")).isNull();
        store.letThrough();
        assertThat(isDone(reply)).isTrue();
        assertThat(controller.view().findTopic("orders")).isNotNull();
        assertThat(published).containsExactly(1);
    }

    @Test
    void commandsAreCarriedOutOneAfterTheOther() {
        store.isPatient = true;
        Reply<TopicOutcome> first = create("orders");
        Reply<TopicOutcome> again = create("orders");
        assertThat(store.waiting()).isEqualTo(1);
        store.letThrough();
        assertThat(isDone(first)).isTrue();
        assertThat(reason(again)).isEqualTo(Reason.ALREADY_EXISTS);
        assertThat(store.waiting()).isZero();
    }

    @Test
    void validationAloneWritesNothing() {
        store.isPatient = true;
        Reply<TopicOutcome> reply =
                controller.execute(
                        new TopicCommand.Create("orders", -1, -1, List.of(), Map.of()), true, HERE);
        assertThat(isDone(reply)).isTrue();
        assertThat(store.waiting()).isZero();
    }

    @Test
    void aStoreThatFailsChangesNothingAndHoldsUpNobody() {
        store.isPatient = true;
        Reply<TopicOutcome> failed = create("orders");
        Reply<TopicOutcome> next = create("payments");
        store.fail("no room");
        store.letThrough();
        assertThat(reason(failed)).isEqualTo(Reason.STORE_FAILED);
        assertThat(isDone(next)).isTrue();
        assertThat(controller.view().topics()).map(TopicPlan::name).containsExactly("payments");
    }

    @Test
    void whoeverWasSlowerIsToldToTryAgain() {
        store.isPatient = true;
        Reply<TopicOutcome> reply = create("orders");
        store.nodes.put("/topics/orders", new Coordination.Node("somebody else's", 0, 0));
        store.letThrough();
        assertThat(reason(reply)).isEqualTo(Reason.BUSY);
        assertThat(controller.view().topics()).isEmpty();
    }

    @Test
    void aNameIsFreeAgainWhenTheDataIsGone() {
        create("orders");
        retirement = new Reply<>();
        Reply<TopicOutcome> deleted = delete("orders");
        Reply<TopicOutcome> again = create("orders");
        assertThat(controller.view().findTopic("orders")).isNull();
        assertThat(retired).containsExactly("orders/2");
        assertThat(deleted.isDone()).isFalse();
        assertThat(again.isDone()).as("or it would begin with the old data").isFalse();
        retirement.complete(2);
        assertThat(isDone(deleted)).isTrue();
        assertThat(isDone(again)).isTrue();
    }

    @Test
    void aNameStaysBlockedUntilItsDataCouldBeRemoved() {
        create("orders");
        retirement = Reply.failed(new IllegalStateException("the disk"));
        delete("orders");
        assertThat(reason(create("orders"))).isEqualTo(Reason.BUSY);
        assertThat(isDone(create("payments"))).isTrue();
        retirement = Reply.of(2);
        List.copyOf(LATER).forEach(Runnable::run);
        assertThat(isDone(create("orders"))).isTrue();
    }

    @Test
    void anInterruptedDeletionIsFinishedAtTheNextStart() {
        create("orders");
        create("payments");
        retirement = new Reply<>();
        delete("orders");
        retired.clear();
        retirement = Reply.of(2);
        Controller next = controller();
        Reply<ClusterView> loaded = next.load();
        Reply<TopicOutcome> early =
                next.execute(
                        new TopicCommand.Create("orders", -1, -1, List.of(), Map.of()),
                        false,
                        HERE);
        assertThat(reason(early)).isEqualTo(Reason.BUSY);
        assertThat(retired).as("the broker is not ready for it yet").isEmpty();
        next.finishDeletions();
        assertThat(retired).containsExactly("orders/2");
        assertThat(loaded.value().topics()).map(TopicPlan::name).containsExactly("payments");
        assertThat(store.nodes.keySet()).noneMatch(path -> path.contains("orders"));
    }

    @Test
    void onlySoManyCommandsWait() {
        store.isPatient = true;
        create("first");
        for (int i = 0; i < Controller.WAITING_MAX; i++) {
            create("topic-" + i);
        }
        assertThat(reason(create("one-more"))).isEqualTo(Reason.BUSY);
    }

    @Test
    void producerIdsAreNeverGivenTwice() {
        ProducerIds before = new ProducerIds(store, HERE);
        List<Long> given = new ArrayList<>();
        for (int i = 0; i < 1001; i++) {
            given.add(before.next(HERE).value());
        }
        ProducerIds afterACrash = new ProducerIds(store, HERE);
        for (int i = 0; i < 3; i++) {
            given.add(afterACrash.next(HERE).value());
        }
        assertThat(given).doesNotHaveDuplicates();
    }

    @Test
    void producerIdsAreGivenWhenTheirBlockIsDurable() {
        store.isPatient = true;
        ProducerIds producerIds = new ProducerIds(store, HERE);
        Reply<Long> first = producerIds.next(HERE);
        Reply<Long> second = producerIds.next(HERE);
        assertThat(first.isDone()).isFalse();
        assertThat(store.waiting()).as("one block for both").isEqualTo(1);
        store.letThrough();
        assertThat(List.of(first.value(), second.value())).containsExactly(0L, 1L);
    }

    @Test
    void aStoreThatFailsGivesNoProducerIdsButTheNextMayWork() {
        store.isPatient = true;
        ProducerIds producerIds = new ProducerIds(store, HERE);
        Reply<Long> failed = producerIds.next(HERE);
        store.fail("no room");
        assertThat(failed.isFailed()).isTrue();
        Reply<Long> next = producerIds.next(HERE);
        store.letThrough();
        assertThat(next.value()).isZero();
    }
}
