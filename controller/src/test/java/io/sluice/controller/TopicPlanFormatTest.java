package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The text in `docs/formats/topic-plan.md`.
class TopicPlanFormatTest {
    private static final UUID ID = UUID.fromString("3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1");

    @Test
    void theTextIsAsDocumented() {
        PartitionPlan spread = PartitionPlan.fresh(List.of(1, 2, 3));
        PartitionPlan moved = PartitionPlan.fresh(List.of(2, 3, 1));
        TopicPlan plan =
                new TopicPlan(
                        "orders",
                        ID,
                        List.of(spread, spread, moved),
                        Map.of("retention.ms", "86400000", "flush", "page-cache"),
                        0);
        assertThat(TopicPlanFormat.write(plan))
                .isEqualTo(
                        """
                        sluice-topic 1
                        id 3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1
                        partitions 0-1 leader 1 replicas 1,2,3
                        partitions 2-2 leader 2 replicas 2,3,1
                        set flush page-cache
                        set retention.ms 86400000
                        """);
    }

    @Test
    void whatIsWrittenIsReadBack() {
        TopicPlan plan =
                new TopicPlan(
                        "orders",
                        ID,
                        Collections.nCopies(10_000, PartitionPlan.fresh(List.of(1))),
                        Map.of("a", "with spaces", "b", "line\nbreak and \\ backslash", "c", ""),
                        7);
        String text = TopicPlanFormat.write(plan);
        assertThat(TopicPlanFormat.read("orders", text, 7)).isEqualTo(plan);
        assertThat(text.length()).as("ten thousand equal partitions share a line").isLessThan(300);
    }

    @Test
    void aNewerFormatIsRefused() {
        assertThatThrownBy(() -> TopicPlanFormat.read("orders", "sluice-topic 2\n", 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("newer");
    }
}
