package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Events;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.View;
import io.sluice.outbox.membership.LaneOwnership;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.parking.ParkingLot;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Refusal;
import io.sluice.outbox.publishing.Sender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// When a relay leaves its lanes to others, and when it must not.
@Timeout(30)
class DispatchTest {
    private static final Numbered FIRST = new Numbered(Events.event(1, 0, "a"), 1);
    private static final Numbered STUCK = new Numbered(Events.event(2, 0, "b"), 2);
    private static final Numbered BEHIND = new Numbered(Events.event(3, 0, "a"), 3);

    private final Partitions broker = new Partitions();
    private final Page page = new Page();

    @Test
    @DisplayName("O6: a partition without a leader is no reason to repeat what the others took")
    void whoIsAnsweredKeepsItsLanes() throws Exception {
        Dispatch dispatch = dispatch(2);
        broker.answers = 3;
        broker.refusals = 3;
        dispatch.send(broker, page);
        assertThat(broker.asked).isEqualTo(3);
        assertThat(dispatch.isCutOff()).isFalse();
        assertThat(page.left).isEmpty();
        assertThat(broker.taken).containsExactly(FIRST, BEHIND, STUCK);
    }

    @Test
    void whoIsNotAnsweredLeavesTheRestToOthers() throws Exception {
        Dispatch dispatch = dispatch(2);
        broker.answers = 2;
        dispatch.send(broker, page);
        assertThat(broker.asked).isEqualTo(3);
        assertThat(dispatch.isCutOff()).isTrue();
        assertThat(page.left).containsExactly(STUCK);
        dispatch.beginAgain();
        assertThat(dispatch.isCutOff()).isFalse();
    }

    @Test
    void whoIsAloneDoesNotAsk() throws Exception {
        Dispatch dispatch = dispatch(1);
        broker.refusals = 3;
        dispatch.send(broker, page);
        assertThat(broker.asked).isZero();
        assertThat(page.left).isEmpty();
    }

    /// With a topic that is missing each attempt takes `max.block.ms`, and members are not followed meanwhile.
    @Test
    void aWrongSettingStopsAllLanesWithOneAttempt() throws Exception {
        Dispatch dispatch = dispatch(2);
        List<Integer> stopped = new ArrayList<>();
        Page lanes =
                new Page() {
                    @Override
                    public void leave(int lane) {
                        stopped.add(lane);
                        left.removeIf(event -> event.event().lane() == lane);
                    }
                };
        lanes.left.add(new Numbered(Events.event(4, 1, "c"), 1));
        lanes.left.add(new Numbered(Events.event(5, 2, "d"), 1));
        broker.misconfigured = true;
        dispatch.send(broker, lanes);
        assertThat(broker.attempts).isEqualTo(1);
        assertThat(stopped).containsExactly(0, 1, 2);
        assertThat(dispatch.misconfiguration()).hasValue("no such topic");
        broker.misconfigured = false;
        broker.refusals = 0;
        dispatch.send(broker, page);
        assertThat(dispatch.misconfiguration()).isEmpty();
    }

    /// Every pause is longer than its patience.
    private static Dispatch dispatch(int members) {
        TreeSet<Long> numbers = new TreeSet<>();
        for (long number = 0; number < members; number++) {
            numbers.add(number);
        }
        View view = new View(numbers, new TreeMap<>(), 64, Mode.LOG);
        Seat seat = new Seat(0, 1, view, System.nanoTime() + Duration.ofHours(1).toNanos());
        Backoff parking = new Backoff(Duration.ofSeconds(5), Duration.ofSeconds(600));
        return new Dispatch(
                () -> Optional.of(seat),
                new Waking(),
                new RelayStatus(latency -> {}, () -> 0),
                new OwnedLanes(
                        new LaneOwnership("events"), new ParkingLot("events", parking, 1 << 20)),
                () -> {},
                Duration.ofMillis(1));
    }

    private static class Page implements Dispatch.Work {
        final List<Numbered> left = new ArrayList<>(List.of(FIRST, STUCK, BEHIND));

        @Override
        public List<Numbered> toSend() {
            return List.copyOf(left);
        }

        @Override
        public void acknowledged(Collection<Numbered> events) {
            left.removeAll(events);
        }

        @Override
        public void refused(Numbered event, String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void leave(int lane) {
            throw new AssertionError("lane " + lane + " stops");
        }
    }

    /// A broker one of whose partitions has no leader.
    private static final class Partitions implements Sender {
        final List<Numbered> taken = new ArrayList<>();
        boolean misconfigured;
        int attempts;
        int answers;
        int asked;
        int refusals = Integer.MAX_VALUE; // Until it has one again.

        @Override
        public Outcome publish(
                List<Numbered> events, BooleanSupplier goOn, Supplier<List<Numbered>> behind) {
            attempts++;
            if (misconfigured) {
                Refusal why = new Refusal.OfConfiguration("no such topic");
                return new Outcome(
                        List.of(), Optional.of(new Outcome.Refused(events.getFirst(), why)));
            }
            List<Numbered> now = new ArrayList<>(events);
            boolean refuses = now.contains(STUCK) && refusals-- > 0;
            if (refuses) {
                now.remove(STUCK);
            }
            taken.addAll(now);
            return new Outcome(
                    now,
                    refuses
                            ? Optional.of(
                                    new Outcome.Refused(STUCK, new Refusal.Transport("no leader")))
                            : Optional.empty());
        }

        @Override
        public Optional<Refusal> prepare() {
            asked++;
            return asked <= answers
                    ? Optional.empty()
                    : Optional.of(new Refusal.Transport("no answer"));
        }

        @Override
        public void close() {}
    }
}
