package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.membership.Destination;
import io.sluice.outbox.operating.Member;
import io.sluice.outbox.operating.Operator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Relays of one table that do not publish to the same topic with the same guarantee.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class DisagreeingRelaysTest {
    private static final int EVENTS = 20;

    /// As for a while when a setting is changed, relay by relay: that must not stop.
    @Test
    void relaysThatDisagreeSaySoAndGoOn(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        String other = broker.topic();
        Operator operator = Operator.of(database, OutboxTable.TRANSFER_EVENTS);
        try (Relay first = start(database, broker, topic, "first");
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> first.status().lanes().size() == 64, "all lanes");
            assertThat(first.health().reasons()).isEmpty();
            try (Relay second = start(database, broker, other, "second")) {
                reader.awaitUntil(() -> warns(first) && warns(second), "both to say so");
                reader.awaitUntil(() -> second.status().lanes().size() == 32, "even shares");
                assertThat(first.health().up()).isTrue();
                assertThat(first.health().reasons())
                        .singleElement()
                        .asString()
                        .contains(
                                "this one publishes to topic %s with at-least-once"
                                        .formatted(topic))
                        .contains("second (member ", "to topic %s with".formatted(other));
                assertThat(operator.members())
                        .extracting(Member::destination)
                        .containsExactlyInAnyOrder(
                                new Destination(topic, "at-least-once"),
                                new Destination(other, "at-least-once"));
                assertThat(operator.summary().destinations()).isEqualTo(2);
                for (int i = 0; i < EVENTS; i++) {
                    database.append(OutboxEvent.of("a" + i, "t", "1"));
                }
                reader.awaitUntil(
                        () -> first.status().published() + second.status().published() == EVENTS,
                        "both to publish their lanes");
            }
            reader.awaitUntil(() -> first.health().reasons().isEmpty(), "nobody to disagree");
            assertThat(operator.summary().destinations()).isEqualTo(1);
        }
    }

    @Test
    void aTableOfAnEarlierVersionIsServed(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Operator operator = Operator.of(database, OutboxTable.TRANSFER_EVENTS);
        database.run("ALTER TABLE outbox_member DROP COLUMN topic, DROP COLUMN guarantee");
        try (Relay relay = start(database, broker, topic, "a");
                TopicReader reader = new TopicReader(broker, topic)) {
            database.append(OutboxEvent.of("a", "t", "1"));
            reader.await(1);
            assertThat(relay.health()).isEqualTo(new Health(true, List.of()));
            assertThat(operator.members().getFirst().destination()).isNull();
            assertThat(operator.summary().destinations()).isZero();

            database.install();
            try (Relay newer = start(database, broker, topic, "b")) {
                reader.awaitUntil(() -> newer.status().lanes().size() == 32, "even shares");
                assertThat(operator.members())
                        .extracting(Member::destination)
                        .containsExactly(null, new Destination(topic, "at-least-once"));
                assertThat(newer.health().reasons()).as("who does not say").isEmpty();
            }
        }
    }

    private static boolean warns(Relay relay) {
        return relay.health().reasons().stream().anyMatch(reason -> reason.contains("disagree"));
    }

    private static Relay start(Database database, Broker broker, String topic, String name) {
        return Relay.start(database, RelaySettings.of(topic, broker.client()).withName(name));
    }
}
