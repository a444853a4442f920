package io.sluice.listener.lane;

import static io.sluice.listener.lane.Script.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.limit.CalibratingLimit;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.limit.Limit.Progress;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// Slots, order and ends, step by step on one thread.
class LanesTest {
    private final List<String> begun = new ArrayList<>();
    private final Script.ByHand heavyThreads = new Script.ByHand();
    private final Script.ByHand lightThreads = new Script.ByHand();

    private final LaneSettings heavy =
            LaneSettings.lane("heavy", new FixedLimit(3, 10), this::note).on(heavyThreads);
    private final LaneSettings light =
            LaneSettings.lane("light", new FixedLimit(2), this::note).on(lightThreads);

    private void note(Job job) {
        begun.add(job.message().id());
    }

    private static Message light(String id) {
        return message(id, null, Map.of("lane", "light"));
    }

    @Test
    @DisplayName("B3: a poll is for exactly the free slots, and at the limit there is none")
    void aPollIsForExactlyTheFreeSlots() {
        var script = new Script(heavy);

        assertThat(script.poll(message("a"))).isEqualTo(3);
        assertThat(script.poll(message("b"), message("c"))).isEqualTo(2);
        assertThat(script.poll()).isZero();

        heavyThreads.runNext();
        assertThat(script.poll()).as("refilled at once").isEqualTo(1);
        assertThat(script.told).containsExactly("a Done");
    }

    @Test
    @DisplayName("B4: what one poll has been promised, no other poll gets")
    void roomIsPromisedOnce() {
        var script = new Script(heavy);
        try (Reservation first = script.lanes.reserve(2);
                Reservation second = script.lanes.reserve(10)) {
            assertThat(first.size()).isEqualTo(2);
            assertThat(second.size()).isEqualTo(1);
        }
        assertThat(script.lanes.reserved()).isZero();
    }

    @Test
    @DisplayName("B6: a full heavy lane takes no slot from the light one, and its messages go back")
    void aFullLaneHoldsUpNobody() {
        var script = new Script(heavy, light);
        script.poll(message("h1"), message("h2"), message("h3"));

        assertThat(script.poll(message("h4"), light("l1"))).isEqualTo(2);

        lightThreads.runNext();
        assertThat(begun).containsExactly("l1");
        assertThat(script.told).containsExactly("h4 HandBack", "l1 Done");
        assertThat(script.state("heavy").refused()).isEqualTo(1);
    }

    @Test
    void aMessageOfAFullLaneComesAgainAboutWhenASlotIsFree() {
        var script = new Script(heavy, light);
        for (int i = 0; i < 50; i++) {
            script.poll(message("h"));
            script.advance(Duration.ofSeconds(60));
            heavyThreads.runNext();
        }
        script.poll(message("h1"), message("h2"), message("h3"));
        script.poll(message("h4"));

        assertThat(script.delays.getLast())
                .isBetween(Duration.ofSeconds(19), Duration.ofSeconds(21));
        script.poll(message("h5"));
        assertThat(script.delays.getLast())
                .as("behind the one before it")
                .isBetween(Duration.ofSeconds(38), Duration.ofSeconds(42));
        for (int i = 6; i < 100; i++) {
            script.poll(message("h" + i));
        }
        assertThat(script.delays.getLast())
                .as("nobody stays away for longer")
                .isEqualTo(Duration.ofMinutes(2));
        script.advance(Duration.ofMinutes(10));
        script.poll(message("h100"));
        assertThat(script.delays.getLast())
                .as("old appointments are forgotten")
                .isBetween(Duration.ofSeconds(19), Duration.ofSeconds(21));
    }

    @Test
    @DisplayName(
            "A job that never ends has failed: tried again, and in the end a dead letter that says so")
    void anOverdueJobHasFailed() {
        var script = new Script(heavy);
        Message first = message("endless");
        script.poll(first);
        heavyThreads.jobs.clear(); // it is at work, for ever

        script.lanes.overdue(first, "its job takes longer than PT1H");
        assertThat(script.told).containsExactly("endless Retry");
        assertThat(script.state("heavy").inFlight()).as("its thread is not back").isEqualTo(1);
        script.lanes.overdue(first, "its job takes longer than PT1H");
        assertThat(script.told).as("said once").hasSize(1);

        Message last = new Message("endless", new byte[0], Map.of(), null, "p", 5, "receipt");
        script.poll(last);
        script.lanes.overdue(last, "its job takes longer than PT1H");
        assertThat(script.told).containsExactly("endless Retry", "endless DeadLetter");
    }

    @Test
    void whoOnlyWaitedBehindAnOverdueJobIsNotToBlame() {
        var script = new Script(heavy.inOrder(Order.KEY));
        Message first = message("a1", "a");
        Message second = message("a2", "a");
        script.poll(first, second);
        script.lanes.overdue(second, "too long");
        assertThat(script.told).containsExactly("a2 HandBack");
        script.lanes.overdue(first, "too long");
        assertThat(script.told).containsExactly("a2 HandBack", "a1 Retry");
    }

    /// Otherwise the third would run before the second, which comes again.
    @Test
    void whoGoesBackWhileItWaitsTakesThoseBehindItAlong() {
        var script = new Script(heavy.inOrder(Order.KEY));
        Message second = message("a2", "a");
        script.poll(message("a1", "a"), second, message("a3", "a"));
        script.lanes.overdue(second, "too long");
        assertThat(script.told).containsExactly("a2 HandBack", "a3 HandBack");
        heavyThreads.runNext();
        assertThat(begun).containsExactly("a1");
        assertThat(script.poll()).isEqualTo(3);
    }

    /// Between the verdict and the moment when the source has heard of it the next one of the key must not begin: it would overtake what comes again.
    @Test
    void aKeyIsNotFreeBeforeTheSourceKnowsWhatComesAgain() {
        var script = new Script(heavy.inOrder(Order.KEY));
        Message first = message("a1", "a");
        script.poll(first);
        script.meanwhile =
                () -> {
                    heavyThreads.runNext(); // its thread comes back
                    script.poll(message("a2", "a"));
                };
        script.lanes.overdue(first, "too long");

        assertThat(heavyThreads.jobs).as("nobody begins").isEmpty();
        assertThat(script.told).containsExactly("a1 Retry", "a2 HandBack");
        assertThat(script.poll()).isEqualTo(3);
    }

    @Test
    void whoComesWhileThoseBehindAreToldGoesBackWithThem() {
        var script = new Script(heavy.inOrder(Order.KEY));
        Message first = message("a1", "a");
        script.poll(first, message("a2", "a"));
        script.lanes.lost(first, "lease expired");
        script.meanwhile = () -> script.poll(message("a3", "a"));
        heavyThreads.runNext();

        assertThat(heavyThreads.jobs).isEmpty();
        assertThat(script.told).containsExactly("a1 Lost", "a2 HandBack", "a3 HandBack");
        assertThat(script.poll()).isEqualTo(3);
    }

    @Test
    void whoGoesBackWhileItsPredecessorEndsIsNotBegun() {
        var script = new Script(heavy.inOrder(Order.KEY));
        Message second = message("a2", "a");
        script.poll(message("a1", "a"), second);
        script.meanwhile = heavyThreads::runNext;
        script.lanes.overdue(second, "too long");

        assertThat(begun).containsExactly("a1");
        assertThat(heavyThreads.jobs).isEmpty();
        assertThat(script.told).containsExactly("a2 HandBack", "a1 Done");
        assertThat(script.poll(message("a3", "a"))).isEqualTo(3);
        assertThat(heavyThreads.jobs).as("the key is free again").hasSize(1);
    }

    @Test
    void whatIsHandedInByOldKnowledgeIsNotTaken() {
        var script = new Script(heavy.inOrder(Order.KEY));
        Message first = message("a1", "a");
        script.poll(first);
        long before = script.lanes.comebacks();
        script.lanes.lost(first, "partition revoked");
        heavyThreads.runNext();

        try (Reservation room = script.lanes.reserve(2)) {
            assertThat(room.deliver(message("a2", "a"), before)).isFalse();
            assertThat(room.deliver(message("a2", "a"), script.lanes.comebacks())).isTrue();
        }
        assertThat(script.told).containsExactly("a1 Lost");
        assertThat(script.state("heavy").inFlight()).isEqualTo(1);
    }

    @Test
    @DisplayName("B5: 10,000 refusals of the executor lose neither a slot nor a message")
    void aBreachIsCountedAndLosesNothing() {
        var script = new Script(heavy);
        heavyThreads.refuses = 10_000;
        for (int i = 0; i < 10_000; i++) {
            assertThat(script.poll(message("m" + i))).isEqualTo(3);
        }
        assertThat(script.told).hasSize(10_000).allMatch(line -> line.endsWith("HandBack"));
        assertThat(script.state("heavy").breaches()).isEqualTo(10_000);
        assertThat(script.poll()).isEqualTo(3);
    }

    @Test
    void messagesOfOneKeyRunOneAfterTheOther() {
        var script = new Script(heavy.inOrder(Order.KEY));
        script.poll(message("a1", "a"), message("a2", "a"), message("b1", "b"));

        assertThat(heavyThreads.jobs).hasSize(2);
        assertThat(script.state("heavy").waiting()).isEqualTo(1);
        heavyThreads.runNext();
        heavyThreads.runNext();
        heavyThreads.runNext();
        assertThat(begun).containsExactly("a1", "b1", "a2");
    }

    @Test
    void messagesOfOnePartitionRunOneAfterTheOther() {
        var script = new Script(heavy.inOrder(Order.PARTITION));
        script.poll(message("a", "x"), message("b", "y"), message("c"));

        assertThat(heavyThreads.jobs).hasSize(1);
    }

    @Test
    void aMessageWithoutALaneIsADeadLetterAndTakesNoSlot() {
        var script = new Script(heavy);
        script.poll(message("x", null, Map.of("lane", "nowhere")));

        assertThat(script.told).containsExactly("x DeadLetter");
        assertThat(script.poll()).isEqualTo(3);
    }

    /// Otherwise it could neither be logged nor be a dead letter's cause: its message would come again for ever.
    @Test
    void aClassifierWhoseExceptionCannotSayWhatItIsMakesADeadLetterAllTheSame() {
        var mute =
                new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new UnsupportedOperationException("no words");
                    }
                };
        var causes = new ArrayList<String>();
        var lanes =
                new Lanes(
                        List.of(heavy),
                        message -> {
                            throw mute;
                        },
                        (message, verdict) ->
                                causes.add(((Settlement.DeadLetter) verdict).cause().toString()),
                        LaneObserver.NONE);
        try (Reservation room = lanes.reserve(1)) {
            room.deliver(List.of(message("x")));
        }
        assertThat(causes).singleElement().asString().contains("does not say what it is");
    }

    @Test
    void aLostMessageIsNeverAcknowledged() {
        Message message = message("a");
        var script = new Script(heavy);
        script.poll(message);
        script.lanes.lost(message, "lease expired");
        assertThat(script.poll()).as("its thread has not come back").isEqualTo(2);
        heavyThreads.runNext();

        assertThat(begun).as("not begun any more").isEmpty();
        assertThat(script.told).containsExactly("a Lost");
        assertThat(script.poll()).isEqualTo(3);
    }

    @Test
    void thoseBehindALostMessageGoBackWithIt() {
        Message first = message("a1", "a");
        var script = new Script(heavy.inOrder(Order.KEY));
        script.poll(first, message("a2", "a"), message("a3", "a"));
        script.lanes.lost(first, "lease expired");
        heavyThreads.runNext();

        assertThat(begun).isEmpty();
        assertThat(script.told).containsExactly("a1 Lost", "a2 HandBack", "a3 HandBack");
        assertThat(script.poll()).isEqualTo(3);
    }

    @Test
    void theLimitChangesWhileJobsRun() {
        var script = new Script(heavy);
        script.poll(message("a"), message("b"), message("c"));

        script.lanes.limit("heavy", 5);
        assertThat(script.poll()).isEqualTo(2);
        script.lanes.limit("heavy", 1);
        heavyThreads.runNext();
        assertThat(script.poll()).as("two still run").isZero();
        heavyThreads.runNext();
        heavyThreads.runNext();
        assertThat(script.poll()).isEqualTo(1);
        assertThatThrownBy(() -> script.lanes.limit("heavy", 11))
                .hasMessageContaining("from 1 to 10");
    }

    @Test
    void stoppingHandsBackWhatHasNotBegun() {
        var script = new Script(heavy.inOrder(Order.KEY));
        script.poll(message("a1", "a"), message("a2", "a"));
        Reservation room = script.lanes.reserve(1);
        script.lanes.stop();
        room.deliver(List.of(message("late")));
        heavyThreads.runNext();

        assertThat(begun).containsExactly("a1");
        assertThat(script.told).containsExactly("a2 HandBack", "late HandBack", "a1 Done");
        assertThat(script.poll()).isZero();
    }

    @Test
    void anAbandonedJobGoesBackAndItsLateResultDoesNotCount() {
        var script = new Script(heavy);
        script.poll(message("a"));
        script.lanes.stop();
        script.lanes.abandon("the deadline has passed");
        heavyThreads.runNext();

        assertThat(script.told).containsExactly("a HandBack");
        assertThat(script.state("heavy").inFlight()).isZero();
    }

    @Test
    void theStateSaysWhyTheLaneTakesNoMore() {
        var script = new Script(heavy);
        assertThat(script.state("heavy").sentence())
                .isEqualTo("Lane heavy has room for 3 more (0 of 3 taken) and waits for messages.");
        script.poll(message("a"), message("b"), message("c"));
        script.advance(Duration.ofSeconds(12));
        assertThat(script.state("heavy").sentence())
                .isEqualTo(
                        "Lane heavy takes no more: all of its 3 slots are taken, the oldest job runs for 12 s.");
        script.lanes.stop();
        assertThat(script.state("heavy").sentence())
                .isEqualTo(
                        "Lane heavy takes no more because the listener stops; 3 jobs still to end.");
    }

    @Test
    void aPoolSmallerThanTheLimitIsRefusedAtStart() {
        try (var pool = new WorkerPool("heavy", 2)) {
            assertThatThrownBy(() -> heavy.on(pool))
                    .hasMessageContaining("size 2")
                    .hasMessageContaining("greatest limit 10");
        }
    }

    @Test
    @DisplayName("B5: so is a calibration through more jobs than there are threads")
    void aCalibrationBeyondThePoolIsRefused() {
        try (var pool = new WorkerPool("heavy", 3)) {
            var script =
                    new Script(LaneSettings.lane("heavy", new FixedLimit(3), job -> {}).on(pool));
            var through = new CalibratingLimit(4, Progress.CPU, Duration.ofSeconds(1), 0);
            assertThatThrownBy(() -> script.lanes.limit("heavy", through))
                    .hasMessageContaining("size 3, smaller than its greatest limit 4");
            assertThat(script.state("heavy").limit()).as("as it was").isEqualTo(3);
        }
    }

    @Test
    void pollsThatBringOnlyMisfitsAreSlowedDown() {
        var pace = new MisfitPace();
        long now = 0;
        for (int i = 0; i < MisfitPace.AT_ONCE / 10; i++) {
            pace.polled(10, 0, now);
            assertThat(pace.pauseNanos(now)).as("a crowd is let through").isZero();
        }
        int misfits = 0;
        while (now < Duration.ofSeconds(10).toNanos()) {
            pace.polled(10, 0, now);
            misfits += 10;
            now += Math.max(1, pace.pauseNanos(now));
        }
        assertThat(misfits).isBetween(9 * MisfitPace.PER_SECOND, 11 * MisfitPace.PER_SECOND);
        pace.polled(10, 10, now + Duration.ofSeconds(1).toNanos());
        assertThat(pace.pauseNanos(now + Duration.ofSeconds(1).toNanos())).isZero();
    }
}
