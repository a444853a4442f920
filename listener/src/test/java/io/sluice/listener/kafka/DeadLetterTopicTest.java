package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Letters of a topic that hangs, and of one that does not.
@Timeout(60)
class DeadLetterTopicTest {
    private final CountDownLatch hangs = new CountDownLatch(1);
    private final CountDownLatch ends = new CountDownLatch(1);

    /// What became of each letter, by its record.
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();

    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                /// As the real one does while it looks for the topic, but deaf to interrupts.
                @Override
                @SuppressWarnings(
                        "UnsynchronizedOverridesSynchronized") // others get through meanwhile
                public Future<RecordMetadata> send(
                        ProducerRecord<byte[], byte[]> record, Callback callback) {
                    if (record.topic().equals("slow-dead-letters")) {
                        hangs.countDown();
                        while (ends.getCount() > 0) {
                            Thread.onSpinWait();
                        }
                    }
                    return super.send(record, callback);
                }
            };

    private final DeadLetterTopic letters =
            new DeadLetterTopic(
                    KafkaSettings.of(
                            Map.of("bootstrap.servers", "nowhere:1", "group.id", "g"),
                            "slow",
                            "quick"),
                    client -> producer);

    @AfterEach
    void close() {
        ends.countDown();
        letters.close(Duration.ofSeconds(30));
    }

    private void send(String topic, long offset) {
        send(topic, offset, new IllegalStateException("not today"));
    }

    private void send(String topic, long offset, Throwable cause) {
        letters.send(
                new ConsumerRecord<>(topic, 0, offset, new byte[0], new byte[0]),
                new Settlement.DeadLetter(cause, 1),
                failure -> heard.add(topic + offset + word(failure)));
    }

    private static String word(@Nullable Throwable failure) {
        return failure == null ? " is safe" : " goes back";
    }

    @Test
    void aTopicThatHangsHoldsUpOnlyItsOwnLetters() throws Exception {
        send("slow", 1);
        hangs.await();
        send("quick", 1);
        until("the other one", () -> heard.contains("quick1 is safe"));
        assertThat(heard).hasSize(1);

        ends.countDown();
        until("both", () -> heard.contains("slow1 is safe"));
    }

    @Test
    void whatIsNotSentWhenItClosesGoesBack() throws Exception {
        send("slow", 1);
        hangs.await();
        send("slow", 2);
        send("slow", 3);
        letters.close(Duration.ZERO);
        assertThat(heard).containsExactly("slow2 goes back", "slow3 goes back");

        send("quick", 4);
        assertThat(heard).contains("quick4 goes back");

        ends.countDown();
        until("the one that hung is heard of too", () -> heard.size() == 4);
        assertThat(heard).doesNotHaveDuplicates().contains("slow1 goes back");
    }

    @Test
    void aLetterThatCannotBeWrittenGoesBack() throws Exception {
        var nameless =
                new IllegalStateException() {
                    private static final long serialVersionUID = 1;

                    @Override
                    public String getMessage() {
                        throw new UnsupportedOperationException("no words for it");
                    }
                };
        send("quick", 1, nameless);
        until("it goes back", () -> heard.contains("quick1 goes back"));
        send("quick", 2);
        until("the next one is sent", () -> heard.contains("quick2 is safe"));
    }
}
