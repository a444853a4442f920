package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A deleted topic's data goes on every broker before its name means something new there.
class DeletionsTest {
    private final ClusterWorld world = new ClusterWorld();

    private Reply<TopicOutcome> run(TopicCommand command) {
        Reply<TopicOutcome> reply = world.active().controller.execute(command, false, world.client);
        world.time.settle();
        return reply;
    }

    private Reply<TopicOutcome> delete() {
        return run(new TopicCommand.Delete("orders"));
    }

    private Reply<TopicOutcome> create() {
        return run(new TopicCommand.Create("orders", 2, 3, List.of(), Map.of()));
    }

    @Test
    void everyBrokerRemovesItsDataAndConfirms() {
        world.startAll(1, 2, 3);
        create();
        assertThat(delete().value()).isInstanceOf(TopicOutcome.Done.class);
        for (ClusterWorld.Running process : world.processes.values()) {
            assertThat(process.retired).containsExactly("orders");
        }
        assertThat(world.store.nodes).doesNotContainKey("/deletions/orders");
        assertThat(create().value()).isInstanceOf(TopicOutcome.Done.class);
    }

    @Test
    void aNameIsFreeAgainWhenTheDataIsGoneOnAllLiveBrokers() {
        world.startAll(1, 2, 3);
        create();
        world.of(3).retirement = new Reply<>();
        Reply<TopicOutcome> deleted = delete();
        Reply<TopicOutcome> again = create();
        assertThat(deleted.isDone()).isFalse();
        assertThat(again.isDone()).as("or it would begin with old data").isFalse();
        assertThat(run(new TopicCommand.Create("other", 1, 3, List.of(), Map.of())).value())
                .as("others do not wait")
                .isInstanceOf(TopicOutcome.Done.class);
        world.of(3).retirement.complete(2);
        world.time.settle();
        assertThat(deleted.value()).isInstanceOf(TopicOutcome.Done.class);
        assertThat(again.value()).isInstanceOf(TopicOutcome.Done.class);
    }

    @Test
    void aBrokerThatIsAwayHoldsUpNobodyAndRemovesItsDataFirstWhenItIsBack() {
        world.startAll(1, 2, 3);
        create();
        world.kill(3);
        assertThat(delete().value()).isInstanceOf(TopicOutcome.Done.class);
        assertThat(world.store.value("/deletions/orders")).contains("brokers 3");
        world.create("orders", 2, 2);
        assertThat(delete().value()).isInstanceOf(TopicOutcome.Done.class);
        TopicPlan third = world.create("orders", 2, 2);
        ClusterWorld.Running back = world.start(3);
        assertThat(back.retired).as("of the two before").containsExactly("orders", "orders");
        assertThat(back.view().findTopic("orders")).isEqualTo(third);
        assertThat(world.store.nodes).doesNotContainKey("/deletions/orders");
    }

    /// It had a replica until somebody moved that while it was down.
    @Test
    void aBrokerThatIsAwayIsAskedForWhatItOnceHad() {
        world.startAll(1, 2, 3);
        world.kill(3);
        world.create("orders", 1, 2);
        delete();
        assertThat(world.store.value("/deletions/orders")).contains("brokers 3");
        assertThat(world.start(3).retired).containsExactly("orders");
        assertThat(world.store.nodes).doesNotContainKey("/deletions/orders");
    }

    @Test
    void untilItsOwnDataIsGoneABrokerDoesNotSeeTheNewTopic() {
        world.startAll(1, 2, 3);
        create();
        world.kill(3);
        delete();
        world.create("orders", 2, 2);
        Reply<Integer> slow = new Reply<>();
        world.retirements.put(3, slow);
        ClusterWorld.Running back = world.start(3);
        assertThat(back.joined.isDone()).isTrue();
        assertThat(back.view().findTopic("orders")).isNull();
        assertThat(world.of(1).view().findTopic("orders")).isNotNull();
        slow.complete(1);
        world.time.settle();
        assertThat(back.view().findTopic("orders")).isNotNull();
    }

    @Test
    void aLiveBrokerThatCannotRemoveItsDataBlocksTheName() {
        world.startAll(1, 2, 3);
        create();
        world.of(2).retirement = Reply.failed(new IllegalStateException("the disk"));
        Reply<TopicOutcome> deleted = delete();
        Reply<TopicOutcome> again = create();
        world.pass(Duration.ofSeconds(9));
        assertThat(deleted.isDone()).isFalse();
        world.pass(Duration.ofSeconds(2));
        assertThat(deleted.value()).isInstanceOf(TopicOutcome.Done.class);
        assertThat(((TopicOutcome.Refused) again.value()).reason()).isEqualTo(Reason.BUSY);
        world.of(2).retirement = Reply.of(2);
        world.pass(Duration.ofSeconds(20));
        assertThat(create().value()).isInstanceOf(TopicOutcome.Done.class);
    }
}
