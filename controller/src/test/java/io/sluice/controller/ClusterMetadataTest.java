package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The tree as a view: only what has changed is read, and news that are older than an own commit change nothing (Z1).
class ClusterMetadataTest {
    private final ClusterMetadata metadata = new ClusterMetadata();

    private static String plan(int id, int leader) {
        PartitionPlan partition =
                new PartitionPlan(
                        List.of(1, 2),
                        leader,
                        leader,
                        List.of(1, 2),
                        List.of(),
                        List.of(),
                        List.of(),
                        0);
        return TopicPlanFormat.write(
                new TopicPlan("t", new UUID(0, id), List.of(partition), Map.of(), 0));
    }

    private int leader() {
        TopicPlan plan = metadata.view().findTopic("t");
        return plan == null ? -9 : plan.partitions().getFirst().leader();
    }

    @Test
    void newsThatAreOlderThanAnOwnCommitArePassedOver() {
        metadata.loaded(new TreeMap<>(Map.of("/topics/t", new Node(plan(1, 1), 3, 50))));
        metadata.committed(List.of(new Change.Set("/topics/t", plan(1, 2), 3)));
        assertThat(leader()).isEqualTo(2);
        assertThat(metadata.changed("/topics/t", new Node(plan(1, 1), 3, 50))).isTrue();
        assertThat(leader()).as("KAFKA-2729: never back to an old version").isEqualTo(2);
        assertThat(metadata.changed("/topics/t", new Node(plan(1, 1), 5, 50))).isTrue();
        assertThat(leader()).isEqualTo(1);
    }

    @Test
    void aTopicOfTheSameNameIsToldFromTheDeletedOne() {
        metadata.loaded(new TreeMap<>(Map.of("/topics/t", new Node(plan(1, 1), 3, 50))));
        metadata.committed(List.of(new Change.Delete("/topics/t", 3)));
        metadata.changed("/topics/t", new Node(plan(1, 2), 3, 50));
        assertThat(leader()).as("it is deleted").isEqualTo(-9);
        metadata.committed(List.of(new Change.Create("/topics/t", plan(2, 2))));
        metadata.changed("/topics/t", new Node(plan(1, 1), 3, 50));
        assertThat(leader()).isEqualTo(2);
        assertThat(metadata.changed("/topics/t", null))
                .as("of the old one or the new one? it has to be looked at")
                .isFalse();
        assertThat(leader()).isEqualTo(2);
        assertThat(metadata.changed("/topics/t", new Node(plan(2, 2), 0, 60))).isTrue();
        assertThat(metadata.changed("/topics/t", null)).isTrue();
        assertThat(leader()).isEqualTo(-9);
    }

    @Test
    void onlyWhatHasChangedIsReadAnew() {
        TreeMap<String, Node> all = new TreeMap<>();
        all.put("/topics/a", new Node(plan(1, 1), 0, 1));
        all.put("/topics/b", new Node(plan(2, 1), 0, 2));
        metadata.loaded(all);
        TopicPlan before = metadata.view().findTopic("a");
        assertThat(metadata.takeChangedTopics()).containsExactly("a", "b");
        all.put("/topics/b", new Node(plan(2, 2), 1, 2));
        metadata.loaded(all);
        assertThat(metadata.takeChangedTopics()).containsExactly("b");
        assertThat(metadata.view().findTopic("a")).isSameAs(before);
        all.remove("/topics/a");
        metadata.loaded(all);
        assertThat(metadata.view().findTopic("a")).isNull();
        assertThat(metadata.view().findTopic(new UUID(0, 1))).isNull();
    }

    @Test
    void aViewThatWasGivenAwayNeverChanges() {
        metadata.loaded(new TreeMap<>(Map.of("/topics/t", new Node(plan(1, 1), 0, 1))));
        ClusterView given = metadata.view();
        assertThat(metadata.view()).as("nothing has changed").isSameAs(given);
        metadata.changed("/topics/t", new Node(plan(1, 2), 1, 1));
        assertThat(given.findTopic("t")).isNotNull();
        assertThat(given.topics().iterator().next().partitions().getFirst().leader()).isEqualTo(1);
        assertThat(leader()).isEqualTo(2);
    }
}
