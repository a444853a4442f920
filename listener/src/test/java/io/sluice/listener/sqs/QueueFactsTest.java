package io.sluice.listener.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.message.Intake.OrderKept;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What is said at start about lanes and a queue that do not fit.
class QueueFactsTest {
    private static QueueFacts facts(boolean fifo) {
        return new QueueFacts(fifo, 5, 262_144, "http://nowhere/dead");
    }

    @Test
    void aFifoQueueSaysThatAGroupDoesNotContinueBehindAFailure() {
        assertThat(facts(true).remarks(Set.of(OrderKept.CONTINUES)))
                .singleElement()
                .asString()
                .contains("delivers nothing of a group while a failed message of it waits");
    }

    @Test
    void aFifoQueueSaysThatALaneKeepsNoOrder() {
        assertThat(facts(true).remarks(Set.of(OrderKept.NONE, OrderKept.WAITS)))
                .singleElement()
                .asString()
                .contains("keeps no order");
    }

    @Test
    void aStandardQueueSaysThatItHasNoOrderToKeep() {
        assertThat(facts(false).remarks(EnumSet.allOf(OrderKept.class)))
                .singleElement()
                .asString()
                .contains("it is a standard queue, which delivers in any order");
        assertThat(facts(false).remarks(Set.of(OrderKept.NONE))).isEmpty();
    }
}
