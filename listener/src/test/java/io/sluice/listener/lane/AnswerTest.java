package io.sluice.listener.lane;

import static io.sluice.listener.lane.Script.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.failure.FailurePolicy.WhenOrdered;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Intake.OrderKept;
import io.sluice.listener.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Messages that came in one answer, where order counts and one of them goes back.
class AnswerTest {
    private final List<String> begun = new ArrayList<>();
    private final Script.ByHand heavyThreads = new Script.ByHand();
    private final Script.ByHand lightThreads = new Script.ByHand();

    private final LaneSettings heavy =
            LaneSettings.lane("heavy", new FixedLimit(3), this::note).on(heavyThreads);
    private final LaneSettings light =
            LaneSettings.lane("light", new FixedLimit(2), this::note).on(lightThreads);

    private void note(Job job) {
        begun.add(job.message().id());
    }

    private static Message light(String id) {
        return message(id, null, Map.of("lane", "light"));
    }

    /// All of them have been delivered already: their queue cannot keep the third back.
    @Test
    void whoIsBehindOneThatFoundItsLaneFullGoesBackWithIt() {
        var single =
                LaneSettings.lane("heavy", new FixedLimit(1), this::note)
                        .on(heavyThreads)
                        .inOrder(Order.KEY);
        var script = new Script(single, light);
        script.meanwhile = heavyThreads::runNext; // the second is being sent back
        script.poll(message("a1", "a"), message("a2", "a"), message("a3", "a"), message("b1", "b"));

        assertThat(script.told).containsExactly("a2 HandBack", "a1 Done", "a3 HandBack");
        assertThat(script.delays.getLast())
                .as("its order is held up by the one before it anyway")
                .isEqualTo(Duration.ZERO);
        heavyThreads.runNext();
        assertThat(begun).as("the slot is another order's").containsExactly("a1", "b1");
        assertThat(script.state("heavy").refused()).isEqualTo(1);
        assertThat(script.state("heavy").handedBack()).isEqualTo(2);
    }

    @Test
    void aSourceCanAskHowTheLanesKeepOrder() {
        var goesOn = FailurePolicy.standard().whenOrdered(WhenOrdered.CONTINUE);
        assertThat(new Script(heavy, light.inOrder(Order.KEY)).lanes.ordersKept())
                .containsExactlyInAnyOrder(OrderKept.NONE, OrderKept.WAITS);
        assertThat(new Script(heavy.inOrder(Order.PARTITION).onFailure(goesOn)).lanes.ordersKept())
                .containsExactly(OrderKept.CONTINUES);
    }

    @Test
    void whoCameWithOneThatWentBackMeanwhileGoesBackToo() {
        var script = new Script(heavy.inOrder(Order.KEY), light);
        script.poll(light("l1"), light("l2"));
        Message first = message("a1", "a");
        script.meanwhile =
                () -> {
                    script.lanes.lost(first, "lease expired");
                    heavyThreads.runNext();
                };
        script.poll(first, light("l3"), message("a2", "a"), message("b1", "b"));

        assertThat(script.told).containsExactly("l3 HandBack", "a1 Lost", "a2 HandBack");
        assertThat(heavyThreads.jobs).as("another order's").hasSize(1);
    }
}
