package io.sluice.kafka.api.topics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.controller.TopicRules;
import io.sluice.kafka.api.topics.TopicConfigView.Source;
import io.sluice.log.TopicSettings;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Which of a topic's own settings, its plan's rules and a broker's defaults counts.
class TopicConfigViewTest {
    private static final String MIN = "min.insync.replicas";

    private static TopicPlan plan(Map<String, String> settings, @Nullable TopicRules rules) {
        PartitionPlan partition = PartitionPlan.fresh(List.of(1, 2, 3));
        return new TopicPlan("orders", new UUID(0, 1), List.of(partition), settings, rules, 0);
    }

    private static Source source(TopicConfigView view, TopicPlan plan, String name) {
        return view.entries(plan).stream()
                .filter(entry -> entry.name().equals(name))
                .findFirst()
                .orElseThrow()
                .source();
    }

    /// A leader with other defaults than the controller would commit what those who may lead next lack.
    @Test
    void whatDecidesIsAsThePlanSaysWhateverTheBrokersOwnDefaults() {
        TopicPlan plan = plan(Map.of(), new TopicRules(2, true, true));
        for (Map<String, String> own :
                List.of(Map.<String, String>of(), Map.of(MIN, "3", "flush", "fsync"))) {
            TopicSettings effective = new TopicConfigView(own).effective(plan);
            assertThat(effective.minInSyncReplicas()).isEqualTo(2);
            assertThat(effective.uncleanLeaderElection()).isTrue();
            assertThat(effective.flush()).isEqualTo(TopicSettings.FlushPolicy.PAGE_CACHE);
        }
    }

    @Test
    void whereThePlanSaysNothingTheBrokersOwnDefaultsCount() {
        TopicConfigView view = new TopicConfigView(Map.of(MIN, "3"));
        assertThat(view.effective(plan(Map.of(), null)).minInSyncReplicas()).isEqualTo(3);
    }

    /// Tools that keep settings as they were told take what the topic has set itself for theirs.
    @Test
    void whatIsNotedIsNotASettingOfTheTopic() {
        TopicConfigView view = new TopicConfigView(Map.of(MIN, "2"));
        assertThat(source(view, plan(Map.of(), new TopicRules(2, false, false)), MIN))
                .isEqualTo(Source.BROKER);
        assertThat(source(view, plan(Map.of(), new TopicRules(1, false, false)), MIN))
                .isEqualTo(Source.CLUSTER);
        assertThat(source(view, plan(Map.of(), new TopicRules(2, false, false)), "flush"))
                .isEqualTo(Source.DEFAULT);
        assertThat(source(view, plan(Map.of(MIN, "2"), new TopicRules(2, false, false)), MIN))
                .isEqualTo(Source.TOPIC);
    }
}
