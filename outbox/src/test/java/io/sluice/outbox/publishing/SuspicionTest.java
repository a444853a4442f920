package io.sluice.outbox.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.junit.jupiter.api.Test;

/// A broker that refuses requests with one event in it, and does not say which.
class SuspicionTest {
    private final Suspicion suspicion = new Suspicion();

    @Test
    void onlyTheGuiltyOneIsParked() {
        List<Numbered> left =
                new ArrayList<>(IntStream.range(0, 100).mapToObj(SuspicionTest::event).toList());
        List<Long> parked = new ArrayList<>();
        List<Long> published = new ArrayList<>();
        int requests = 0;
        while (!left.isEmpty()) {
            requests++;
            List<Numbered> sent = List.copyOf(suspicion.some(left));
            Outcome outcome = send(sent, 70);
            if (outcome.refused().isEmpty()) {
                suspicion.passed();
                sent.forEach(event -> published.add(event.event().ord()));
                left.removeAll(sent);
            } else if (suspicion.of(sent, outcome.refused().get()) instanceof Refusal.OfRecord) {
                parked.add(sent.getFirst().event().ord());
                left.removeFirst();
            }
        }
        assertThat(parked).containsExactly(70L);
        assertThat(published).hasSize(99).isSorted();
        assertThat(requests).as("far less than one for each event").isLessThan(50);
    }

    @Test
    void anEventIsParkedWhenItWasRefusedAloneSeveralTimesInARow() {
        List<Numbered> alone = List.of(event(1));
        var refused = new Outcome.Refused(event(1), new Refusal.Unexplained("no"));
        for (int attempt = 1; attempt < Suspicion.ENOUGH; attempt++) {
            assertThat(suspicion.of(alone, refused)).isInstanceOf(Refusal.Transport.class);
        }
        assertThat(suspicion.of(alone, refused)).isInstanceOf(Refusal.OfRecord.class);
    }

    @Test
    void aBrokerThatWasInTroubleForAWhileParksNothing() {
        List<Numbered> alone = List.of(event(1));
        var refused = new Outcome.Refused(event(1), new Refusal.Unexplained("no"));
        for (int attempt = 1; attempt < 3 * Suspicion.ENOUGH; attempt++) {
            assertThat(suspicion.of(alone, refused)).isInstanceOf(Refusal.Transport.class);
            if (attempt % (Suspicion.ENOUGH - 1) == 0) {
                suspicion.passed();
            }
        }
    }

    @Test
    void whatTheBrokerMeansForGoodIsToldFromWhatWillPass() {
        assertThat(Refusal.of(new UnknownServerException("?")))
                .isInstanceOf(Refusal.Unexplained.class);
        assertThat(Refusal.of(new PolicyViolationException("no")))
                .isInstanceOf(Refusal.Unexplained.class);
        assertThat(
                        List.of(
                                Refusal.of(new TimeoutException("late")),
                                Refusal.of(new NotLeaderOrFollowerException("moved")),
                                Refusal.of(new InvalidProducerEpochException("old")),
                                Refusal.of(new TransactionAbortedException("aborted")),
                                Refusal.of(new IllegalStateException("closed"))))
                .allMatch(Refusal.Transport.class::isInstance);
    }

    private static Outcome send(List<Numbered> events, long guilty) {
        return events.stream().anyMatch(event -> event.event().ord() == guilty)
                ? new Outcome(
                        List.of(),
                        Optional.of(
                                new Outcome.Refused(
                                        events.getFirst(), new Refusal.Unexplained("no"))))
                : new Outcome(events, Optional.empty());
    }

    private static Numbered event(int ord) {
        return new Numbered(
                new Event(ord, 0, "" + ord, "key-" + ord, Map.of(), Event.Payload.of("1"), -1),
                ord);
    }
}
