package io.sluice.listener.lane;

import static io.sluice.listener.lane.Script.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// When a poll waits for a moment, since there will be room for a whole answer.
class GatheringTest {
    private static final int MOST = 10;

    private final Slots slots =
            new Slots(
                    List.of(
                            LaneSettings.lane("heavy", new FixedLimit(MOST), job -> {}),
                            LaneSettings.lane("light", new FixedLimit(MOST), job -> {})));
    private long now;

    @Test
    void nobodyKnowsAnythingAtFirst() {
        assertThat(slots.gathers(MOST, now)).isFalse();
        enter("light");
        assertThat(slots.gathers(MOST, now)).isFalse();
    }

    @Test
    void slotsOfBriefJobsAreWaitedForUntilTheyAreWorthARequest() {
        havingDone("light", 40, Duration.ofMillis(1));

        List<Flight> flights = enter("light", MOST);
        land(flights.removeFirst());
        assertThat(slots.gathers(MOST, now)).as("one is free, nine will be").isTrue();
        flights.forEach(this::land);
        assertThat(slots.gathers(MOST, now)).isFalse();
    }

    /// They would be brought for the slots of the other lane, and would have to go back.
    @Test
    void noSecondPollFetchesWhatTheFirstOneIsAboutToFill() {
        havingDone("light", 40, Duration.ofMillis(1));

        assertThat(slots.reserve(MOST)).isEqualTo(MOST);
        assertThat(slots.free()).as("of the other lane").isEqualTo(MOST);
        assertThat(slots.gathers(MOST, now)).isTrue();
        slots.giveBack(MOST);
        assertThat(slots.gathers(MOST, now)).isFalse();
    }

    @Test
    void aSlotOfLongJobsIsFilledAtOnce() {
        havingDone("heavy", 40, Duration.ofMillis(100));

        List<Flight> flights = enter("heavy", MOST);
        land(flights.getFirst());
        assertThat(slots.gathers(MOST, now)).isFalse();
    }

    /// Whether it ends at all is not known.
    @Test
    void nobodyWaitsForAJobThatTakesLongerThanTheOthersDid() {
        havingDone("light", 40, Duration.ofMillis(1));

        List<Flight> flights = enter("light", MOST);
        now += Duration.ofMillis(21).toNanos();
        land(flights.getFirst());
        assertThat(slots.gathers(MOST, now)).isFalse();
    }

    @Test
    void aLaneThatGetsFewOfTheMessagesHoldsUpNobody() {
        havingDone("light", 40, Duration.ofMillis(1));

        enter("light", MOST - 1);
        assertThat(slots.gathers(MOST, now)).isTrue();
        havingDone("heavy", 40, Duration.ZERO);
        assertThat(slots.gathers(MOST, now)).isFalse();
    }

    /// Empty as it is, it has no room for its part of a whole answer: there is nothing to wait for.
    @Test
    void aLaneThatIsTooSmallForItsPartHoldsUpNobody() {
        slots.limit("light", 2, now);
        havingDone("light", 40, Duration.ofMillis(1));

        assertThat(slots.reserve(MOST)).isEqualTo(MOST);
        assertThat(slots.gathers(MOST, now)).isFalse();
    }

    private void havingDone(String lane, int jobs, Duration each) {
        for (int i = 0; i < jobs; i++) {
            Flight flight = enter(lane);
            now += each.toNanos();
            land(flight);
        }
    }

    private List<Flight> enter(String lane, int count) {
        List<Flight> flights = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            flights.add(enter(lane));
        }
        return flights;
    }

    private Flight enter(String lane) {
        var flight = new Flight(message("m", null), slots.requireLane(lane), now);
        slots.admit(flight, new Answer(slots.comebacks()), now);
        return flight;
    }

    private void land(Flight flight) {
        flight.endedNanos = now;
        var done = new Settlement.Done();
        slots.decide(flight, done);
        assertThat(slots.depart(flight, done, now).landed()).isTrue();
    }
}
