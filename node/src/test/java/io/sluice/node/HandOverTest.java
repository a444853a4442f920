package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Broker 1 wants to stop.
class HandOverTest {
    private static final int SELF = 1;
    private static final ClusterView LED_HERE = view(1, List.of(1, 2));
    private static final ClusterView LED_ELSEWHERE = view(2, List.of(2));
    private static final ClusterView NOBODY_ELSE_CAN = view(1, List.of(1));

    private final ByHand owner = new ByHand();
    private final ByHand shard = new ByHand();
    private final ByHand otherShard = new ByHand();

    @Test
    void theAnswerIsNotEnoughWhileItsOwnViewSaysThatItLeads() {
        HandOver handOver = begin(LED_HERE);
        handOver.answered(true, LED_HERE);
        everythingButTime();
        assertThat(handOver.done().isDone()).isFalse();
        assertThat(owner.timers).doesNotContainKey(HandOver.LINGER);
        handOver.look(LED_ELSEWHERE);
        everythingButTime();
        owner.pass(HandOver.LINGER);
        assertThat(handOver.done().value()).isTrue();
    }

    @Test
    void theViewIsNotEnoughWithoutTheAnswer() {
        HandOver handOver = begin(LED_HERE);
        handOver.look(LED_ELSEWHERE);
        everythingButTime();
        assertThat(owner.timers).isEmpty();
        assertThat(handOver.done().isDone()).isFalse();
    }

    @Test
    void everyShardHasHeardOfItBeforeTheTimeBeginsInWhichClientsAreTold() {
        HandOver handOver = begin(LED_HERE);
        handOver.answered(true, LED_ELSEWHERE);
        shard.work();
        owner.work();
        assertThat(owner.timers).doesNotContainKey(HandOver.LINGER);
        otherShard.work();
        owner.work();
        assertThat(owner.timers).containsKey(HandOver.LINGER);
        assertThat(handOver.done().isDone()).isFalse();
    }

    @Test
    void whoHasLedNothingDoesNotLinger() {
        HandOver handOver = begin(LED_ELSEWHERE);
        handOver.answered(true, LED_ELSEWHERE);
        everythingButTime();
        assertThat(handOver.done().value()).isTrue();
    }

    @Test
    void whatNobodyElseCanLeadIsNotWaitedFor() {
        HandOver handOver = begin(NOBODY_ELSE_CAN);
        handOver.answered(true, NOBODY_ELSE_CAN);
        everythingButTime();
        assertThat(handOver.done().value()).isTrue();
    }

    @Test
    void newsThatDoNotComeHoldItUpForAMomentOnly() {
        HandOver handOver = begin(LED_HERE);
        handOver.answered(true, LED_HERE);
        owner.pass(HandOver.NEWS_LIMIT);
        assertThat(handOver.done().value()).isTrue();
    }

    @Test
    void withoutAControllerItEndsAtOnce() {
        HandOver handOver = begin(LED_HERE);
        handOver.answered(false, LED_HERE);
        assertThat(handOver.done().value()).isFalse();
    }

    private HandOver begin(ClusterView view) {
        return new HandOver(SELF, view, owner, List.of(shard, otherShard));
    }

    private void everythingButTime() {
        shard.work();
        otherShard.work();
        owner.work();
    }

    private static ClusterView view(int leader, List<Integer> inSync) {
        PartitionPlan plan =
                new PartitionPlan(
                        List.of(1, 2),
                        leader,
                        leader,
                        inSync,
                        List.of(),
                        List.of(),
                        List.of(),
                        leader);
        return new ClusterView(
                "cluster",
                List.of(
                        new BrokerView(1, "one", 9092, null, 1),
                        new BrokerView(2, "two", 9092, null, 2)),
                2,
                List.of(new TopicPlan("orders", new UUID(0, 1), List.of(plan), Map.of(), leader)));
    }

    /// Does what it is told to, when the test says so. Owned by its test.
    private static final class ByHand implements Mailbox {
        private final Queue<Runnable> posted = new ArrayDeque<>();
        private final SortedMap<Duration, Runnable> timers = new TreeMap<>();

        @Override
        public void post(Runnable work) {
            posted.add(work);
        }

        @Override
        public boolean isCurrent() {
            return false;
        }

        @Override
        public Timer schedule(Duration delay, Runnable work) {
            timers.put(delay, work);
            return () -> timers.remove(delay);
        }

        void work() {
            for (Runnable next = posted.poll(); next != null; next = posted.poll()) {
                next.run();
            }
        }

        void pass(Duration delay) {
            Runnable due = timers.remove(delay);
            assertThat(due).isNotNull();
            due.run();
        }
    }
}
