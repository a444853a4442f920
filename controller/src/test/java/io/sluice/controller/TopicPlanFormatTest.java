package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The text in `docs/formats/topic-plan.md`.
/// Shows Q21: the plan is kept consistently.
class TopicPlanFormatTest {
    private static final UUID ID = UUID.fromString("3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1");

    @Test
    void theTextIsAsDocumented() {
        PartitionPlan shrunk =
                new PartitionPlan(
                        List.of(1, 2, 3),
                        1,
                        7,
                        List.of(1, 3),
                        List.of(2),
                        List.of(1, 2),
                        List.of(),
                        List.of(),
                        9);
        PartitionPlan fresh = PartitionPlan.fresh(List.of(2, 3, 1));
        PartitionPlan moving =
                new PartitionPlan(
                        List.of(4, 2, 1), -1, 3, List.of(1), List.of(), List.of(4), List.of(1), 5);
        TopicPlan plan =
                new TopicPlan(
                        "orders",
                        ID,
                        List.of(shrunk, shrunk, fresh, shrunk, fresh, moving, fresh),
                        Map.of("retention.ms", "86400000", "flush", "page-cache"),
                        new TopicRules(2, false, true),
                        0);
        String text =
                """
                sluice-topic 2
                id 3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1 flush page-cache min.insync.replicas 2 unclean.leader.election.enable false
                partitions 0-1,3 leader 1 epoch 7 change 9 replicas 1,2,3 insync 1,3 eligible 2 unforced 1,2
                partitions 2-6/2 leader 2 epoch 0 change 0 replicas 2,3,1 insync 2,3,1
                partitions 5 leader -1 epoch 3 change 5 replicas 4,2,1 insync 1 adding 4 removing 1
                set flush page-cache
                set retention.ms 86400000
                """;
        assertThat(TopicPlanFormat.write(plan)).isEqualTo(text);
        assertThat(TopicPlanFormat.read("orders", text, 0)).isEqualTo(plan);
    }

    /// As earlier versions have written it.
    @Test
    void aPlanWithoutRulesIsRead() {
        String text =
                """
                sluice-topic 2
                id 3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1
                partitions 0 leader 1 epoch 7 change 9 replicas 1,2,3 insync 1,3 eligible 2
                set retention.ms 86400000
                """;
        TopicPlan plan = TopicPlanFormat.read("orders", text, 0);
        assertThat(plan.rules()).isNull();
        assertThat(plan.partitions().getFirst().unforced()).isEmpty();
        assertThat(TopicPlanFormat.write(plan)).isEqualTo(text);
    }

    @Test
    void tenThousandPartitionsOverThreeBrokersStaySmall() {
        List<PartitionPlan> partitions = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            partitions.add(PartitionPlan.fresh(List.of(i % 3, (i + 1 + i / 3 % 2) % 3)));
        }
        TopicPlan plan = new TopicPlan("orders", ID, partitions, Map.of(), 0);
        String text = TopicPlanFormat.write(plan);
        assertThat(text.length()).isLessThan(1_000);
        assertThat(TopicPlanFormat.read("orders", text, 0)).isEqualTo(plan);
    }

    @Test
    void aPlanWithAHoleIsRefused() {
        String text =
                """
                sluice-topic 2
                id 3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1
                partitions 0,2 leader 1 epoch 0 change 0 replicas 1 insync 1
                """;
        assertThatThrownBy(() -> TopicPlanFormat.read("orders", text, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("partition 1");
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
        assertThatThrownBy(() -> TopicPlanFormat.read("orders", "sluice-topic 3\n", 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("newer");
    }
}
