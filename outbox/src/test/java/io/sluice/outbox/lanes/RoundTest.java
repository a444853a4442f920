package io.sluice.outbox.lanes;

import static io.sluice.outbox.lanes.Events.event;
import static io.sluice.outbox.lanes.Events.lane;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RoundTest {
    private static final String NOW = "20:20:";

    private final Lane one = lane(1, 100);
    private final Lane two = lane(2, 0);
    private final Lane idle = lane(3, 5);

    @Test
    void eventsAreNumberedByTheirPlaceInTheLane() {
        Round round = round(true, Set.of(), event(1, 1, "a"), event(2, 2, "b"), event(3, 1, "c"));
        assertThat(round.toSend()).extracting(Numbered::sequence).containsExactly(101L, 1L, 102L);
    }

    @Test
    void onlyLanesWithEventsAreOpenedAndNeedSaving() {
        round(true, Set.of(), event(1, 1, "a"));
        assertThat(one.cursor().bound()).isEqualTo(NOW);
        assertThat(one.isUnsaved()).isTrue();
        assertThat(idle.cursor().isOpen()).isFalse();
        assertThat(idle.isUnsaved()).isFalse();
    }

    @Test
    void aRoundHasBegunWhenItsLanesAreSavedAsOpen() {
        Round round = round(false, Set.of(), event(1, 1, "a"), event(2, 2, "b"));
        one.saved();
        assertThat(round.isBegun()).isFalse();
        two.saved();
        assertThat(round.isBegun()).isTrue();
        round.acknowledged(round.toSend());
        round.finish();
        assertThat(round.isBegun()).as("what is done since need not be saved first").isTrue();
        assertThat(one.isUnsaved()).isTrue();
    }

    @Test
    void aCompletePageClosesAllLanesAndTheIdleOnesNeedNoSaving() {
        Round round = round(true, Set.of(), event(1, 1, "a"), event(2, 1, "b"));
        round.acknowledged(round.toSend());
        round.finish();
        assertThat(one.cursor()).isEqualTo(new LaneCursor(NOW, null, 0, 102));
        assertThat(idle.cursor()).isEqualTo(new LaneCursor(NOW, null, 0, 5));
        assertThat(idle.isUnsaved()).isFalse();
    }

    @Test
    void aPageWithMoreBehindItLeavesItsLanesOpenAndTheOthersWhereTheyWere() {
        Round round = round(false, Set.of(), event(4, 1, "a"));
        round.acknowledged(round.toSend());
        round.finish();
        assertThat(one.cursor()).isEqualTo(new LaneCursor("10:10:", NOW, 4, 101));
        assertThat(idle.cursor().seen()).isEqualTo("10:10:");
    }

    @Test
    void aLaneStopsBeforeItsFirstEventWithoutAcknowledgement() {
        Round round = round(true, Set.of(), event(1, 1, "a"), event(2, 1, "b"), event(3, 1, "c"));
        List<Numbered> sent = round.toSend();
        round.acknowledged(List.of(sent.get(0), sent.get(2)));
        round.leave(1);
        round.finish();
        assertThat(one.cursor()).isEqualTo(new LaneCursor("10:10:", NOW, 1, 101));
    }

    @Test
    void whatWasNotFinishedGetsTheSameNumbersFromASuccessor() {
        Round first = round(true, Set.of(), event(1, 1, "a"), event(2, 1, "b"), event(3, 1, "c"));
        first.acknowledged(first.toSend().subList(0, 1));
        first.finish();

        Lane taken = new Lane(1, 2, one.cursor());
        Page rest = new Page("50:50:", List.of(event(2, 1, "b"), event(3, 1, "c")), true);
        Round second = Round.of(rest, List.of(taken), _ -> false);
        assertThat(second.toSend()).extracting(Numbered::sequence).containsExactly(102L, 103L);
        second.acknowledged(second.toSend());
        second.finish();
        assertThat(taken.cursor()).isEqualTo(new LaneCursor(NOW, null, 0, 103));
    }

    @Test
    void laterEventsOfAParkedKeyWaitAndOthersGoOn() {
        Round round =
                round(
                        true,
                        Set.of(),
                        event(1, 1, "a"),
                        event(2, 1, "b"),
                        event(3, 1, "a"),
                        event(4, 1, "c"));
        assertThat(round.behind(event(1, 1, "a")))
                .extracting(e -> e.event().ord())
                .containsExactly(3L);
        round.parked(event(1, 1, "a"));
        assertThat(round.toSend()).extracting(e -> e.event().key()).containsExactly("b", "c");
        round.acknowledged(round.toSend());
        round.finish();
        assertThat(one.cursor()).isEqualTo(new LaneCursor(NOW, null, 0, 104));
    }

    @Test
    void whatStandsBeforeARefusedEventIsStillSent() {
        Round round = round(true, Set.of(), event(1, 1, "a"), event(2, 1, "a"), event(3, 1, "a"));
        round.parked(event(2, 1, "a"));
        assertThat(round.toSend()).extracting(e -> e.event().ord()).containsExactly(1L);
        assertThat(round.waiting()).extracting(e -> e.event().ord()).containsExactly(3L);
    }

    @Test
    void eventsOfAKeyThatIsAlreadyParkedWait() {
        Round round = round(true, Set.of("a"), event(1, 1, "a"), event(2, 1, "b"));
        assertThat(round.toSend()).extracting(e -> e.event().key()).containsExactly("b");
        assertThat(round.waiting()).extracting(e -> e.event().ord()).containsExactly(1L);
        round.acknowledged(round.toSend());
        assertThat(round.isDone()).isTrue();
        round.finish();
        assertThat(one.cursor().sequence()).isEqualTo(102);
    }

    /// It was sent before the one behind it was refused, and is read again after a crash: consumers know it by its number.
    @Test
    void whatStandsBeforeAParkedEventIsSentWithTheNumberOfItsPlace() {
        Page page = new Page(NOW, List.of(event(1, 1, "a"), event(2, 1, "a")), true);
        Round round = Round.of(page, List.of(one), event -> event.ord() >= 2);
        assertThat(round.toSend()).extracting(Numbered::sequence).containsExactly(101L);
        assertThat(round.waiting()).extracting(Numbered::sequence).containsExactly(102L);
    }

    /// Behind an event that is left, the lane has not moved, whatever waits there.
    @Test
    void whatWaitsBehindALeftEventDoesNotMoveTheLane() {
        Round round = round(true, Set.of("b"), event(1, 1, "a"), event(2, 1, "b"));
        round.leave(1);
        assertThat(round.isDone()).isFalse();
        round.finish();
        assertThat(one.cursor().position()).isZero();
    }

    /// How far a stream is stands elsewhere; a lane only counts.
    @Test
    void eventsOfAStreamOnlyMoveTheNumbers() {
        Page page = Page.ofStream(List.of(event(9, 1, "a"), event(4, 1, "b")));
        Round round = Round.of(page, List.of(one, idle), _ -> false);
        assertThat(round.toSend()).extracting(Numbered::sequence).containsExactly(101L, 102L);
        round.acknowledged(round.toSend());
        round.finish();
        assertThat(one.cursor()).isEqualTo(new LaneCursor("10:10:", null, 0, 102));
        assertThat(idle.isUnsaved()).isFalse();
    }

    private Round round(boolean complete, Set<String> parked, Event... events) {
        return Round.of(
                new Page(NOW, List.of(events), complete),
                List.of(one, two, idle),
                event -> parked.contains(event.key()));
    }
}
