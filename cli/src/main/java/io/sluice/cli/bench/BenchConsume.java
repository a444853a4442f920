package io.sluice.cli.bench;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.PresetOptions;
import io.sluice.cli.Progress;
import io.sluice.cli.Session;
import io.sluice.cli.argument.DurationArgument;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import io.sluice.cli.topic.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice bench consume`
@CommandLine.Command(
        name = "consume",
        description = {
            "Read a topic from its beginning to its end as it is now, and measure how fast.",
            "Commits nothing."
        })
public final class BenchConsume implements Command {
    private static final Duration POLL = Duration.ofMillis(100);

    @CommandLine.Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC",
            description = "Default: " + BenchTopic.DEFAULT_NAME + ", which 'bench produce' fills.")
    String topic = BenchTopic.DEFAULT_NAME;

    @CommandLine.Option(
            names = {"-n", "--messages"},
            paramLabel = "N",
            description = "End after so many.")
    long messages = Long.MAX_VALUE;

    @CommandLine.Option(
            names = {"-d", "--duration"},
            paramLabel = "DURATION",
            converter = DurationArgument.class,
            description = "End after this time.")
    @Nullable Duration duration;

    @CommandLine.Mixin PresetOptions presetOptions = new PresetOptions();

    private final Meter meter = new Meter();

    @Override
    public ExitCode run(Session session) {
        List<TopicPartition> partitions =
                Topics.partitionsOf(new Topics(session.cluster()).require(topic));
        Map<String, Object> settings = new HashMap<>(session.cluster().settings().forReading());
        try (Consumer<byte[], byte[]> consumer =
                        presetOptions
                                .preset()
                                .openConsumer(
                                        settings,
                                        new ByteArrayDeserializer(),
                                        new ByteArrayDeserializer());
                Progress progress = session.progress()) {
            session.onInterrupt(consumer::wakeup);
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            consumer.beginningOffsets(partitions).forEach(consumer::seek);
            read(consumer, ends, progress);
        }
        Fields result =
                Fields.of("topic", Value.text(topic))
                        .with("delivery", Value.text(presetOptions.delivery().label()))
                        .with("profile", Value.text(presetOptions.profile().label()));
        session.printer().print(Meter.details(topic, meter.addTo(result), List.of()));
        if (meter.messages() == 0) {
            session.note("The topic is empty; 'sluice bench produce' fills one.");
            return ExitCode.NOT_FOUND;
        }
        return ExitCode.OK;
    }

    private void read(
            Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, Progress progress) {
        long deadline = duration == null ? Long.MAX_VALUE : System.nanoTime() + duration.toNanos();
        meter.start();
        try {
            while (meter.messages() < messages
                    && (duration == null || System.nanoTime() < deadline)
                    && behind(consumer, ends)) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                long bytes = 0;
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    bytes +=
                            Math.max(0, record.serializedKeySize())
                                    + Math.max(0, record.serializedValueSize());
                }
                if (!records.isEmpty()) {
                    meter.count(records.count(), bytes);
                }
                meter.show(progress, "");
            }
        } catch (WakeupException e) {
            // Ctrl-C: what was read so far is still a result
        }
    }

    private static boolean behind(Consumer<?, ?> consumer, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream()
                .anyMatch(end -> consumer.position(end.getKey()) < end.getValue());
    }
}
