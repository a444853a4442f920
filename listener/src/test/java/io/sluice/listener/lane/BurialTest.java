package io.sluice.listener.lane;

import static io.sluice.listener.lane.Script.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A dead letter keeps its slot and its place in the order until it is stored, step by step on one thread.
class BurialTest {
    private final List<String> begun = new ArrayList<>();
    private final Script.ByHand threads = new Script.ByHand();
    private final Script script =
            new Script(
                    LaneSettings.lane("all", new FixedLimit(2), this::work)
                            .on(threads)
                            .inOrder(Order.KEY));
    private final Message bad = message("bad", "key");

    BurialTest() {
        script.buries = false;
        script.poll(bad, message("next", "key"));
    }

    private void work(Job job) {
        begun.add(job.message().id());
        if (job.message().id().equals("bad")) {
            throw new UnprocessableException("not a PDF");
        }
    }

    private LaneState state() {
        return script.state("all");
    }

    @Test
    void whoWaitsBehindADeadLetterBeginsWhenThatIsSafe() {
        threads.runNext();
        assertThat(threads.jobs).as("nobody begins").isEmpty();
        assertThat(state().inFlight()).isEqualTo(2);
        assertThat(state().deadLettered()).isZero();
        assertThat(state().sentence())
                .isEqualTo(
                        "Lane all takes no more: all of its 2 slots are taken, 1 by dead letters that are not yet stored.");

        script.lanes.buried(bad);
        threads.runNext();
        assertThat(begun).containsExactly("bad", "next");
        assertThat(script.told).containsExactly("bad DeadLetter", "next Done");
        assertThat(state().deadLettered()).isEqualTo(1);
        assertThat(script.poll()).as("all slots are back").isEqualTo(2);
        script.lanes.buried(bad);
        assertThat(state().deadLettered()).as("said twice, counted once").isEqualTo(1);
    }

    @Test
    void whoWaitsBehindADeadLetterThatCannotBeStoredGoesBackWithIt() {
        long before = script.lanes.comebacks();
        threads.runNext();
        script.lanes.unburied(bad, "there is no such topic");

        assertThat(threads.jobs).isEmpty();
        assertThat(script.told).containsExactly("bad DeadLetter", "next HandBack");
        assertThat(script.lanes.comebacks()).as("the source has to look").isGreaterThan(before);
        assertThat(state().deadLettered()).isZero();
        assertThat(state().handedBack()).isEqualTo(2);
        assertThat(script.poll()).isEqualTo(2);
    }

    @Test
    void aSourceThatBreaksOnADeadLetterCostsNoSlot() {
        script.meanwhile =
                () -> {
                    throw new IllegalStateException("broken");
                };
        threads.runNext();

        assertThat(script.told).containsExactly("bad DeadLetter", "next HandBack");
        assertThat(script.poll()).isEqualTo(2);
    }

    @Test
    void whatHasNoLaneHasNoSlotAndItsSourceHearsSo() {
        var letters = new ArrayList<Settlement>();
        var lanes =
                new Lanes(
                        List.of(LaneSettings.lane("all", new FixedLimit(1), job -> {})),
                        message -> "no such lane",
                        (message, settlement) -> letters.add(settlement),
                        LaneObserver.NONE);
        try (Reservation room = lanes.reserve(1)) {
            room.deliver(List.of(message("stray")));
        }
        assertThat(letters)
                .singleElement()
                .isInstanceOfSatisfying(
                        Settlement.DeadLetter.class,
                        letter -> assertThat(letter.slotless()).isTrue());
        assertThat(lanes.states().getFirst().inFlight()).isZero();
    }

    @Test
    void whatIsNoDeadLetterIsNotBuried() {
        Runnable running = threads.jobs.removeFirst();
        script.lanes.lost(bad, "lease expired");
        script.lanes.buried(bad);
        script.lanes.unburied(message("somebody else's"), "never heard of it");

        assertThat(state().deadLettered()).isZero();
        assertThat(state().inFlight()).as("its thread is not back").isEqualTo(2);
        running.run();
        assertThat(script.told).containsExactly("bad Lost", "next HandBack");
        assertThat(script.poll()).isEqualTo(2);
    }
}
