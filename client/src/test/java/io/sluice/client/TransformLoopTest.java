package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What is in a transaction, on kafka-clients' own mocks. Everything runs on the test's thread.
@Timeout(30)
@DisplayName("Q33: results and offsets in one transaction")
class TransformLoopTest {
    private static final TopicPartition P0 = new TopicPartition("orders", 0);

    private final MockConsumer<String, String> consumer = new MockConsumer<>("earliest");
    private final SlowProducer producer = new SlowProducer();
    private final AtomicReference<TransformLoop<String, String, String, String>> loop =
            new AtomicReference<>();

    TransformLoopTest() {
        producer.initTransactions();
        consumer.updateBeginningOffsets(Map.of(P0, 0L));
        consumer.schedulePollTask(
                () -> {
                    consumer.rebalance(List.of(P0));
                    deliverFrom(0);
                });
    }

    @Test
    void resultsAndOffsetsAreCommittedTogether() {
        run(OnFailure.stop(), record -> results(record, record.offset() == 2));
        assertThat(producer.history())
                .extracting(ProducerRecord::value)
                .containsExactly("bill 0", "bill 1", "bill 2");
        assertThat(producer.commitCount()).isEqualTo(1);
        assertThat(offsetsInTransactions()).containsExactly(3L);
    }

    @Test
    void failedWorkLeavesNothingVisibleAndStops() {
        assertThatThrownBy(
                        () ->
                                run(
                                        OnFailure.stop(),
                                        record -> {
                                            if (record.offset() == 1) {
                                                throw new IllegalStateException("no stock");
                                            }
                                            return results(record, false);
                                        }))
                .isInstanceOf(ProcessingFailedException.class)
                .hasMessageContaining("orders-0 offset 1");
        assertThat(producer.history()).isEmpty();
        assertThat(producer.transactionAborted()).isTrue();
        assertThat(consumer.closed()).isTrue();
    }

    @Test
    void retriedBatchIsWorkedOnAgainFromItsStart() {
        int[] failures = {1};
        run(
                OnFailure.retry(3, Duration.ofMillis(1), Duration.ofMillis(1)),
                record -> {
                    if (record.offset() == 2 && failures[0]-- > 0) {
                        consumer.schedulePollTask(() -> {});
                        consumer.schedulePollTask(() -> deliverFrom(0));
                        throw new IllegalStateException("no stock");
                    }
                    return results(record, record.offset() == 2);
                });
        assertThat(producer.history())
                .extracting(ProducerRecord::value)
                .containsExactly("bill 0", "bill 1", "bill 2");
        assertThat(offsetsInTransactions()).containsExactly(3L);
    }

    /// After a time-out the commit may be under way, so an abort would be wrong.
    @Test
    void commitThatTimesOutIsAskedForAgain() {
        producer.timeouts = 2;
        run(OnFailure.stop(), record -> results(record, false));
        assertThat(producer.commitCount()).isEqualTo(1);
        assertThat(producer.transactionAborted()).isFalse();
    }

    @Test
    void fencedProducerEndsTheLoop() {
        producer.commitTransactionException = new ProducerFencedException("another has the name");
        assertThatThrownBy(() -> run(OnFailure.retry(), record -> results(record, false)))
                .isInstanceOf(ProducerFencedException.class);
        assertThat(consumer.closed()).isTrue();
    }

    @Test
    void skippingIsRefused() {
        assertThatThrownBy(
                        () ->
                                new TransformLoop<>(
                                        consumer,
                                        producer,
                                        OnFailure.skip(),
                                        record -> results(record, false)))
                .hasMessageContaining("delivery=exactly-once and OnFailure.skip");
    }

    private void run(
            OnFailure onFailure, RecordTransformer<String, String, String, String> transformer) {
        loop.set(new TransformLoop<>(consumer, producer, onFailure, transformer));
        theLoop().run(List.of("orders"));
    }

    private TransformLoop<String, String, String, String> theLoop() {
        return loop.get();
    }

    private void deliverFrom(long first) {
        consumer.seek(P0, first);
        for (long offset = first; offset < 3; offset++) {
            consumer.addRecord(new ConsumerRecord<>("orders", 0, offset, "key", "value"));
        }
    }

    private List<ProducerRecord<String, String>> results(
            ConsumerRecord<String, String> record, boolean last) {
        if (last) {
            theLoop().stop();
        }
        return List.of(new ProducerRecord<>("bills", "key", "bill " + record.offset()));
    }

    private List<Long> offsetsInTransactions() {
        return producer.consumerGroupOffsetsHistory().stream()
                .flatMap(byGroup -> byGroup.values().stream())
                .flatMap(byPartition -> byPartition.values().stream())
                .map(OffsetAndMetadata::offset)
                .toList();
    }

    /// Lets some commits time out, then ends the loop with the one that succeeds.
    private final class SlowProducer extends MockProducer<String, String> {
        private int timeouts;

        SlowProducer() {
            super(true, null, new StringSerializer(), new StringSerializer());
        }

        @Override
        public void commitTransaction() {
            if (timeouts > 0) {
                if (--timeouts == 0) {
                    consumer.schedulePollTask(() -> theLoop().stop());
                }
                throw new TimeoutException("slow");
            }
            super.commitTransaction();
        }
    }
}
