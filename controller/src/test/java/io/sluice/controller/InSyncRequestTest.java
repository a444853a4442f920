package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.InSyncAnswer.Flaw;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// What a leader hears when its wish had to be decided twice, because the first commit met a conflict or its outcome is unknown.
class InSyncRequestTest {
    private static final UUID TOPIC = new UUID(1, 1);
    private static final TopicRules RULES = new TopicRules(1, false, false);

    private final SteppedTime time = new SteppedTime();
    private final ClusterView view =
            new ClusterView(
                    "c",
                    List.of(
                            new BrokerView(1, "a", 1, null, 11),
                            new BrokerView(2, "b", 1, null, 12)),
                    1,
                    List.of(topic(List.of(1), 7)));
    private final InSyncRequest request =
            new InSyncRequest(
                    1,
                    11,
                    List.of(
                            new InSyncChange(
                                    TOPIC, 0, 5, 7, new TreeMap<>(Map.of(1, 11L, 2, 12L)))),
                    time.box());

    private static TopicPlan topic(List<Integer> inSync, int change) {
        PartitionPlan plan =
                new PartitionPlan(
                        List.of(1, 2), 1, 5, inSync, List.of(), List.of(), List.of(), change);
        return new TopicPlan("orders", TOPIC, List.of(plan), Map.of(), 0);
    }

    private void decide(Set<Integer> stopping) {
        Draft draft = new Draft(view, _ -> RULES, 1 << 20, Set.of());
        request.decide(draft, new Circumstances(view, stopping));
    }

    private InSyncAnswer answer() {
        request.done();
        time.settle();
        return request.reply().value().getFirst();
    }

    @Test
    void whatIsRefusedAtOnceIsRefused() {
        decide(Set.of(2));
        assertThat(answer())
                .isInstanceOfSatisfying(
                        InSyncAnswer.Refused.class,
                        refused -> assertThat(refused.flaw()).isEqualTo(Flaw.INELIGIBLE_REPLICA));
    }

    /// The first commit may be made yet: a leader that took this for a refusal would commit without a member of the plan's set.
    @Test
    void whatWasPerhapsWrittenIsNotRefusedAfterwards() {
        decide(Set.of());
        decide(Set.of(2));
        assertThat(answer())
                .isInstanceOfSatisfying(
                        InSyncAnswer.Refused.class,
                        refused -> assertThat(refused.flaw()).isEqualTo(Flaw.STORE_FAILED));
    }

    @Test
    void whatIsGrantedTheSecondTimeIsGranted() {
        decide(Set.of());
        decide(Set.of());
        assertThat(answer()).isEqualTo(new InSyncAnswer.Accepted(1, 5, List.of(1, 2), 8));
    }
}
