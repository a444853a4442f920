package io.sluice.conformance;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/// A member of a consumer group that polls on a thread of its own and commits what it has got.
///
/// The thread owns the consumer; everything that a test looks at is concurrent or a snapshot.
final class GroupMember implements AutoCloseable, ConsumerRebalanceListener {
    /// For members that shall be missed soon: the smallest that Apache Kafka allows by default. All others keep the client's own, which a machine
    /// that is busy with something else does not exceed so easily.
    static final int SHORT_SESSION_MILLIS = 6_000;

    private final Consumer<String, String> consumer;
    private final Thread thread;
    private final Queue<ConsumerRecord<String, String>> received = new ConcurrentLinkedQueue<>();
    private final AtomicInteger rebalances = new AtomicInteger();
    private final Set<TopicPartition> everRevoked = new HashSet<>();
    private volatile Set<TopicPartition> assignment = Set.of();
    private volatile @Nullable RuntimeException failure;
    private volatile boolean closing;

    private GroupMember(
            Clients clients,
            String group,
            Map<String, Object> settings,
            java.util.function.BiConsumer<Consumer<String, String>, GroupMember> subscribe) {
        Map<String, Object> all = new HashMap<>();
        all.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, RangeAssignor.class.getName());
        all.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 500);
        all.putAll(settings);
        all.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        all.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        consumer = clients.consumer(all);
        thread =
                Thread.ofPlatform()
                        .name("member-of-" + group)
                        .unstarted(
                                () -> {
                                    subscribe.accept(consumer, this);
                                    pollUntilClosed();
                                });
        thread.start();
    }

    static GroupMember join(
            Clients clients,
            String group,
            Collection<String> topics,
            Map<String, Object> settings) {
        return new GroupMember(
                clients, group, settings, (consumer, own) -> consumer.subscribe(topics, own));
    }

    static GroupMember joinMatching(
            Clients clients, String group, Pattern topics, Map<String, Object> settings) {
        return new GroupMember(
                clients, group, settings, (consumer, own) -> consumer.subscribe(topics, own));
    }

    private void pollUntilClosed() {
        try (consumer) {
            while (!closing) {
                ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(100));
                records.forEach(received::add);
                if (!records.isEmpty()) {
                    commit();
                }
            }
        } catch (WakeupException woken) {
            if (!closing) {
                failure = woken;
            }
        } catch (RuntimeException exception) {
            failure = exception;
        }
    }

    private void commit() {
        try {
            consumer.commitSync();
        } catch (RebalanceInProgressException untilNextPoll) {
            // The next poll completes the rebalance, and the next commit covers this one.
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        rebalances.incrementAndGet();
        assignment = Set.copyOf(consumer.assignment());
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        synchronized (everRevoked) {
            everRevoked.addAll(partitions);
        }
        Set<TopicPartition> left = new HashSet<>(consumer.assignment());
        left.removeAll(partitions);
        assignment = Set.copyOf(left);
    }

    Set<TopicPartition> assignment() {
        return assignment;
    }

    /// How often the group gave this member an assignment.
    int rebalances() {
        return rebalances.get();
    }

    Set<TopicPartition> everRevoked() {
        synchronized (everRevoked) {
            return Set.copyOf(everRevoked);
        }
    }

    Collection<ConsumerRecord<String, String>> received() {
        return received;
    }

    @Nullable RuntimeException failure() {
        return failure;
    }

    @Override
    public void close() {
        leave();
    }

    /// Leaves the group; a static member just goes away.
    void leave() {
        closing = true;
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
