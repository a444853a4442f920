package io.sluice.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Consumes, works and produces exactly once: the results of a batch and the offsets it was read from become visible
/// in one transaction, or not at all.
///
/// Both clients come from a [Preset] with [Delivery#EXACTLY_ONCE]; the loop closes the consumer, the caller the producer.
/// Whatever the work does outside of the records it returns is not part of the transaction.
///
/// Owned by the thread that calls [#run]; [#stop] and [#close] may be called from any thread.
public final class TransformLoop<K, V, K2, V2> implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TransformLoop.class);
    private static final Duration SHORT_PAUSE = Duration.ofMillis(100);

    private final Consumer<K, V> consumer;
    private final Producer<K2, V2> producer;
    private final OnFailure onFailure;
    private final RecordTransformer<K, V, K2, V2> transformer;
    private final Membership<K, V> membership;
    private int failures;

    /// @throws IllegalArgumentException when the failure policy would lose records
    public TransformLoop(
            Consumer<K, V> consumer,
            Producer<K2, V2> producer,
            OnFailure onFailure,
            RecordTransformer<K, V, K2, V2> transformer) {
        if (onFailure instanceof OnFailure.Skip) {
            throw new IllegalArgumentException(
                    "delivery=exactly-once and OnFailure.skip contradict each other: a skipped record is lost."
                            + " Use OnFailure.stop or retry.");
        }
        this.consumer = consumer;
        this.producer = producer;
        this.onFailure = onFailure;
        this.transformer = transformer;
        this.membership = new Membership<>(consumer, new Steps());
    }

    /// Runs on this thread until [#stop] or an interrupt, then closes the consumer.
    ///
    /// @throws ProcessingFailedException when the work fails for good
    public void run(Collection<String> topics) {
        membership.run(topics);
    }

    /// Ends [#run] after the transaction in work.
    public void stop() {
        membership.stop();
    }

    /// [#stop], and waits until [#run] has ended.
    @Override
    public void close() {
        membership.close();
    }

    /// No transaction is open between two calls, so rebalances and the end find nothing to settle.
    private final class Steps implements Membership.Work<K, V> {
        @Override
        public void on(ConsumerRecords<K, V> records) {
            if (!records.isEmpty()) {
                transaction(records);
            }
        }

        @Override
        public void revoked(Collection<TopicPartition> partitions) {}

        @Override
        public void lost(Collection<TopicPartition> partitions) {}

        @Override
        public void settle() {}
    }

    private void transaction(ConsumerRecords<K, V> records) {
        producer.beginTransaction();
        try {
            for (ConsumerRecord<K, V> record : records) {
                if (!transformed(record, records)) {
                    return;
                }
            }
            producer.sendOffsetsToTransaction(
                    new Batch<>(records).ends(), consumer.groupMetadata());
            insist(producer::commitTransaction);
            failures = 0;
        } catch (ProducerFencedException
                | InvalidProducerEpochException
                | OutOfOrderSequenceException
                | AuthorizationException
                | UnsupportedVersionException
                | ProcessingFailedException e) {
            // Another producer has taken the transactional.id, or will never let us; or the work
            // has given up.
            throw e;
        } catch (CommitFailedException e) {
            log.warn("The group has given the partitions to another member: {}", e.getMessage());
            abort(records);
        } catch (KafkaException e) {
            log.warn("The transaction failed and is tried again: {}", e.toString());
            abort(records);
            membership.waitInGroup(SHORT_PAUSE);
        }
    }

    /// @return false when the transaction was aborted
    private boolean transformed(ConsumerRecord<K, V> record, ConsumerRecords<K, V> records) {
        List<ProducerRecord<K2, V2>> results = new ArrayList<>();
        try {
            transformer.transform(record).forEach(results::add);
        } catch (InterruptedException e) {
            abort(records);
            membership.stopByInterrupt();
            return false;
        } catch (Exception e) {
            abort(records);
            waitForRetry(record, e);
            return false;
        }
        for (var result : results) {
            // A failed send fails the commit of the transaction, so its future needs no look.
            var unused = producer.send(result);
        }
        return true;
    }

    private void waitForRetry(ConsumerRecord<K, V> record, Exception cause) {
        failures++;
        if (!(onFailure instanceof OnFailure.Retry retry) || failures >= retry.attempts()) {
            throw new ProcessingFailedException(record, failures, cause);
        }
        log.warn("The work failed, again in {}: {}", retry.pauseAfter(failures), cause.toString());
        membership.waitInGroup(retry.pauseAfter(failures));
    }

    private void abort(ConsumerRecords<K, V> records) {
        insist(producer::abortTransaction);
        membership.rewind(records);
    }

    /// After a time-out the end of a transaction may be under way: the only allowed next step is the same one again.
    private void insist(Runnable endOfTransaction) {
        while (true) {
            try {
                endOfTransaction.run();
                return;
            } catch (TimeoutException e) {
                if (membership.stopping()) {
                    throw e;
                }
                log.warn("The transaction's end has to wait: {}", e.getMessage());
            }
        }
    }
}
