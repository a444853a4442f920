package io.sluice.outbox.publishing;

import io.sluice.outbox.lanes.Numbered;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends events exactly once: those of a page and how far their lanes are, in one Kafka transaction.
///
/// *How far a lane is* is the number of its last event, kept as a group's offset: one group per outbox, one partition per lane of a
/// topic that never holds a record. Whoever takes a lane over asks for it, and leaves out the events up to there; their numbers are the
/// same for everybody. Before that it **fences** the former owner's transactional id, so that a relay that was frozen in the middle of a
/// transaction can only abort it.
///
/// Whoever is fenced could make another producer under the same id, which nobody would fence any more: a relay that has lost its seat and does not know it yet. So a
/// new producer publishes nothing before the database has said that the seat is still there.
///
/// ```
///  a successor:   buries the member ─▶ fences its id ─▶ claims its lanes ─▶ reads its progress
///  the member:    makes a producer ─▶ asks for its seat      still there: the fence is to come, and will hit this producer
///                                                            gone: it may have come before
/// ```
/// Used by one thread.
public final class TransactionalPublisher implements Sender {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionalPublisher.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration TO_ABORT = Duration.ofSeconds(3);

    /// Who is there.
    public interface Seats {
        boolean isMember(long number) throws SQLException;
    }

    private final String topic;
    private final String identity;
    private final int lanes;
    private final Map<String, Object> given;
    private final Seats seats;
    private final Duration answerBound;
    private final LeftBehind leftBehind;
    private final Map<Integer, Long> committed = new HashMap<>();
    private boolean committedIsKnown;
    private boolean isSeated; // Since this producer is there.
    private boolean progressTopicIsThere;
    private long member;
    private @Nullable ConsumerGroupMetadata groupMetadata;
    private @Nullable Producer<byte[], byte[]> producer;

    /// @param identity of this outbox among all that use the broker
    /// @param seats asked after each producer that is made, by the thread that publishes
    /// @param leftBehind of the senders before this one, too
    /// @throws IllegalArgumentException when a setting would break the order or the safety of events
    public TransactionalPublisher(
            String topic,
            String identity,
            int lanes,
            Map<String, Object> settings,
            Seats seats,
            LeftBehind leftBehind) {
        this.topic = topic;
        this.identity = identity;
        this.lanes = lanes;
        this.seats = seats;
        this.leftBehind = leftBehind;
        this.given = Map.copyOf(settings);
        this.answerBound =
                Publisher.answerBound(
                        Publisher.transactionalSettings(settings, transactionalId(0)));
    }

    private String transactionalId(long of) {
        return "outbox-" + identity + "-" + of;
    }

    /// Its partitions stand for lanes; nothing is ever written to it.
    private String progressTopic() {
        return "outbox-progress-" + identity;
    }

    private String group() {
        return "outbox-" + identity + "-" + topic;
    }

    @Override
    public Optional<Refusal> prepare() {
        Optional<Refusal> trouble = ask();
        if (trouble.isEmpty()) {
            warmUp();
        }
        return trouble;
    }

    private Optional<Refusal> ask() {
        try (Admin admin = Admin.create(clientSettings())) {
            leftBehind.requireFew();
            admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            requireTransactions(admin);
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(new Refusal.Transport("interrupted"));
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            return Refusal.ofQuestion(e);
        }
    }

    /// All but the producer, whose id is the seat's. How far lanes are cannot be told while somebody who died has a transaction open: whoever takes its lanes
    /// ends it, so it is no reason not to.
    private void warmUp() {
        try {
            ensureProgressTopic();
            readProgress();
            groupMetadata();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            LOG.debug("The broker cannot be asked for the progress of {} yet", topic, e);
        }
    }

    @Override
    public void seated(long number) {
        if (number != member) {
            discard();
            member = number;
        }
    }

    @Override
    public void lanesChanged() {
        committedIsKnown = false;
    }

    @Override
    public boolean fence(Collection<Long> members) {
        if (members.isEmpty()) {
            return true;
        }
        List<String> ids = members.stream().map(this::transactionalId).toList();
        try (Admin admin = Admin.create(clientSettings())) {
            admin.fenceProducers(ids).all().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            LOG.warn("Members {} cannot be fenced, their lanes wait: {}", members, e.getMessage());
        }
        return false;
    }

    @Override
    public Outcome publish(
            List<Numbered> events, BooleanSupplier goOn, Supplier<List<Numbered>> behind)
            throws SQLException, InterruptedException {
        List<Numbered> done = new ArrayList<>();
        List<Numbered> rest = new ArrayList<>();
        try {
            Producer<byte[], byte[]> current = current();
            if (!isSeated) {
                return nothing(events, "the seat is gone, and others may have the lanes");
            }
            for (Numbered event : events) {
                (isCommitted(event) ? done : rest).add(event);
            }
            if (rest.isEmpty()) {
                return new Outcome(done, Optional.empty());
            }
            Optional<Outcome.Refused> refused = transact(current, rest, goOn, behind);
            if (refused.isEmpty()) {
                done.addAll(rest);
            }
            return new Outcome(done, refused);
        } catch (KafkaException | IllegalStateException | ExecutionException | TimeoutException e) {
            // A producer that is asked for something in a state that it did not expect is spent,
            // too.
            discard();
            Throwable cause =
                    e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
            Numbered first = rest.isEmpty() ? events.getFirst() : rest.getFirst();
            return new Outcome(
                    done, Optional.of(new Outcome.Refused(first, whole(Refusal.of(cause)))));
        }
    }

    private static Outcome nothing(List<Numbered> events, String why) {
        return new Outcome(
                List.of(),
                Optional.of(new Outcome.Refused(events.getFirst(), new Refusal.Transport(why))));
    }

    private boolean isCommitted(Numbered event) {
        return event.sequence() <= committed.getOrDefault(event.event().lane(), -1L);
    }

    /// A whole transaction failed: that is nobody's fault in particular.
    private static Refusal whole(Refusal refusal) {
        return switch (refusal) {
            case Refusal.OfRecord(String reason) -> new Refusal.Transport(reason);
            case Refusal.Unexplained(String reason) -> new Refusal.Transport(reason);
            case Refusal.Transport transport -> transport;
            case Refusal.OfConfiguration configuration -> configuration;
        };
    }

    /// @return empty if all is committed
    private Optional<Outcome.Refused> transact(
            Producer<byte[], byte[]> current,
            List<Numbered> events,
            BooleanSupplier goOn,
            Supplier<List<Numbered>> behind)
            throws InterruptedException {
        current.beginTransaction();
        Attempt attempt = new Attempt();
        int sent = 0;
        BooleanSupplier seldom = new Seldom(goOn);
        while (sent < events.size() && !attempt.hasFailed() && seldom.getAsBoolean()) {
            int index = sent++;
            var unused =
                    current.send(
                            Headers.numbered(topic, events.get(index)),
                            (metadata, exception) -> attempt.answered(index, exception, false));
        }
        if (!attempt.hasFailed()) {
            var unused = behind.get(); // One transaction at a time.
        }
        boolean answered = attempt.await(sent, goOn, answerBound);
        if (attempt.hasFailed()) {
            current.abortTransaction();
            return attempt.outcome(events).refused();
        }
        if (!answered || sent < events.size() || !goOn.getAsBoolean()) {
            abort(current);
            return nothing(events, "the relay has to stop").refused();
        }
        Map<Integer, Long> last = new HashMap<>();
        events.forEach(e -> last.merge(e.event().lane(), e.sequence(), Math::max));
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        last.forEach(
                (lane, sequence) ->
                        offsets.put(
                                new TopicPartition(progressTopic(), lane),
                                new OffsetAndMetadata(sequence)));
        current.sendOffsetsToTransaction(offsets, groupMetadata());
        current.commitTransaction();
        committed.putAll(last);
        return Optional.empty();
    }

    /// The relay stops, or its lease is in doubt. Whoever takes over from the dead aborts what they have begun; but lanes that are given away are nobody's
    /// of whom that is known, and readers of committed records would wait until the broker ends the transaction by itself.
    private void abort(Producer<byte[], byte[]> current) throws InterruptedException {
        Thread aborting =
                Thread.ofPlatform()
                        .name("outbox-abort")
                        .daemon()
                        .start(
                                () -> {
                                    try {
                                        current.abortTransaction();
                                    } catch (KafkaException | IllegalStateException e) {
                                        LOG.debug("The broker will have to end it", e);
                                    }
                                });
        aborting.join(TO_ABORT);
        discard();
    }

    /// Only a consumer hands it out; this one never connects.
    private ConsumerGroupMetadata groupMetadata() {
        ConsumerGroupMetadata known = groupMetadata;
        if (known == null) {
            Map<String, Object> settings = clientSettings();
            settings.put("group.id", group());
            try (Consumer<byte[], byte[]> consumer =
                    new KafkaConsumer<>(
                            settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                known = consumer.groupMetadata();
            }
            groupMetadata = known;
        }
        return known;
    }

    private Producer<byte[], byte[]> current()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        Producer<byte[], byte[]> open = producer;
        if (open == null) {
            leftBehind.requireFew();
            ensureProgressTopic();
            open =
                    new KafkaProducer<>(
                            Publisher.transactionalSettings(given, transactionalId(member)),
                            new ByteArraySerializer(),
                            new ByteArraySerializer());
            producer = open;
            open.initTransactions(); // Finishes or aborts what an earlier producer of ours has
            // left.
            committedIsKnown = false;
        }
        if (!isSeated) {
            isSeated = seats.isMember(member);
        }
        if (isSeated && !committedIsKnown) {
            readProgress();
        }
        return open;
    }

    /// A producer would only say that it finds no coordinator, as if the broker were away. One that has transactions does not know the id, or may not tell, or is too old to be
    /// asked about it.
    private void requireTransactions(Admin admin) throws InterruptedException, TimeoutException {
        String any = transactionalId(0);
        try {
            admin.describeTransactions(List.of(any))
                    .description(any)
                    .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InvalidRequestException) {
                throw new UnsupportedVersionException(
                        "the broker has no transactions, and the guarantee exactly-once needs them",
                        e);
            }
        }
    }

    private void ensureProgressTopic()
            throws InterruptedException, ExecutionException, TimeoutException {
        if (progressTopicIsThere) {
            return;
        }
        try (Admin admin = Admin.create(clientSettings())) {
            requireTransactions(admin);
            var wanted = new NewTopic(progressTopic(), Optional.of(lanes), Optional.empty());
            admin.createTopics(List.of(wanted))
                    .all()
                    .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
        progressTopicIsThere = true;
    }

    /// Waits for transactions of others that are about to end.
    private void readProgress() throws InterruptedException, ExecutionException, TimeoutException {
        Map<TopicPartition, OffsetAndMetadata> offsets = Map.of();
        try (Admin admin = Admin.create(clientSettings())) {
            var options = new ListConsumerGroupOffsetsOptions().requireStable(true);
            offsets =
                    admin.listConsumerGroupOffsets(
                                    Map.of(group(), new ListConsumerGroupOffsetsSpec()), options)
                            .partitionsToOffsetAndMetadata(group())
                            .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof GroupIdNotFoundException)) {
                throw e;
            }
        }
        committed.clear();
        offsets.forEach(
                (partition, offset) -> {
                    if (offset != null && partition.topic().equals(progressTopic())) {
                        committed.put(partition.partition(), offset.offset());
                    }
                });
        committedIsKnown = true;
    }

    private Map<String, Object> clientSettings() {
        Map<String, Object> settings = new HashMap<>();
        given.forEach(
                (name, value) -> {
                    if (!ProducerConfig.configNames().contains(name)
                            || AdminClientConfig.configNames().contains(name)) {
                        settings.put(name, value);
                    }
                });
        settings.put("request.timeout.ms", 5_000);
        settings.put("default.api.timeout.ms", (int) PATIENCE.toMillis());
        return settings;
    }

    private void discard() {
        committedIsKnown = false;
        isSeated = false;
        Producer<byte[], byte[]> open = producer;
        if (open != null) {
            producer = null;
            leftBehind.close(open);
        }
    }

    @Override
    public void close() {
        discard();
    }
}
