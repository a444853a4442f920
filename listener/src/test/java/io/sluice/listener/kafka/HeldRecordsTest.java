package io.sluice.listener.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.kafka.HeldRecords.Held;
import io.sluice.listener.kafka.HeldRecords.Place;
import io.sluice.listener.kafka.HeldRecords.Word;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/// What is said about records of a share group, and when.
class HeldRecordsTest {
    private final HeldRecords held = new HeldRecords((message, settlement) -> {});

    private static ConsumerRecord<byte[], byte[]> record(long offset) {
        return new ConsumerRecord<>("t", 0, offset, new byte[0], new byte[0]);
    }

    private Map<Place, AcknowledgeType> words() {
        return held.toAcknowledge().stream()
                .collect(Collectors.toMap(word -> Place.of(word.record()), Word::type));
    }

    private static Place place(long offset) {
        return new Place("t", 0, offset);
    }

    private static long seconds(int count) {
        return Duration.ofSeconds(count).toNanos();
    }

    private Held begin(long offset) {
        assertThat(held.presented(record(offset), 0)).isTrue();
        Held first = held.due(0, lane -> false).getLast();
        first.message = new Message("m", new byte[0], Map.of(), null, "t-0", 1, first);
        return first;
    }

    @Test
    void whatIsWorkedOnIsRenewedUntilItIsDone() {
        Held one = begin(1);
        assertThat(words()).containsExactly(Map.entry(place(1), AcknowledgeType.RENEW));
        assertThat(words()).as("not before a poll has returned it").isEmpty();

        assertThat(held.isConfirmed()).as("a poll would fetch").isFalse();
        held.confirmed(place(1));
        assertThat(held.isConfirmed()).isTrue();

        held.settled(one, new Settlement.Done(), 1, 0);
        assertThat(held.hasVerdicts()).as("not before a poll has returned it").isFalse();
        assertThat(held.presented(record(1), 0)).as("no second delivery").isFalse();
        assertThat(words()).containsExactly(Map.entry(place(1), AcknowledgeType.ACCEPT));
        assertThat(held.all()).isEmpty();
    }

    @Test
    void aFailureWaitsForItsPauseWithItsLock() {
        Held one = begin(1);
        held.settled(
                one,
                new Settlement.Retry(Duration.ofSeconds(5), new IllegalStateException()),
                1,
                0);
        assertThat(held.due(seconds(4), lane -> true)).isEmpty();
        assertThat(words()).containsExactly(Map.entry(place(1), AcknowledgeType.RENEW));
        assertThat(held.due(seconds(5), lane -> true)).containsExactly(one);
        assertThat(one.attempt).isEqualTo(2);
    }

    @Test
    void aFullLanesRecordWaitsForRoomAndIsNoAttempt() {
        Held one = begin(1);
        held.settled(one, new Settlement.HandBack(Duration.ofSeconds(60), "full", "heavy"), 1, 0);
        assertThat(held.due(seconds(1), lane -> false)).isEmpty();
        assertThat(held.due(seconds(61), lane -> false)).as("it would be refused again").isEmpty();
        assertThat(held.due(seconds(1), lane -> lane.equals("heavy"))).containsExactly(one);
        assertThat(one.attempt).isEqualTo(1);
    }

    @Test
    void attemptsInPlaceAreKeptWhenARecordGoesBack() {
        Held one = begin(1);
        held.settled(one, new Settlement.HandBack(Duration.ZERO, "no place for its letter"), 3, 0);
        assertThat(one.attempt).isEqualTo(3);
    }

    @Test
    void whatIsLostIsNeverAcknowledged() {
        Held one = begin(1);
        assertThat(held.lost(place(1))).isSameAs(one.message);
        held.settled(one, new Settlement.Done(), 1, 0);
        assertThat(words()).isEmpty();
        assertThat(held.presented(record(1), 0)).as("a delivery of its own").isTrue();
        held.settled(one, new Settlement.Done(), 1, 0);
        assertThat(words()).containsExactly(Map.entry(place(1), AcknowledgeType.RENEW));
    }

    @Test
    void atTheEndWhatIsNotDoneGoesBack() {
        Held done = begin(1);
        begin(2);
        held.settled(done, new Settlement.Done(), 1, 0);
        held.releaseAll();
        assertThat(words())
                .containsOnly(
                        Map.entry(place(1), AcknowledgeType.ACCEPT),
                        Map.entry(place(2), AcknowledgeType.RELEASE));
    }
}
