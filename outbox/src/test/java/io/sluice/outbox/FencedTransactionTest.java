package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.publishing.LeftBehind;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.publishing.TransactionalPublisher;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A relay stands still in the middle of a transaction, at the worst moment: its events are in its producer's buffers, it has asked whether it may go on, and it believes so when
/// it wakes up. Only the broker can stop it.
@ExtendWith(Broker.OfApacheKafka.class)
@Timeout(120)
class FencedTransactionTest {
    private static final int LANE = 7;
    private static final List<Numbered> EVENTS = List.of(event(1), event(2));

    @Test
    @DisplayName("O1: what a frozen relay still has in its buffers is fenced by its successor")
    void whoWakesUpWithRecordsInItsBuffersCommitsNothing(Broker broker) throws Exception {
        String topic = broker.topic();
        Map<String, Object> lingering = new HashMap<>(broker.client());
        lingering.put("linger.ms", 2_000);
        assertCommittedOnce(broker, topic, lingering, () -> {});
    }

    @Test
    @DisplayName("O1: a transaction that a frozen relay has begun is aborted by its successor")
    void whoWakesUpBeforeItsCommitCommitsNothing(Broker broker) throws Exception {
        String topic = broker.topic();
        try (TopicReader uncommitted = new TopicReader(broker, topic)) {
            assertCommittedOnce(broker, topic, broker.client(), () -> uncommitted.await(2));
        }
    }

    /// @param falls what happens before the relay stands still
    private static void assertCommittedOnce(
            Broker broker, String topic, Map<String, Object> settings, Runnable falls)
            throws Exception {
        String outbox = UUID.randomUUID().toString();
        try (Sender frozen = sender(topic, outbox, settings, 1);
                Sender successor = sender(topic, outbox, broker.client(), 2);
                TopicReader reader = TopicReader.ofCommitted(broker, topic)) {
            Outcome woken =
                    frozen.publish(
                            EVENTS,
                            () -> true,
                            () -> {
                                falls.run();
                                takeOver(successor);
                                return List.of();
                            });
            reader.await(2).linger(Duration.ofMillis(500));
            assertThat(reader.repeated()).as("committed by both").isZero();
            reader.received().requireSameAs(Map.of("a", List.of("1", "2")));
            assertThat(woken.acknowledged()).isEmpty();
            assertThat(woken.refused()).isPresent();
        }
    }

    private static void takeOver(Sender successor) {
        try {
            assertThat(successor.fence(List.of(1L))).isTrue();
            successor.lanesChanged();
            Outcome outcome = successor.publish(EVENTS, () -> true);
            assertThat(outcome.acknowledged()).isEqualTo(EVENTS);
        } catch (InterruptedException | SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Sender sender(
            String topic, String outbox, Map<String, Object> settings, long seat) {
        // Nobody has noticed that its seat is gone: fencing alone has to do.
        Sender sender =
                new TransactionalPublisher(
                        topic, outbox, 64, settings, _ -> true, new LeftBehind());
        sender.seated(seat);
        return sender;
    }

    private static Numbered event(int number) {
        Event.Payload payload = Event.Payload.of(Integer.toString(number));
        return new Numbered(
                new Event(number, LANE, Integer.toString(number), "a", Map.of(), payload, 0),
                number);
    }
}
