package io.sluice.outbox.publishing;

import io.sluice.outbox.lanes.Numbered;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends events, pipelined and in order.
///
/// Two rules keep the order of a key whatever is refused. One request per connection is on its way at a time, so nothing behind a
/// failed batch has left yet; and **a producer that has failed once sends nothing more**: it is thrown away in the very
/// callback that tells of the failure, with all that it still holds. The next attempt begins with a new producer at the first
/// event without acknowledgement. Requests carry as much as has gathered meanwhile, so one at a time is fast enough.
///
/// So whatever is handed over behind events that have no answer yet leaves only if all before it on its connection have arrived: the next page need not wait ([OnTheWay]).
///
/// Used by one thread.
public final class Publisher implements Sender {
    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);
    private static final int REQUEST_BYTES = 4 << 20;
    private static final Duration BESIDE_THE_TIME_OUTS = Duration.ofSeconds(5);

    private final String topic;
    private final Function<Numbered, ProducerRecord<byte[], byte[]>> record;
    private final Map<String, Object> settings;
    private final Function<Map<String, Object>, Producer<byte[], byte[]>> producers;
    private final Guard guard;
    private final LeftBehind leftBehind;
    private volatile @Nullable Producer<byte[], byte[]> producer;
    private @Nullable OnTheWay next;

    /// Events that the producer has, or a part of them, behind those that were published last.
    private record OnTheWay(List<Numbered> events, Attempt attempt, int sent) {
        /// Whether it was handed over to the end, and nothing of it is known to have failed. What follows must not overtake a part that was kept back.
        boolean isWhole() {
            return sent == events.size() && !attempt.hasFailed();
        }
    }

    /// For those who have nothing to send behind what is on its way.
    ///
    /// @param record of an event, for that topic
    /// @throws IllegalArgumentException when a setting would break the order or the safety of events
    public Publisher(
            String topic,
            Function<Numbered, ProducerRecord<byte[], byte[]>> record,
            Map<String, Object> settings) {
        this(topic, record, settings, () -> true, new LeftBehind());
    }

    /// @param record of an event, for that topic
    /// @param trusted whether this relay may publish at all; asked by another thread while the publishing one waits for something else
    /// @param leftBehind of the senders before this one, too
    /// @throws IllegalArgumentException when a setting would break the order or the safety of events
    public Publisher(
            String topic,
            Function<Numbered, ProducerRecord<byte[], byte[]>> record,
            Map<String, Object> settings,
            BooleanSupplier trusted,
            LeftBehind leftBehind) {
        this(
                topic,
                record,
                settings,
                trusted,
                all ->
                        new KafkaProducer<>(
                                all, new ByteArraySerializer(), new ByteArraySerializer()),
                leftBehind);
    }

    /// @param producers makes a new one, with all settings
    Publisher(
            String topic,
            Function<Numbered, ProducerRecord<byte[], byte[]>> record,
            Map<String, Object> settings,
            BooleanSupplier trusted,
            Function<Map<String, Object>, Producer<byte[], byte[]>> producers,
            LeftBehind leftBehind) {
        this.topic = topic;
        this.record = record;
        this.settings = producerSettings(settings);
        this.guard = new Guard(trusted);
        this.producers = producers;
        this.leftBehind = leftBehind;
    }

    @Override
    public Optional<Refusal> prepare() {
        try {
            current().partitionsFor(topic);
            return Optional.empty();
        } catch (KafkaException e) {
            LOG.debug("The topic {} cannot be asked for yet", topic, e);
            return Refusal.ofQuestion(e);
        }
    }

    @Override
    public Outcome publish(
            List<Numbered> events, BooleanSupplier goOn, Supplier<List<Numbered>> behind)
            throws InterruptedException {
        OnTheWay now = isNext(events) ? takeNext() : null;
        if (now == null) {
            callBack();
            now = begin(events, goOn);
        }
        boolean answered = false;
        boolean isNextRefused = false;
        try {
            if (now.isWhole() && goOn.getAsBoolean()) {
                List<Numbered> following = guard.during(behind, this::stopSending);
                if (!following.isEmpty() && now.isWhole() && goOn.getAsBoolean()) {
                    next = begin(following, goOn);
                }
            }
            answered = now.attempt().await(now.sent(), goOn, answerBound(settings));
            isNextRefused = next != null && next.attempt().isRefusedByBroker();
        } finally {
            if (!answered || now.attempt().isProducerSpent()) {
                discard();
            }
        }
        Outcome outcome = now.attempt().outcome(events);
        return isNextRefused ? unlessUnanswered(outcome) : outcome;
    }

    /// The producer was closed for an event of the page behind, which cannot wait: what stands behind that one in its partition would leave. Of these nobody has refused
    /// any, and the broker is there: what it has not answered is sent again at once.
    private static Outcome unlessUnanswered(Outcome outcome) {
        return outcome.refused()
                .filter(refused -> refused.why() instanceof Refusal.Transport)
                .map(
                        unanswered ->
                                new Outcome(
                                        outcome.acknowledged(),
                                        Optional.empty(),
                                        outcome.acknowledgedAtNanos()))
                .orElse(outcome);
    }

    private OnTheWay begin(List<Numbered> events, BooleanSupplier goOn) {
        Attempt attempt = new Attempt();
        return new OnTheWay(events, attempt, handOver(events, attempt, goOn));
    }

    /// Whether exactly these events, with these numbers, are on their way.
    private boolean isNext(List<Numbered> events) {
        OnTheWay open = next;
        if (open == null || open.events().size() != events.size()) {
            return false;
        }
        for (int i = 0; i < events.size(); i++) {
            Numbered sent = open.events().get(i);
            Numbered wanted = events.get(i);
            if (!sent.event().equals(wanted.event()) || sent.sequence() != wanted.sequence()) {
                return false;
            }
        }
        return true;
    }

    private @Nullable OnTheWay takeNext() {
        OnTheWay taken = next;
        next = null;
        return taken;
    }

    @Override
    public void callBack() {
        if (next != null) {
            discard();
        }
    }

    /// @return how many events the producer has taken, and will answer for
    private int handOver(List<Numbered> events, Attempt attempt, BooleanSupplier goOn) {
        int sent = 0;
        BooleanSupplier seldom = new Seldom(goOn);
        try {
            Producer<byte[], byte[]> current = current();
            while (sent < events.size() && !attempt.hasFailed() && seldom.getAsBoolean()) {
                send(current, attempt, sent, events.get(sent));
                sent++;
            }
        } catch (KafkaException | IllegalStateException e) {
            // The producer could not be made, or a callback has closed it under us; then the
            // attempt knows a better reason.
            attempt.spent(sent, e);
        }
        return sent;
    }

    private void send(
            Producer<byte[], byte[]> current, Attempt attempt, int index, Numbered event) {
        Thread sending = Thread.currentThread();
        var unused =
                current.send(
                        record.apply(event),
                        (metadata, exception) -> {
                            // Refused before it left, for example for its size: the producer is as
                            // good as before.
                            boolean left = !Thread.currentThread().equals(sending);
                            if (attempt.answered(index, exception, left)) {
                                current.close(Duration.ZERO);
                            }
                        });
    }

    private Producer<byte[], byte[]> current() {
        Producer<byte[], byte[]> open = producer;
        if (open == null) {
            leftBehind.requireFew();
            open = producers.apply(settings);
            producer = open;
        }
        return open;
    }

    /// Whoever waits hears of it as of any failure.
    private void stopSending() {
        Producer<byte[], byte[]> open = producer;
        if (open != null) {
            open.close(Duration.ZERO);
        }
    }

    /// After so long a producer with these settings has answered, whatever the broker does, if it ever will.
    static Duration answerBound(Map<String, Object> settings) {
        return Duration.ofMillis(
                        millis(settings, ProducerConfig.MAX_BLOCK_MS_CONFIG)
                                + millis(settings, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG))
                .plus(BESIDE_THE_TIME_OUTS);
    }

    private static long millis(Map<String, Object> settings, String name) {
        return Long.parseLong(String.valueOf(settings.get(name)).strip());
    }

    /// What it still holds is not sent.
    private void discard() {
        next = null;
        Producer<byte[], byte[]> open = producer;
        if (open != null) {
            LOG.debug("The producer is thrown away; the next attempt gets a new one");
            producer = null;
            leftBehind.close(open);
        }
    }

    @Override
    public void close() {
        discard();
        guard.close();
    }

    private static Map<String, Object> producerSettings(Map<String, Object> given) {
        Map<String, Object> all = safeSettings(given);
        require(
                all,
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                "1",
                "an event behind a refused one must not have left");
        return all;
    }

    /// In a transaction several requests may be on their way: what stands behind a refused event is aborted with it.
    static Map<String, Object> transactionalSettings(Map<String, Object> given, String id) {
        Map<String, Object> all = safeSettings(given);
        all.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
        return all;
    }

    private static Map<String, Object> safeSettings(Map<String, Object> given) {
        Map<String, Object> all = new HashMap<>();
        all.put(ProducerConfig.LINGER_MS_CONFIG, 0); // Requests fill while the one before is away.
        all.put(ProducerConfig.BATCH_SIZE_CONFIG, 256 << 10);
        all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, REQUEST_BYTES);
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000);
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 10_000);
        all.putAll(given);
        require(all, ProducerConfig.ACKS_CONFIG, "all", "an acknowledged event must be safe");
        require(all, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true", "it avoids duplicates");
        require(
                all,
                ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG,
                "false",
                "events of an aggregate keep their order in one partition only");
        if (given.containsKey(ProducerConfig.PARTITIONER_CLASS_CONFIG)) {
            throw new IllegalArgumentException(
                    "%s=%s: the relay needs kafka-clients' own partitioner, because events of an aggregate keep their order in one partition only; remove the setting"
                            .formatted(
                                    ProducerConfig.PARTITIONER_CLASS_CONFIG,
                                    given.get(ProducerConfig.PARTITIONER_CLASS_CONFIG)));
        }
        return all;
    }

    private static void require(
            Map<String, Object> settings, String name, String value, String why) {
        Object given = settings.putIfAbsent(name, value);
        if (given != null && !given.toString().equals(value)) {
            throw new IllegalArgumentException(
                    "%s=%s: the relay needs %s, because %s; remove the setting"
                            .formatted(name, given, value, why));
        }
    }
}
