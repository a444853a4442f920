package io.sluice.kafka.api.groups;

import io.sluice.controller.ClusterView;
import io.sluice.controller.TopicPlan;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Names of topics that a request gives by name in old versions and by id in new ones.
final class TopicIds {
    private TopicIds() {}

    /// The topic's name, or null when there is no topic with this id.
    static @Nullable String nameOf(String name, UUID id, boolean byId, ClusterView view) {
        if (!byId) {
            return name;
        }
        TopicPlan plan = view.findTopic(id);
        return plan == null ? null : plan.name();
    }
}
