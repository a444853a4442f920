package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.membership.Members;
import io.sluice.outbox.publishing.LeftBehind;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.TransactionalPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionListing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A relay was buried and fenced by whoever has its lanes now, and does not know it yet. It could make another producer, which nobody would fence.
@ExtendWith({Database.Extension.class, Broker.OfApacheKafka.class})
@Timeout(120)
class FencedProducerTest {
    private static final List<Numbered> PAGE =
            List.of(
                    new Numbered(
                            new Event(1, 0, "1", "key", Map.of(), Event.Payload.of("x"), 0), 1));

    private final String identity = UUID.randomUUID().toString();

    @Test
    void itPublishesNothingWithAnotherProducer(Broker broker) throws Exception {
        String topic = broker.topic();
        AtomicReference<Boolean> seated = new AtomicReference<>(true);
        try (TransactionalPublisher publisher = publisher(broker, topic, _ -> seated.get());
                Admin admin = Admin.create(broker.client());
                TopicReader reader = TopicReader.ofCommitted(broker, topic)) {
            publisher.seated(7);
            Outcome interrupted =
                    publisher.publish(
                            PAGE,
                            () -> true,
                            () -> {
                                seated.set(false);
                                fence(admin, "outbox-" + identity + "-7");
                                return List.of();
                            });
            assertThat(interrupted.acknowledged()).as("fenced").isEmpty();

            for (int i = 0; i < 2; i++) {
                assertThat(publisher.publish(PAGE, () -> true).acknowledged()).isEmpty();
            }
            assertThat(reader.linger(Duration.ofMillis(300)).records()).isEmpty();

            seated.set(true);
            publisher.seated(8);
            assertThat(publisher.publish(PAGE, () -> true).acknowledged()).isEqualTo(PAGE);
            reader.await(1);
        }
    }

    @Test
    void nothingIsPublishedWhereTheDatabaseDoesNotSay(Broker broker) throws Exception {
        String topic = broker.topic();
        AtomicReference<Boolean> answers = new AtomicReference<>(false);
        TransactionalPublisher.Seats seats =
                number -> {
                    if (!answers.get()) {
                        throw new SQLException("connection lost");
                    }
                    return number == 7;
                };
        try (TransactionalPublisher publisher = publisher(broker, topic, seats)) {
            publisher.seated(7);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> publisher.publish(PAGE, () -> true))
                        .hasMessage("connection lost");
            }
            answers.set(true);
            assertThat(publisher.publish(PAGE, () -> true).acknowledged()).isEqualTo(PAGE);
        }
    }

    /// Its own session is as good as before.
    @Test
    void aRelayPublishesNothingBeforeItHasASeatAgain(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client())
                        .withGuarantee(Guarantee.EXACTLY_ONCE)
                        .withLease(Duration.ofMinutes(10));
        try (Relay relay = Relay.start(database, settings);
                Admin admin = Admin.create(broker.client());
                TopicReader reader = TopicReader.ofCommitted(broker, topic)) {
            database.append(OutboxEvent.of("a", "t", "1"));
            reader.await(1);
            database.run("DELETE FROM outbox_member");
            fence(admin, transactionalId(admin, database));
            database.append(OutboxEvent.of("a", "t", "2"));
            reader.awaitUntil(
                    () ->
                            relay.health().reasons().stream()
                                    .anyMatch(says -> says.contains("the seat is gone")),
                    "it to ask for its seat");
            assertThat(reader.records()).hasSize(1);

            try (Connection connection = database.open()) {
                Members.tellMembers(connection);
            }
            reader.await(2).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("a")).containsExactly("1", "2");
        }
    }

    private TransactionalPublisher publisher(
            Broker broker, String topic, TransactionalPublisher.Seats seats) {
        return new TransactionalPublisher(
                topic, identity, 64, broker.client(), seats, new LeftBehind());
    }

    private static String transactionalId(Admin admin, Database database) throws Exception {
        String table =
                "-" + database.column("SELECT 'transfer_events'::regclass::oid").getFirst() + "-";
        return admin.listTransactions().all().get().stream()
                .map(TransactionListing::transactionalId)
                .filter(id -> id.contains(table))
                .findFirst()
                .orElseThrow();
    }

    private static void fence(Admin admin, String id) {
        try {
            admin.fenceProducers(List.of(id)).all().get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
