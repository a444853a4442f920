package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// States of the database in which reading by snapshots would exchange or skip events.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class ReadinessTest {
    @Test
    void eventsFromBeforeLogModeAreWaitedFor(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload, ord) VALUES ('a', 'old', NULL)");
        database.run("UPDATE transfer_events SET status = 'PENDING'");
        database.append(OutboxEvent.of("a", "t", "new"));
        try (Relay relay = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            await(() -> says(relay.status().trouble(), "unpublished events from before log mode"));
            assertThat(relay.health().up()).isFalse();
            assertThat(relay.status().published()).isZero();

            database.run("UPDATE transfer_events SET status = 'PUBLISHED' WHERE ord IS NULL");
            reader.await(1);
            assertThat(reader.byKey().get("a")).containsExactly("new");
            assertThat(relay.health().up()).isTrue();
        }
    }

    /// After a restored backup transaction ids are given a second time: a cursor from before would cover events it has never seen.
    @Test
    void aDatabaseThatWentBackInTimeIsNotReadSilently(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        database.append(OutboxEvent.of("a", "t", "1"));
        database.run("UPDATE outbox_lane SET seen = '900000000:900000000:'");
        try (Relay relay = Relay.start(database, RelaySettings.of(topic, broker.client()))) {
            await(() -> says(relay.status().trouble(), "the database is older"));
            assertThat(relay.status().published()).isZero();
        }
    }

    @Test
    void aMissingInstallationIsNamed(Database database, Broker broker) throws Exception {
        database.run("DELETE FROM outbox_lane");
        try (Relay relay =
                Relay.start(database, RelaySettings.of(broker.topic(), broker.client()))) {
            await(() -> says(relay.status().trouble(), "OutboxSchema.install"));
        }
    }

    private static boolean says(@Nullable String trouble, String words) {
        return trouble != null && trouble.contains(words);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
