package io.sluice.outbox.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An event of the page behind is refused while the page before is not answered, since that one's partition is slower.
@Timeout(60)
class RefusedBehindTest {
    private static final List<Numbered> FIRST = page(1, 2);
    private static final List<Numbered> SECOND = page(3, 4);
    private static final String TOO_LARGE_TO_LEAVE = "6";

    private final List<ManyPartitions> producers = new ArrayList<>();
    private final Publisher publisher =
            new Publisher(
                    "topic",
                    event -> Headers.numbered("topic", event),
                    Map.of(),
                    () -> true,
                    settings -> {
                        producers.add(new ManyPartitions());
                        return producers.getLast();
                    },
                    new LeftBehind());

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    void thePageBeforeHasNotFailed() throws Exception {
        Outcome first =
                publisher.publish(
                        FIRST,
                        whenGiven(
                                4,
                                producer -> {
                                    producer.answer(1, null);
                                    producer.answer(3, new RecordTooLargeException("2 MB"));
                                    producer.end();
                                }),
                        () -> SECOND);
        assertThat(first.acknowledged()).isEqualTo(FIRST.subList(0, 1));
        assertThat(first.refused()).as("nobody has refused any").isEmpty();
        assertThat(producers.getFirst().closed()).as("4 must not leave behind 3").isTrue();

        List<Numbered> left = FIRST.subList(1, 2);
        Outcome again = publisher.publish(left, whenGiven(1, producer -> producer.answer(2, null)));
        assertThat(again.acknowledged()).isEqualTo(left);
        Outcome second =
                publisher.publish(
                        SECOND,
                        whenGiven(
                                3,
                                producer -> {
                                    producer.answer(3, new RecordTooLargeException("2 MB"));
                                    producer.end();
                                }));
        assertThat(second.acknowledged()).isEmpty();
        assertThat(second.refused())
                .hasValueSatisfying(
                        refused -> {
                            assertThat(refused.event()).isEqualTo(SECOND.getFirst());
                            assertThat(refused.why()).isInstanceOf(Refusal.OfRecord.class);
                        });
    }

    /// It had all been acknowledged before: nothing comes again, and the page behind tells of itself.
    @Test
    void aPageBeforeThatIsDoneStaysDone() throws Exception {
        Outcome first =
                publisher.publish(
                        FIRST,
                        whenGiven(
                                4,
                                producer -> {
                                    producer.answer(3, new RecordTooLargeException("2 MB"));
                                    producer.answer(1, null);
                                    producer.answer(2, null);
                                    producer.end();
                                }),
                        () -> SECOND);
        assertThat(first.acknowledged()).isEqualTo(FIRST);
        Outcome second = publisher.publish(SECOND, () -> true);
        assertThat(second.refused().orElseThrow().why()).isInstanceOf(Refusal.OfRecord.class);
        assertThat(producers).hasSize(1);
    }

    @Test
    void whatTheBrokerSaysOfThePageBeforeCounts() throws Exception {
        Outcome first =
                publisher.publish(
                        FIRST,
                        whenGiven(
                                4,
                                producer -> {
                                    producer.answer(3, new RecordTooLargeException("2 MB"));
                                    producer.answer(2, new RecordTooLargeException("3 MB"));
                                    producer.end();
                                }),
                        () -> SECOND);
        assertThat(first.refused())
                .hasValueSatisfying(
                        refused -> {
                            assertThat(refused.event()).isEqualTo(FIRST.getLast());
                            assertThat(refused.why().reason()).contains("3 MB");
                        });
    }

    @Test
    void aBrokerThatCannotBeReachedForThePageBehindIsNotReached() throws Exception {
        Outcome first =
                publisher.publish(
                        FIRST,
                        whenGiven(
                                4,
                                producer -> {
                                    producer.answer(3, new NotLeaderOrFollowerException("x"));
                                    producer.end();
                                }),
                        () -> SECOND);
        assertThat(first.refused().orElseThrow().why()).isInstanceOf(Refusal.Transport.class);
    }

    /// That says nothing about the broker.
    @Test
    void anEventThatIsRefusedBeforeItLeavesHidesNoFailureOfThePageBefore() throws Exception {
        Outcome first =
                publisher.publish(
                        FIRST,
                        whenGiven(
                                4,
                                producer -> {
                                    producer.answer(1, new NotLeaderOrFollowerException("x"));
                                    producer.end();
                                }),
                        () -> page(5, 6));
        assertThat(first.refused().orElseThrow().why()).isInstanceOf(Refusal.Transport.class);
    }

    /// Asked again and again while answers are awaited.
    private BooleanSupplier whenGiven(int count, Consumer<ManyPartitions> then) {
        AtomicBoolean done = new AtomicBoolean();
        return () -> {
            if (!producers.isEmpty()
                    && producers.getLast().history().size() == count
                    && !done.getAndSet(true)) {
                ManyPartitions producer = producers.getLast();
                var _ = CompletableFuture.runAsync(() -> then.accept(producer));
            }
            return true;
        };
    }

    private static List<Numbered> page(long from, long to) {
        return LongStream.rangeClosed(from, to).mapToObj(RefusedBehindTest::event).toList();
    }

    private static Numbered event(long ord) {
        String text = Long.toString(ord);
        return new Numbered(
                new Event(ord, 0, text, "key", Map.of(), Event.Payload.of(text), 0), ord);
    }

    /// Answers in any order; what it has when its thread ends fails, as with kafka-clients' own.
    private static final class ManyPartitions extends MockProducer<byte[], byte[]> {
        private final Map<String, Callback> open = new LinkedHashMap<>();

        ManyPartitions() {
            super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public synchronized Future<RecordMetadata> send(
                ProducerRecord<byte[], byte[]> record, Callback callback) {
            Future<RecordMetadata> sent = super.send(record, null);
            String value = new String(record.value(), StandardCharsets.UTF_8);
            if (value.equals(TOO_LARGE_TO_LEAVE)) {
                callback.onCompletion(null, new RecordTooLargeException("5 MB"));
            } else {
                open.put(value, callback);
            }
            return sent;
        }

        void answer(long event, @Nullable Exception exception) {
            take(event).onCompletion(null, exception);
        }

        private synchronized Callback take(long event) {
            Callback callback = open.remove(Long.toString(event));
            if (callback == null) {
                throw new AssertionError("not open: " + event);
            }
            return callback;
        }

        void end() {
            List<Callback> rest;
            synchronized (this) {
                rest = List.copyOf(open.values());
                open.clear();
            }
            rest.forEach(
                    each ->
                            each.onCompletion(
                                    null, new KafkaException("Producer is closed forcefully.")));
        }
    }
}
