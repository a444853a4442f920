package io.sluice.outbox.lanes;

import static io.sluice.outbox.lanes.Events.event;
import static io.sluice.outbox.lanes.Events.lane;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class OutlookTest {
    private final Lane one = lane(1, 100);
    private final Lane two = lane(2, 0);
    private final List<Lane> lanes = List.of(one, two);
    private final Page page =
            new Page(
                    "20:20:", List.of(event(4, 1, "a"), event(7, 1, "b"), event(8, 1, "a")), false);
    private final Round round = Round.of(page, lanes, event -> false);
    private final Outlook outlook = Outlook.of(round, lanes);

    @Test
    void aLaneIsReadBehindItsLastEventThatIsUnderWay() {
        assertThat(outlook.position(one)).isEqualTo(8);
        assertThat(outlook.position(two)).isZero();
        assertThat(one.cursor().position()).as("what is saved").isZero();
    }

    @Test
    void itComesTrueWhenAllIsAcknowledged() {
        assertThat(outlook.hasComeTrue(lanes)).isFalse();
        round.acknowledged(round.toSend());
        round.finish();
        assertThat(outlook.hasComeTrue(lanes)).isTrue();
        assertThat(one.cursor()).isEqualTo(new LaneCursor("10:10:", "20:20:", 8, 103));
    }

    @Test
    void anEventThatIsParkedIsDone() {
        round.acknowledged(round.toSend().subList(1, 2));
        round.parked(event(4, 1, "a"));
        round.finish();
        assertThat(outlook.hasComeTrue(lanes)).isTrue();
    }

    @Test
    void itDoesNotComeTrueWhenSomethingIsLeft() {
        round.acknowledged(round.toSend().subList(0, 2));
        round.leave(1);
        round.finish();
        assertThat(outlook.hasComeTrue(lanes)).isFalse();
    }

    @Test
    void itIsAboutTheseLanesUnderTheseEpochs() {
        round.acknowledged(round.toSend());
        round.finish();
        Lane again = new Lane(1, 2, one.cursor());
        assertThat(outlook.hasComeTrue(List.of(again, two))).isFalse();
        assertThat(outlook.hasComeTrue(List.of(one))).isFalse();
        assertThat(outlook.hasComeTrue(List.of(one, two, lane(3, 0)))).isFalse();
        assertThat(outlook.hasComeTrue(List.of(one, lane(3, 0)))).isFalse();
    }

    /// Its numbers are not those that were foreseen.
    @Test
    void aLaneThatWasUsedForSomethingElseIsNotThere() {
        round.acknowledged(round.toSend());
        round.finish();
        two.reserve(1);
        assertThat(outlook.hasComeTrue(lanes)).isFalse();
    }
}
