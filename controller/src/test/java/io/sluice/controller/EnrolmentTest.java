package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.Enrolment.Step;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// How a broker registers (Z2: KAFKA-1387), and what keeps it out.
class EnrolmentTest {
    private static final UUID DISK = new UUID(1, 1);
    private final Registration own = registration(new UUID(5, 5), DISK, "ours");
    private final Enrolment enrolment = new Enrolment(own, "fresh");

    private static Registration registration(UUID process, UUID disk, @Nullable String cluster) {
        return new Registration(1, "h", 9092, "r1", process, disk, cluster, 7, null);
    }

    private static ClusterView view(Map<String, Node> nodes) {
        ClusterMetadata metadata = new ClusterMetadata();
        metadata.loaded(new TreeMap<>(nodes));
        return metadata.view();
    }

    private static Node left(UUID process, UUID disk, long created) {
        return new Node(Registered.write(registration(process, disk, null)), 0, created);
    }

    @Test
    void theFirstBrokerNamesTheCluster() {
        assertThat(enrolment.next(view(Map.of()), 0))
                .isInstanceOfSatisfying(
                        Step.Commit.class,
                        commit ->
                                assertThat(commit.changes())
                                        .map(Change::path)
                                        .containsExactly("/cluster", "/brokers/1"));
    }

    @Test
    void whatAnEarlierSessionLeftIsReplacedAtOnce() {
        for (Node stale :
                new Node[] {left(new UUID(6, 6), DISK, 40), left(new UUID(5, 5), DISK, 40)}) {
            ClusterView view =
                    view(Map.of("/cluster", new Node("ours", 0, 1), "/brokers/1", stale));
            assertThat(enrolment.next(view, 0))
                    .isInstanceOfSatisfying(
                            Step.Commit.class,
                            commit ->
                                    assertThat(commit.changes().getFirst())
                                            .isEqualTo(new Change.Delete("/brokers/1", 0)));
        }
    }

    @Test
    void whatItLeftItselfIsNotTakenForTheNewRegistration() {
        Node stale = left(new UUID(5, 5), DISK, 40);
        ClusterView view = view(Map.of("/cluster", new Node("ours", 0, 1), "/brokers/1", stale));
        enrolment.next(view, 0);
        enrolment.looked(view);
        assertThat(enrolment.next(view, 0)).as("not made").isInstanceOf(Step.Commit.class);
        ClusterView made =
                view(
                        Map.of(
                                "/cluster",
                                new Node("ours", 0, 1),
                                "/brokers/1",
                                left(new UUID(5, 5), DISK, 41)));
        enrolment.looked(made);
        assertThat(enrolment.next(made, 0)).isEqualTo(new Step.Nothing());
        assertThat(enrolment.isEnrolled()).isTrue();
        enrolment.expired();
        assertThat(enrolment.next(made, 0)).isInstanceOf(Step.Commit.class);
    }

    @Test
    void anotherBrokerWithTheSameIdKeepsThisOneOut() {
        ClusterView view =
                view(
                        Map.of(
                                "/cluster",
                                new Node("ours", 0, 1),
                                "/brokers/1",
                                left(new UUID(6, 6), new UUID(2, 2), 40)));
        assertThat(enrolment.next(view, 0))
                .as("it may be on its way out")
                .isInstanceOf(Step.Wait.class);
        assertThat(enrolment.next(view, Duration.ofSeconds(31).toNanos()))
                .isInstanceOfSatisfying(
                        Step.Refuse.class,
                        refused ->
                                assertThat(refused.sentence())
                                        .contains("id 1", "h:9092", "node.id"));
    }

    private static Enrolment onNotedDirectory(UUID... former) {
        return new Enrolment(
                new Registration(
                        1, "h", 9092, "r1", new UUID(5, 5), DISK, "ours", 7, null, Set.of(former)),
                "fresh");
    }

    private static ClusterView registered(UUID process, UUID disk, long created) {
        return view(
                Map.of(
                        "/cluster",
                        new Node("ours", 0, 1),
                        "/brokers/1",
                        left(process, disk, created)));
    }

    @Test
    void aFormerProcessThatItsDirectoryHasNotedIsReplacedAtOnce() {
        Enrolment restarted = onNotedDirectory(new UUID(6, 6), new UUID(6, 7));
        assertThat(restarted.next(registered(new UUID(6, 6), DISK, 40), 0))
                .isInstanceOf(Step.Commit.class);
    }

    @Test
    void whoRunsOnACopyOfItsDirectoryKeepsItOut() {
        Enrolment copied = onNotedDirectory(new UUID(6, 6));
        ClusterView view = registered(new UUID(8, 8), DISK, 40);
        assertThat(copied.next(view, 0)).isInstanceOf(Step.Wait.class);
        assertThat(copied.next(view, Duration.ofSeconds(31).toNanos()))
                .isInstanceOfSatisfying(
                        Step.Refuse.class,
                        refused ->
                                assertThat(refused.sentence())
                                        .contains("id 1", "h:9092", "a copy", "node.id"));
    }

    /// Two that replace each other would do so for ever.
    @Test
    void whoIsReplacedOnACopyOfItsDirectoryGivesUpAtOnce() {
        for (Enrolment replaced : new Enrolment[] {onNotedDirectory(), enrolment}) {
            replaced.next(view(Map.of("/cluster", new Node("ours", 0, 1))), 0);
            replaced.committed();
            assertThat(replaced.next(registered(new UUID(5, 5), DISK, 40), 0))
                    .isEqualTo(new Step.Nothing());
            assertThat(replaced.next(registered(new UUID(8, 8), DISK, 41), 1))
                    .isInstanceOfSatisfying(
                            Step.Refuse.class,
                            refused -> assertThat(refused.sentence()).contains("h:9092", "copy"));
        }
    }

    @Test
    void everyOtherOneIsGivenItsOwnTimeToGo() {
        ClusterView taken = registered(new UUID(6, 6), new UUID(2, 2), 40);
        assertThat(enrolment.next(taken, 0)).isInstanceOf(Step.Wait.class);
        assertThat(enrolment.next(view(Map.of("/cluster", new Node("ours", 0, 1))), 1))
                .isInstanceOf(Step.Commit.class);
        enrolment.committed();
        enrolment.expired();
        assertThat(enrolment.next(taken, Duration.ofHours(1).toNanos()))
                .as("an hour later")
                .isInstanceOf(Step.Wait.class);
    }

    @Test
    void anotherClustersDataKeepsItOut() {
        assertThat(enrolment.next(view(Map.of("/cluster", new Node("theirs", 0, 1))), 0))
                .isInstanceOfSatisfying(
                        Step.Refuse.class,
                        refused -> assertThat(refused.sentence()).contains("ours", "theirs"));
        Enrolment fresh = new Enrolment(registration(new UUID(5, 5), DISK, null), "fresh");
        assertThat(fresh.next(view(Map.of("/cluster", new Node("theirs", 0, 1))), 0))
                .as("an empty directory joins")
                .isInstanceOf(Step.Commit.class);
    }
}
