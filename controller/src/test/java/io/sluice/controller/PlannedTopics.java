package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.settings.InvalidSetting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;

/// A planner over three brokers, and what comes of what it is asked.
///
/// Owned by its test.
final class PlannedTopics {
    static final UUID ID = new UUID(1, 2);
    private static final List<BrokerView> THREE =
            List.of(
                    new BrokerView(1, "a", 1, null, 0),
                    new BrokerView(2, "b", 1, null, 0),
                    new BrokerView(3, "c", 1, null, 0));

    private int minByDefault = 1;

    private final TopicPlanner planner =
            new TopicPlanner(
                    new TopicPlanner.Defaults(4, 1),
                    settings -> {
                        if (settings.containsKey("nonsense")) {
                            throw new InvalidSetting("nonsense", "Unknown setting 'nonsense'.");
                        }
                        Map<String, String> all = new HashMap<>();
                        all.put(TopicRules.MIN_IN_SYNC, String.valueOf(minByDefault));
                        all.putAll(settings);
                        return TopicRules.of(all);
                    });
    private final List<Integer> stopping = new ArrayList<>();
    private final ClusterView empty = new ClusterView("cluster", THREE, 1, List.of());

    ClusterView empty() {
        return empty;
    }

    /// Brokers that get nothing; to be added to.
    List<Integer> stopping() {
        return stopping;
    }

    void minByDefault(int min) {
        minByDefault = min;
    }

    TopicPlanner.Decision decide(TopicCommand command, ClusterView view, UUID id) {
        return planner.decide(command, new Circumstances(view, new TreeSet<>(stopping)), id);
    }

    static TopicCommand newTopic(String name, int partitions, int factor) {
        return new TopicCommand.Create(name, partitions, factor, List.of(), Map.of());
    }

    static TopicPlan done(TopicPlanner.Decision decision) {
        assertThat(decision.outcome()).isInstanceOf(TopicOutcome.Done.class);
        assertThat(decision.changes()).isNotEmpty();
        return ((TopicOutcome.Done) decision.outcome()).plan();
    }

    static Reason refused(TopicPlanner.Decision decision) {
        assertThat(decision.changes()).isEmpty();
        assertThat(decision.outcome()).isInstanceOf(TopicOutcome.Refused.class);
        TopicOutcome.Refused refused = (TopicOutcome.Refused) decision.outcome();
        assertThat(refused.sentence()).endsWith(".");
        return refused.reason();
    }
}
