package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination.Change;
import io.sluice.settings.InvalidSetting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopicPlannerTest {
    private static final UUID ID = new UUID(1, 2);
    private static final List<BrokerAddress> THREE =
            List.of(
                    new BrokerAddress(1, "a", 1),
                    new BrokerAddress(2, "b", 1),
                    new BrokerAddress(3, "c", 1));

    private final TopicPlanner planner =
            new TopicPlanner(
                    new TopicPlanner.Defaults(4, 1),
                    settings -> {
                        if (settings.containsKey("nonsense")) {
                            throw new InvalidSetting("nonsense", "Unknown setting 'nonsense'.");
                        }
                    });
    private final ClusterView empty = new ClusterView("cluster", THREE, 1, List.of());

    /// Q10: partitions, and with them leaders, are spread evenly over the brokers.
    @Test
    void partitionsAreSpreadEvenly() {
        TopicPlan plan = done(planner.decide(create("orders", 6, 2), empty, ID));
        int[] led = new int[4];
        for (PartitionPlan partition : plan.partitions()) {
            assertThat(partition.replicas()).hasSize(2).doesNotHaveDuplicates();
            assertThat(partition.leader()).isEqualTo(partition.replicas().getFirst());
            led[partition.leader()]++;
        }
        assertThat(led).containsExactly(0, 2, 2, 2);
    }

    @Test
    void defaultsFillWhatIsNotAsked() {
        TopicPlan plan = done(planner.decide(create("orders", -1, -1), empty, ID));
        assertThat(plan.partitions()).hasSize(4);
        assertThat(plan.partitions().getFirst().replicas()).hasSize(1);
    }

    @Test
    void whatCannotBeCreatedIsRefusedWithItsReason() {
        ClusterView taken = empty.with(done(planner.decide(create("taken", 1, 1), empty, ID)));
        assertThat(refused(planner.decide(create("taken", 1, 1), taken, ID)))
                .isEqualTo(Reason.ALREADY_EXISTS);
        assertThat(refused(planner.decide(create("a/b", 1, 1), taken, ID)))
                .isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(planner.decide(create("..", 1, 1), taken, ID)))
                .isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(planner.decide(create("x".repeat(250), 1, 1), taken, ID)))
                .isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(planner.decide(create("new", 0, 1), taken, ID)))
                .isEqualTo(Reason.INVALID_PARTITIONS);
        assertThat(refused(planner.decide(create("new", 1, 4), taken, ID)))
                .isEqualTo(Reason.INVALID_REPLICATION_FACTOR);
        assertThat(
                        refused(
                                planner.decide(
                                        new TopicCommand.Create(
                                                "new", 1, 1, List.of(), Map.of("nonsense", "1")),
                                        taken,
                                        ID)))
                .isEqualTo(Reason.INVALID_SETTING);
        assertThat(
                        refused(
                                planner.decide(
                                        new TopicCommand.Create(
                                                "new", -1, -1, List.of(List.of(1, 1)), Map.of()),
                                        taken,
                                        ID)))
                .isEqualTo(Reason.INVALID_ASSIGNMENT);
        assertThat(
                        refused(
                                planner.decide(
                                        new TopicCommand.Create(
                                                "new", -1, -1, List.of(List.of(9)), Map.of()),
                                        taken,
                                        ID)))
                .isEqualTo(Reason.INVALID_ASSIGNMENT);
    }

    /// Q29: partitions are added, the old ones stay as they are.
    @Test
    void growingKeepsTheOldPartitions() {
        TopicPlan before = done(planner.decide(create("orders", 2, 1), empty, ID));
        TopicPlan after =
                done(
                        planner.decide(
                                new TopicCommand.Grow("orders", 5, List.of()),
                                empty.with(before),
                                ID));
        assertThat(after.partitions())
                .hasSize(5)
                .startsWith(before.partitions().toArray(PartitionPlan[]::new));
        assertThat(after.id()).isEqualTo(before.id());
        assertThat(
                        refused(
                                planner.decide(
                                        new TopicCommand.Grow("orders", 2, List.of()),
                                        empty.with(before),
                                        ID)))
                .isEqualTo(Reason.INVALID_PARTITIONS);
    }

    @Test
    void theBrokersOwnTopicsDoNotGrow() {
        TopicPlan offsets = done(planner.decide(create(TopicNames.OFFSETS, 2, 1), empty, ID));
        assertThat(
                        refused(
                                planner.decide(
                                        new TopicCommand.Grow(TopicNames.OFFSETS, 5, List.of()),
                                        empty.with(offsets),
                                        ID)))
                .isEqualTo(Reason.INTERNAL_TOPIC);
    }

    @Test
    void aDeletionLeavesANoteInTheSameCommit() {
        TopicPlan plan = done(planner.decide(create("orders", 3, 1), empty, ID));
        TopicPlanner.Decision decision =
                planner.decide(new TopicCommand.Delete("orders"), empty.with(plan), ID);
        assertThat(decision.changes())
                .containsExactly(
                        new Change.Delete("/topics/orders", 0),
                        new Change.Create("/deletions/orders", ID + " 3"));
    }

    @Test
    void aSettingGoesBackToItsDefault() {
        TopicPlan plan =
                done(
                        planner.decide(
                                new TopicCommand.Create(
                                        "orders", 1, 1, List.of(), Map.of("a", "1", "b", "2")),
                                empty,
                                ID));
        Map<String, @Nullable String> changes = new HashMap<>();
        changes.put("a", null);
        changes.put("c", "3");
        TopicPlan after =
                done(
                        planner.decide(
                                new TopicCommand.ChangeSettings("orders", changes),
                                empty.with(plan),
                                ID));
        assertThat(after.settings()).isEqualTo(Map.of("b", "2", "c", "3"));
        assertThat(after.version()).isEqualTo(plan.version() + 1);
    }

    @Test
    void unknownTopicsAreSaidToBeUnknown() {
        assertThat(refused(planner.decide(new TopicCommand.Delete("none"), empty, ID)))
                .isEqualTo(Reason.UNKNOWN_TOPIC);
        assertThat(refused(planner.decide(new TopicCommand.Grow("none", 3, List.of()), empty, ID)))
                .isEqualTo(Reason.UNKNOWN_TOPIC);
        assertThat(
                        refused(
                                planner.decide(
                                        new TopicCommand.ReplaceSettings("none", Map.of()),
                                        empty,
                                        ID)))
                .isEqualTo(Reason.UNKNOWN_TOPIC);
    }

    private static TopicCommand create(String name, int partitions, int factor) {
        return new TopicCommand.Create(name, partitions, factor, List.of(), Map.of());
    }

    private static TopicPlan done(TopicPlanner.Decision decision) {
        assertThat(decision.outcome()).isInstanceOf(TopicOutcome.Done.class);
        assertThat(decision.changes()).isNotEmpty();
        return ((TopicOutcome.Done) decision.outcome()).plan();
    }

    private static Reason refused(TopicPlanner.Decision decision) {
        assertThat(decision.changes()).isEmpty();
        assertThat(decision.outcome()).isInstanceOf(TopicOutcome.Refused.class);
        TopicOutcome.Refused refused = (TopicOutcome.Refused) decision.outcome();
        assertThat(refused.sentence()).endsWith(".");
        return refused.reason();
    }
}
