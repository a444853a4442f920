package io.sluice.conformance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.raw.Batches;
import io.sluice.conformance.raw.Frames;
import io.sluice.conformance.raw.RawSocket;
import io.sluice.conformance.raw.RawSocket.Reaction;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Record batches with something wrong inside: refused with an error and not written, whatever it is.
@Tag("bad-input")
@ExtendWith(BrokerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadBatchesIT {
    private final Broker broker;
    private final Clients clients;
    private final HealthyClient healthy;

    BadBatchesIT(Broker broker) {
        this.broker = broker;
        clients = new Clients(broker);
        healthy = new HealthyClient(clients);
    }

    @AfterEach
    void everyoneElseIsServed() {
        healthy.assertServed();
    }

    @AfterAll
    void close() {
        healthy.close();
    }

    /// A batch with a flaw.
    record Flawed(String flaw, Supplier<byte[]> batch) {
        @Override
        public String toString() {
            return flaw;
        }
    }

    static Stream<Flawed> flawedBatches() {
        return Stream.concat(flawedHeaders(), flawedRecords());
    }

    private static Stream<Flawed> flawedHeaders() {
        long tomorrow = System.currentTimeMillis() + 86_400_000;
        return Stream.of(
                new Flawed("wrong checksum", () -> Batches.damaged(b -> b.putInt(17, 0xbad))),
                new Flawed(
                        "a flipped bit in a value",
                        () -> Batches.damaged(b -> b.put(b.limit() - 2, (byte) 0x7f))),
                new Flawed("unknown magic", () -> Batches.damaged(b -> b.put(16, (byte) 3))),
                new Flawed("longer than it is", () -> Batches.damaged(b -> b.putInt(8, b.limit()))),
                new Flawed("shorter than it is", () -> Batches.damaged(b -> b.putInt(8, 49))),
                new Flawed("a length of nothing", () -> Batches.damaged(b -> b.putInt(8, 0))),
                new Flawed("a negative length", () -> Batches.damaged(b -> b.putInt(8, -1))),
                new Flawed("more records than it has", () -> Batches.forged(b -> b.putInt(57, 4))),
                new Flawed("fewer records than it has", () -> Batches.forged(b -> b.putInt(57, 2))),
                new Flawed(
                        "an absurd number of records",
                        () -> Batches.forged(b -> b.putInt(57, Integer.MAX_VALUE))),
                new Flawed(
                        "a negative number of records",
                        () -> Batches.forged(b -> b.putInt(57, -3))),
                new Flawed(
                        "a last offset that is not its last",
                        () -> Batches.forged(b -> b.putInt(23, 7))),
                new Flawed(
                        "an unknown compression",
                        () -> Batches.forged(b -> b.putShort(21, (short) 7))),
                new Flawed(
                        "a control batch from a client",
                        () -> Batches.forged(b -> b.putShort(21, (short) 0x20))),
                new Flawed("a time far ahead", () -> Batches.valid(tomorrow)),
                new Flawed(
                        "a record with a time far ahead, which the header hides",
                        () -> {
                            byte[] batch = Batches.valid(tomorrow);
                            return Batches.forged(
                                    batch, b -> b.putLong(35, System.currentTimeMillis()));
                        }),
                new Flawed("only half a header", () -> Arrays.copyOf(Batches.valid(), 30)),
                new Flawed(
                        "a cut-off end",
                        () -> Arrays.copyOf(Batches.valid(), Batches.valid().length - 3)));
    }

    /// The first record: size at 61, attributes, timestamp, offset, key from 65, value from 70, headers at 77.
    private static Stream<Flawed> flawedRecords() {
        return Stream.of(
                new Flawed(
                        "a key that leads into the next record",
                        () -> Batches.forged(b -> b.put(65, (byte) 60))),
                new Flawed(
                        "a key of -2 bytes that hides the rest",
                        () -> Batches.forged(b -> b.put(65, (byte) 3))),
                new Flawed(
                        "a value shorter than its record",
                        () -> Batches.forged(b -> b.put(70, (byte) 2))),
                new Flawed(
                        "a value of nothing before its bytes",
                        () -> Batches.forged(b -> b.put(70, (byte) 1))),
                new Flawed(
                        "a negative number of headers",
                        () -> Batches.forged(b -> b.put(77, (byte) 1))),
                new Flawed(
                        "headers that are not there",
                        () -> Batches.forged(b -> b.put(77, (byte) 20))));
    }

    @ParameterizedTest
    @MethodSource("flawedBatches")
    @DisplayName("Q13: a flawed batch is refused and not written")
    void aFlawedBatchIsRefusedAndNotWritten(Flawed flawed) {
        String topic = clients.createTopic("flawed", 1);
        try (RawSocket socket = new RawSocket(broker)) {
            Reaction reaction = socket.send(Frames.produce(topic, flawed.batch.get())).reaction();

            switch (reaction) {
                case Reaction.Answer(ByteBuffer bytes) ->
                        assertThat(Frames.produceError(bytes)).isNotEqualTo(Errors.NONE.code());
                case Reaction.Closed() -> assertThat(endOffset(topic)).isZero();
                case Reaction.Silence() -> throw new AssertionError("no answer");
            }
        }
        assertThat(endOffset(topic)).isZero();
    }

    @Test
    void theErrorSaysWhatWasWrong() {
        String topic = clients.createTopic("errors", 1);

        assertThat(errorOf(topic, Batches.damaged(b -> b.putInt(17, 0xbad))))
                .isEqualTo(Errors.CORRUPT_MESSAGE);
        assertThat(errorOf(topic, Batches.valid(System.currentTimeMillis() + 86_400_000)))
                .isEqualTo(Errors.INVALID_TIMESTAMP);
        assertThat(errorOf(topic, Batches.valid())).isEqualTo(Errors.NONE);
        assertThat(endOffset(topic)).isEqualTo(3);
    }

    /// Apache Kafka puts it right as well: indexes and retention believe the header.
    @Test
    @DisplayName("Q4: a latest time that no record has is not believed")
    void aLatestTimestampThatNoRecordHasIsPutRight() {
        String topic = clients.createTopic("late", 1);
        long now = System.currentTimeMillis();
        byte[] lying = Batches.forged(Batches.valid(now), b -> b.putLong(35, now + 864_000_000));

        assertThat(errorOf(topic, lying)).isEqualTo(Errors.NONE);

        TopicPartition partition = new TopicPartition(topic, 0);
        try (Consumer<String, String> consumer = clients.consumer(Map.of())) {
            assertThat(consumer.offsetsForTimes(Map.of(partition, now + 1)).get(partition))
                    .isNull();
            OffsetAndTimestamp first =
                    consumer.offsetsForTimes(Map.of(partition, now)).get(partition);
            assertThat(requireNonNull(first).offset()).isZero();
        }
        assertThat(clients.readAll(topic, 1, 3)).hasSize(3);
    }

    /// Sluice overwrites a base offset, as Apache Kafka did for long; Kafka 4.3 refuses all but 0. Neither believes it.
    @Test
    @DisplayName("Q13: what the broker decides about a batch is not taken from the client")
    void offsetsAreTheBrokersOwn() {
        String topic = clients.createTopic("own", 1);
        byte[] pretended = Batches.damaged(b -> b.putLong(0, 1_000_000).putInt(12, 99));

        if (errorOf(topic, pretended) != Errors.NONE) {
            assertThat(endOffset(topic)).isZero();
            return;
        }

        assertThat(clients.readAll(topic, 1, 3))
                .extracting(record -> record.offset())
                .containsExactly(0L, 1L, 2L);
    }

    private Errors errorOf(String topic, byte[] batch) {
        try (RawSocket socket = new RawSocket(broker)) {
            return Errors.forCode(
                    Frames.produceError(socket.send(Frames.produce(topic, batch)).answer()));
        }
    }

    private long endOffset(String topic) {
        TopicPartition partition = new TopicPartition(topic, 0);
        try (Consumer<String, String> consumer = clients.consumer(Map.of())) {
            return consumer.endOffsets(List.of(partition)).getOrDefault(partition, -1L);
        }
    }
}
