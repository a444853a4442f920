package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.operating.LaneState;
import io.sluice.outbox.operating.Member;
import io.sluice.outbox.operating.Operator;
import io.sluice.outbox.operating.Parked;
import io.sluice.outbox.operating.ParkedEvents;
import io.sluice.outbox.operating.Replay;
import io.sluice.outbox.operating.Selection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What a person sees of an outbox, and does about what is stuck in it.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class OperatingTest {
    /// Nothing is tried again by itself.
    private static final Backoff NEVER = new Backoff(Duration.ofHours(1), Duration.ofHours(1));

    @Test
    void aRelaysMembersLanesAndBacklogAreSeen(Database database, Broker broker) throws Exception {
        Operator operator = Operator.of(database, OutboxTable.TRANSFER_EVENTS);
        for (int i = 0; i < 10; i++) {
            database.append(OutboxEvent.of("a" + i, "t", "x"));
        }
        database.run(
                "UPDATE transfer_events SET created_at = now() - interval '1 hour' WHERE ord = 1");
        assertThat(operator.summary().waiting()).isEqualTo(10);
        assertThat(operator.summary().oldest()).isGreaterThan(Duration.ofMinutes(59));
        assertThat(operator.summary().uncovered()).isEqualTo(64);
        assertThat(operator.summary().mode()).isEqualTo("log");
        long begun = database.number("SELECT sum(sequence)::bigint FROM outbox_lane");

        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client()).withName("seven");
        try (Relay relay = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(10)
                    .awaitUntil(() -> waiting(operator) == 0, "the relay to save what it has done");
            assertThat(operator.summary().uncovered()).isZero();
            assertThat(operator.summary().oldest()).isNull();
            Member member = operator.members().getFirst();
            assertThat(member.name()).isEqualTo("seven");
            assertThat(member.lanes()).hasSize(64);
            assertThat(member.isAlive()).isTrue();
            assertThat(operator.lanes())
                    .hasSize(64)
                    .allMatch(LaneState::isCovered)
                    .extracting(LaneState::sequence)
                    .satisfies(
                            all ->
                                    assertThat(all.stream().mapToLong(n -> n).sum())
                                            .isEqualTo(begun + 10));
            assertThat(relay.status().oldestUnpublished()).isZero();
        }
    }

    @Test
    @DisplayName(
            "O2: a parked event is listed with its cause, and tried again when somebody says so")
    void aParkedEventIsRetried(Database database, Broker broker) throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        try (Relay _ = Relay.start(database, refusing(topic, broker));
                TopicReader reader = new TopicReader(broker, topic)) {
            ParkedEvents parked = park(database, reader);
            assertThat(parked.list(null, 10))
                    .extracting(Parked::state)
                    .containsExactly("FAILED", "WAITING");
            assertThat(parked.list("bad", 10).getFirst().error()).contains("RecordTooLarge");
            assertThat(parked.list("bad", 10).getFirst().payloadBytes()).isEqualTo(30_000);
            assertThat(parked.list("good", 10)).isEmpty();

            RefusedEventsTest.allow(broker, topic, "100000");
            assertThat(parked.retry("bad")).isEqualTo(1);
            reader.await(4);
            assertThat(reader.byKey().get("bad")).hasSize(3).endsWith("behind");
        }
    }

    @Test
    void aSkippedEventIsNotPublishedAndThoseBehindItAre(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        try (Relay _ = Relay.start(database, refusing(topic, broker));
                TopicReader reader = new TopicReader(broker, topic)) {
            ParkedEvents parked = park(database, reader);
            assertThat(parked.skip("bad").map(Parked::state)).hasValue("FAILED");
            reader.await(3).awaitUntil(() -> count(database) == 0, "nothing to be parked");
            assertThat(reader.byKey().get("bad")).containsExactly("before", "behind");
            assertThat(parked.skip("bad")).isEmpty();
            database.append(OutboxEvent.of("bad", "t", "again"));
            reader.await(4);
        }
    }

    /// The relay has read it, and is about to note the number with which it sends it.
    @Test
    void anEventThatIsSkippedWhenItIsAboutToBeSentIsNotPublished(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        FreezableConnections connections = FreezableConnections.behind(database, "DISTINCT ON");
        try (Relay _ = Relay.start(connections, refusing(topic, broker));
                TopicReader reader = new TopicReader(broker, topic)) {
            ParkedEvents parked = park(database, reader);
            RefusedEventsTest.allow(broker, topic, "100000");
            parked.retry("bad");
            reader.awaitUntil(connections::isFrozen, "the relay to have read it");
            parked.skip("bad");
            connections.thaw();
            reader.await(3).awaitUntil(() -> count(database) == 0, "nothing to be parked");
            reader.linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("bad")).containsExactly("before", "behind");
        } finally {
            connections.thaw();
        }
    }

    @Test
    void anEventIsSentToTheDeadLetterTopicWithItsReason(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        String dead = broker.topic();
        try (Relay _ = Relay.start(database, refusing(topic, broker));
                TopicReader reader = new TopicReader(broker, topic);
                TopicReader letters = new TopicReader(broker, dead)) {
            ParkedEvents parked = park(database, reader);
            assertThatThrownBy(() -> parked.deadLetter("bad", topic, broker.client()))
                    .hasMessageContaining("it stays parked");
            assertThat(parked.list("bad", 1).getFirst().state()).isEqualTo("DEAD_LETTER");
            parked.deadLetter("bad", dead, broker.client());
            ConsumerRecord<String, String> letter = letters.await(1).records().getFirst();
            assertThat(letter.value()).hasSize(30_000);
            assertThat(letter.key()).isEqualTo("bad");
            assertThat(TopicReader.header(letter, "type")).isEqualTo("t");
            assertThat(TopicReader.header(letter, ParkedEvents.REASON)).contains("RecordTooLarge");
            reader.await(3);
            assertThat(reader.byKey().get("bad")).containsExactly("before", "behind");
        }
    }

    @Test
    void eventsAreReplayedByKeyRangeAndTime(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        for (int i = 1; i <= 6; i++) {
            database.append(OutboxEvent.of("a" + i % 2, "t", "" + i));
        }
        database.run("UPDATE transfer_events SET created_at = '2020-01-01Z' WHERE ord <= 2");
        try (Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(6).awaitUntil(() -> counted(all(database)) == 6, "the lanes to be saved");
            assertThat(
                            replay(database, new Selection.ByKey("a1"))
                                    .publish("one", topic, broker.client()))
                    .isEqualTo(3);
            reader.await(9);
            assertThat(values(reader, 6)).containsExactly("1", "3", "5");
            assertThat(TopicReader.header(reader.records().getLast(), "outbox-replay"))
                    .isEqualTo("one");

            replay(database, new Selection.ByRange(2, 4)).publish("two", topic, broker.client());
            reader.await(11);
            assertThat(values(reader, 9)).containsExactlyInAnyOrder("2", "3");

            var year =
                    new Selection.ByTime(
                            Instant.parse("2020-01-01T00:00:00Z"),
                            Instant.parse("2021-01-01T00:00:00Z"));
            replay(database, year).publish("three", topic, broker.client());
            reader.await(13);
            assertThat(values(reader, 11)).containsExactlyInAnyOrder("1", "2");

            database.append(OutboxEvent.of("a1", "t", "7"));
            reader.await(14);
            assertThat(reader.repeated()).isZero();
        }
    }

    @Test
    void whatIsParkedIsNotReplayed(Database database, Broker broker) throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        try (Relay _ = Relay.start(database, refusing(topic, broker));
                TopicReader reader = new TopicReader(broker, topic)) {
            park(database, reader);
            reader.awaitUntil(() -> counted(all(database)) == 2, "the lanes to be saved");
        }
        assertThat(counted(all(database))).isEqualTo(2);
    }

    /// Otherwise a replay would overtake the relay.
    @Test
    void whatIsNotPublishedIsNotReplayed(Database database) throws Exception {
        database.append(OutboxEvent.of("a", "t", "1"));
        assertThat(all(database).count()).isZero();
    }

    /// Its place is behind the one before it, and a relay will send it there.
    @Test
    void whatIsParkedIsNotReplayedUntilItIsGivenUp(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        try (Relay _ = Relay.start(database, refusing(topic, broker));
                TopicReader reader = new TopicReader(broker, topic)) {
            ParkedEvents parked = park(database, reader);
            reader.awaitUntil(() -> counted(all(database)) == 2, "the lanes to be saved");
            parked.skip("bad");
            reader.await(3).awaitUntil(() -> counted(all(database)) == 4, "it to be given up");
        }
    }

    private static Replay all(Database database) {
        return replay(database, new Selection.ByRange(0, Long.MAX_VALUE));
    }

    private static Replay replay(Database database, Selection selection) {
        return new Replay(database, OutboxTable.TRANSFER_EVENTS, selection);
    }

    private static List<String> values(TopicReader reader, int from) {
        List<String> values = new ArrayList<>();
        reader.records().subList(from, reader.records().size()).forEach(r -> values.add(r.value()));
        return values;
    }

    private static RelaySettings refusing(String topic, Broker broker) {
        return RelaySettings.of(topic, new HashMap<>(broker.client())).withParking(NEVER);
    }

    /// One event before it, one that is too large, one behind it; another aggregate goes on.
    private static ParkedEvents park(Database database, TopicReader reader) throws Exception {
        database.append(
                OutboxEvent.of("bad", "t", "before"),
                OutboxEvent.of("bad", "t", "x".repeat(30_000)),
                OutboxEvent.of("bad", "t", "behind"),
                OutboxEvent.of("good", "t", "1"));
        reader.await(2).awaitUntil(() -> count(database) == 2, "two events to be parked");
        return Operator.of(database, OutboxTable.TRANSFER_EVENTS).parked();
    }

    private static long count(Database database) {
        return database.number("SELECT count(*) FROM outbox_parked");
    }

    private static long counted(Replay replay) {
        try {
            return replay.count();
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long waiting(Operator operator) {
        try {
            return operator.summary().waiting();
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
