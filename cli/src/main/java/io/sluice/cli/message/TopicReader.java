package io.sluice.cli.message;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Session;
import io.sluice.cli.topic.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// Reads a topic's partitions without a group, so that looking changes nothing.
///
/// Owned by the main thread.
final class TopicReader {
    private static final Duration POLL = Duration.ofMillis(200);

    private final Session session;
    private final TailCommand options;
    private final TopicDescription topic;

    TopicReader(Session session, TailCommand options, TopicDescription topic) {
        this.session = session;
        this.options = options;
        this.topic = topic;
    }

    ExitCode read(Shown shown) {
        List<TopicPartition> partitions = partitions();
        Map<String, Object> settings = new HashMap<>(session.cluster().settings().forReading());
        settings.putIfAbsent("auto.offset.reset", "earliest");
        settings.put("allow.auto.create.topics", false);
        try (Consumer<byte[], byte[]> consumer =
                options.presetOptions
                        .preset()
                        .openConsumer(
                                settings,
                                new ByteArrayDeserializer(),
                                new ByteArrayDeserializer())) {
            session.onInterrupt(consumer::wakeup);
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            options.start.seek(
                    consumer,
                    consumer.beginningOffsets(partitions),
                    ends,
                    session.now(),
                    session.terminal().zone());
            if (options.start.lastCount() > 0) {
                showLast(consumer, ends, shown);
            } else {
                showUpTo(consumer, ends, shown);
            }
            return options.follow ? follow(consumer, shown) : ExitCode.OK;
        } catch (WakeupException e) {
            return ExitCode.OK;
        }
    }

    private List<TopicPartition> partitions() {
        List<TopicPartition> all = Topics.partitionsOf(topic);
        if (options.partitions.isEmpty()) {
            return all;
        }
        List<TopicPartition> chosen = new ArrayList<>();
        for (int number : options.partitions) {
            var partition = new TopicPartition(options.topic, number);
            if (!all.contains(partition)) {
                throw Failure.notFound(
                        "Topic '%s' has no partition %d; it has %d, counted from 0."
                                .formatted(options.topic, number, all.size()));
            }
            chosen.add(partition);
        }
        return chosen;
    }

    /// The last of all partitions together, in the order of their timestamps. A partition's own order is kept.
    private void showLast(
            Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, Shown shown) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        while (behind(consumer, ends)) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (record.offset() < end(ends, record)) {
                    records.add(record);
                }
            }
        }
        records.sort(Comparator.comparingLong(ConsumerRecord::timestamp));
        int from = (int) Math.max(0, records.size() - options.start.lastCount());
        records.subList(from, records.size()).forEach(shown::show);
        shown.flush();
        if (options.follow) {
            // What came while we sorted is still to be shown.
            ends.forEach(consumer::seek);
        }
    }

    private void showUpTo(
            Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, Shown shown) {
        while (!shown.full() && behind(consumer, ends)) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (options.follow || record.offset() < end(ends, record)) {
                    shown.show(record);
                }
            }
            shown.flush();
        }
    }

    private ExitCode follow(Consumer<byte[], byte[]> consumer, Shown shown) {
        long lastSeen = System.nanoTime();
        while (!shown.full()) {
            long before = shown.seen();
            consumer.poll(POLL).forEach(shown::show);
            shown.flush();
            if (shown.seen() > before) {
                lastSeen = System.nanoTime();
            }
            if (options.idle != null && System.nanoTime() - lastSeen > options.idle.toNanos()) {
                return idleEnd(shown);
            }
        }
        return ExitCode.OK;
    }

    /// Fewer than were asked for is a time-out; with no number given there was nothing to wait for.
    private ExitCode idleEnd(Shown shown) {
        if (options.count == Long.MAX_VALUE) {
            return ExitCode.OK;
        }
        session.note("Only " + shown.total() + " of " + options.count + " messages came.");
        return ExitCode.TIMEOUT;
    }

    private static boolean behind(Consumer<?, ?> consumer, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream()
                .anyMatch(end -> consumer.position(end.getKey()) < end.getValue());
    }

    private static long end(Map<TopicPartition, Long> ends, ConsumerRecord<?, ?> record) {
        return ends.getOrDefault(
                new TopicPartition(record.topic(), record.partition()), Long.MAX_VALUE);
    }
}
