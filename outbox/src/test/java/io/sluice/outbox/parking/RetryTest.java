package io.sluice.outbox.parking;

import static io.sluice.outbox.lanes.Events.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Numbered;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RetryTest {
    private final AtomicLong sequence = new AtomicLong(100);

    @Test
    void refusedEventsGoFirstThenThoseBehindThem() {
        Retry retry = retry(parked(1, "a", null), parked(2, "a", null), parked(3, "b", null));
        assertThat(ords(retry.toSend())).containsExactly(1L, 3L);
        retry.acknowledged(retry.toSend());
        assertThat(ords(retry.toSend())).containsExactly(2L);
        retry.acknowledged(retry.toSend());
        assertThat(retry.toSend()).isEmpty();
        assertThat(retry.sent()).hasSize(3);
    }

    @Test
    void numbersGrowInTheOrderOfSending() {
        Retry retry = retry(parked(1, "a", null), parked(2, "a", null), parked(3, "b", null));
        assertThat(retry.all()).extracting(Numbered::sequence).containsExactly(101L, 102L, 103L);
        assertThat(ords(retry.all())).containsExactly(1L, 3L, 2L);
    }

    @Test
    void whatWaitsBehindARefusedEventIsNotSent() {
        Retry retry = retry(parked(1, "a", null), parked(2, "a", null), parked(3, "b", null));
        assertThat(retry.refused(retry.toSend().getFirst()).event().key()).isEqualTo("a");
        assertThat(ords(retry.toSend())).containsExactly(3L);
        retry.acknowledged(retry.toSend());
        assertThat(retry.toSend()).isEmpty();
    }

    /// A predecessor has numbered them, and may have sent them: the same numbers again, and nothing in between.
    @Test
    void aRetryThatSomebodyBeganIsFinishedFirst() {
        Retry retry = retry(parked(1, "a", 50L), parked(2, "a", 51L), parked(3, "b", null));
        assertThat(retry.all()).extracting(Numbered::sequence).containsExactly(50L, 51L);
        assertThat(sequence).hasValue(100);
    }

    /// The heads 101 to 103 are sent and gone. Were the first of each key taken for a head, 105 would come after 107, and count as known.
    @Test
    void whatIsLeftOfARetryIsSentInTheOrderOfItsNumbers() {
        Retry retry =
                retry(
                        parked(4, "k1", 104L),
                        parked(7, "k1", 105L),
                        parked(5, "k2", 106L),
                        parked(6, "k3", 107L));
        List<Long> sent = new ArrayList<>();
        while (!retry.toSend().isEmpty()) {
            retry.toSend().forEach(event -> sent.add(event.sequence()));
            retry.acknowledged(retry.toSend());
        }
        assertThat(sent).containsExactly(104L, 105L, 106L, 107L);
    }

    /// It may be written, though nobody has said so.
    @Test
    void whatStandsBeforeARefusedEventIsSentAgain() {
        Retry retry = retry(parked(1, "a", null), parked(2, "a", null), parked(3, "a", null));
        retry.acknowledged(retry.toSend());
        assertThat(ords(retry.toSend())).containsExactly(2L, 3L);
        assertThat(retry.refused(retry.toSend().getLast()).event().ord()).isEqualTo(3);
        assertThat(ords(retry.toSend())).containsExactly(2L);
    }

    private Retry retry(ParkedEvent... events) {
        return Retry.of(List.of(events), _ -> sequence.incrementAndGet());
    }

    private static ParkedEvent parked(long ord, String key, @Nullable Long sequence) {
        return new ParkedEvent(event(ord, 1, key), 1, sequence);
    }

    private static List<Long> ords(List<Numbered> events) {
        return events.stream().map(numbered -> numbered.event().ord()).toList();
    }
}
