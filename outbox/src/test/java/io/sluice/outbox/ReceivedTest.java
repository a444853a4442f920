package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/// Histories of a topic, written by hand: what those who kill relays would have to notice.
class ReceivedTest {
    private static final Map<String, List<String>> WRITTEN =
            Map.of("a", List.of("1", "2", "3"), "b", List.of("1"));

    private final Received received = new Received();

    @Test
    void whatWasWrittenIsReceived() {
        history("a 1 =1", "b 1 =2", "a 2 =3", "a 3 =4");
        received.requireSameAs(WRITTEN);
        assertThat(received.repeated()).isZero();
    }

    @Test
    void repetitionsWithTheirNumbersArePassedOverAndCounted() {
        history("a 1 =1", "b 1 =2", "a 2 =3", "a 1 =1", "b 1 =2", "a 2 =3", "a 3 =4");
        received.requireSameAs(WRITTEN);
        assertThat(received.repeated()).as("none where exactly once is promised").isEqualTo(3);
    }

    @Test
    void aLostEventIsNoticed() {
        history("a 1 =1", "b 1 =2", "a 3 =4");
        assertThatThrownBy(() -> received.requireSameAs(WRITTEN))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("[a]");
    }

    @Test
    void aLostAggregateIsNoticed() {
        history("a 1 =1", "a 2 =3", "a 3 =4");
        assertThatThrownBy(() -> received.requireSameAs(WRITTEN))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("[b]");
    }

    @Test
    void anEventThatNobodyHasCommittedIsNoticed() {
        history("a 1 =1", "b 1 =2", "a 2 =3", "a 3 =4", "c 1 =5");
        assertThatThrownBy(() -> received.requireSameAs(WRITTEN))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("aggregates");
    }

    @Test
    void anExchangeIsNoticed() {
        history("a 1 =1", "b 1 =2", "a 3 =3", "a 2 =4");
        assertThatThrownBy(() -> received.requireSameAs(WRITTEN))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("[a]");
    }

    /// Also where the numbers are those of the right order: the consumer drops the later one.
    @Test
    void anExchangeThatTheFilterHidesIsNoticed() {
        history("a 1 =1", "b 1 =2", "a 3 =4");
        assertThatThrownBy(() -> history("a 2 =3"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("event a 2 of a is dropped for its number 7/3")
                .hasMessageContaining("seen with null");
    }

    @Test
    void aRepetitionWithAHigherNumberIsNoticed() {
        history("a 1 =1", "b 1 =2", "a 2 =3", "a 3 =4");
        assertThatThrownBy(() -> history("b 1 =5"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("event b 1 of b comes with the number 7/5")
                .hasMessageContaining("seen with 7/2");
    }

    /// After a failover numbers jump, and what was published shortly before may come again.
    @Test
    void whereNumbersMayJumpARepetitionCountsAsAnEvent() {
        received.expectOtherNumbers();
        history("a 1 =1", "b 1 =2", "a 2 =3", "a 3 =4", "b 1 =5");
        assertThat(received.repeated()).as("the filter takes it for a new one").isZero();
        assertThatThrownBy(() -> received.requireSameAs(WRITTEN))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("[b]");
    }

    @Test
    void aRepetitionWithALowerNumberIsNoticed() {
        history("a 1 =1", "b 1 =2", "a 2 =3");
        assertThatThrownBy(() -> history("a 2 =2"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("event a 2 of a is dropped for its number 7/2")
                .hasMessageContaining("seen with 7/3");
    }

    /// Each is an aggregate, its payload, and its number in lane 7.
    private void history(String... events) {
        for (String event : events) {
            String[] parts = event.split(" ");
            var record = new ConsumerRecord<>("topic", 0, 0, parts[0], parts[1]);
            header(record, "outbox-event-id", parts[0] + " " + parts[1]);
            header(record, "outbox-lane", "7");
            header(record, "outbox-sequence", parts[2].substring(1));
            received.add(record);
        }
    }

    private static void header(ConsumerRecord<?, ?> record, String name, String value) {
        record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
    }
}
