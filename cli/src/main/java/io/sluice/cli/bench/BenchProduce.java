package io.sluice.cli.bench;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.PresetOptions;
import io.sluice.cli.Progress;
import io.sluice.cli.Session;
import io.sluice.cli.argument.DurationArgument;
import io.sluice.cli.argument.SizeArgument;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import io.sluice.client.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice bench produce`
@CommandLine.Command(
        name = "produce",
        description = {
            "Send messages and measure how many, and how long their acknowledgements take.",
            "With --rate from the moment each was due, else from the call of send(), which includes waiting for the batch."
        })
public final class BenchProduce implements Command {
    private static final int POOL = 1 << 20;

    @CommandLine.Mixin BenchTopic topic = new BenchTopic();

    @CommandLine.Option(
            names = {"-n", "--messages"},
            paramLabel = "N",
            description = "So many messages in all. Default: as many as --duration allows.")
    @Nullable Long messages;

    @CommandLine.Option(
            names = {"-d", "--duration"},
            paramLabel = "DURATION",
            converter = DurationArgument.class,
            description = "How long. Default: 10s, or until --messages are sent.")
    @Nullable Duration duration;

    @CommandLine.Option(
            names = {"-s", "--size"},
            paramLabel = "SIZE",
            converter = SizeArgument.class,
            defaultValue = "1KiB",
            description = "Bytes of each value, random and so not compressible. Default: 1KiB.")
    int size = 1_024;

    @CommandLine.Option(
            names = {"-r", "--rate"},
            paramLabel = "N",
            description = "Messages per second in all. Default: as fast as it goes.")
    double rate;

    @CommandLine.Option(
            names = "--producers",
            paramLabel = "N",
            description = "How many producers, each with its own connection. Default: 1.")
    int producers = 1;

    @CommandLine.Mixin PresetOptions presetOptions = new PresetOptions();

    private final AtomicBoolean stop = new AtomicBoolean();
    private final Meter meter = new Meter();
    private final Latencies latencies = new Latencies();
    private final AtomicReference<@Nullable Exception> firstFailure = new AtomicReference<>();

    @Override
    public ExitCode run(Session session) throws InterruptedException {
        if (presetOptions.delivery() == Delivery.EXACTLY_ONCE) {
            throw Failure.usage(
                    "bench produce measures messages, not transactions: choose another --delivery.");
        }
        if (size < 1 || producers < 1 || rate < 0) {
            throw Failure.usage("--size and --producers have to be above 0, --rate not below.");
        }
        topic.ensure(session);
        session.onInterrupt(() -> stop.set(true));
        List<Producer<byte[], byte[]>> clients = open(session);
        try (Progress progress = session.progress()) {
            load(clients, progress);
        } finally {
            clients.forEach(Producer::close);
        }
        Exception failure = firstFailure.get();
        if (meter.messages() == 0 && failure != null) {
            throw failure instanceof KafkaException kafka ? kafka : new KafkaException(failure);
        }
        session.printer().print(Meter.details(topic.name, result(), Meter.latencyLines()));
        if (failure != null) {
            session.note(meter.failures() + " messages failed; the first: " + failure.getMessage());
            return ExitCode.PARTIAL;
        }
        return ExitCode.OK;
    }

    private List<Producer<byte[], byte[]>> open(Session session) {
        Map<String, Object> settings = session.cluster().settings().forWriting();
        List<Producer<byte[], byte[]>> clients = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            Producer<byte[], byte[]> client =
                    presetOptions
                            .preset()
                            .openProducer(
                                    settings, new ByteArraySerializer(), new ByteArraySerializer());
            clients.add(client);
            // Connections and metadata are no part of what is measured.
            client.partitionsFor(topic.name);
        }
        return clients;
    }

    private void load(List<Producer<byte[], byte[]>> clients, Progress progress)
            throws InterruptedException {
        byte[] pool = new byte[POOL + size];
        new SplittableRandom(1).nextBytes(pool);
        meter.start();
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            int number = i;
            senders.add(
                    Thread.ofPlatform()
                            .name("sender-" + i)
                            .start(() -> send(clients.get(number), number, pool)));
        }
        for (Thread sender : senders) {
            while (!sender.join(Duration.ofMillis(250))) {
                meter.show(progress, "p99 " + Latencies.millis(latencies.recent(99)));
            }
        }
    }

    private void send(Producer<byte[], byte[]> client, int number, byte[] pool) {
        long share = messages == null ? Long.MAX_VALUE : share(messages, number);
        Duration limit =
                duration != null
                        ? duration
                        : messages != null ? Duration.ofDays(1) : Duration.ofSeconds(10);
        long start = System.nanoTime();
        long end = start + limit.toNanos();
        var pace = new Pace(start, rate / producers);
        var random = new SplittableRandom(number);
        for (long i = 0; i < share && !stop.get(); i++) {
            long due = pace.steady() ? pace.due(i) : System.nanoTime();
            if (due >= end) {
                break;
            }
            pace.await(due);
            byte[] value = new byte[size];
            System.arraycopy(pool, random.nextInt(POOL), value, 0, size);
            sendOne(client, value, due);
        }
        client.flush();
    }

    private void sendOne(Producer<byte[], byte[]> client, byte[] value, long due) {
        var _ =
                client.send(
                        new ProducerRecord<>(topic.name, value),
                        (_, failure) -> {
                            if (failure == null) {
                                latencies.record(System.nanoTime() - due);
                                meter.count(1, size);
                            } else {
                                meter.fail();
                                firstFailure.compareAndSet(null, failure);
                                stop.set(true);
                            }
                        });
    }

    private long share(long all, int number) {
        return all / producers + (number < all % producers ? 1 : 0);
    }

    private Fields result() {
        Fields result =
                Fields.of("topic", Value.text(topic.name))
                        .with("delivery", Value.text(presetOptions.delivery().label()))
                        .with("profile", Value.text(presetOptions.profile().label()))
                        .with("producers", Value.count(producers));
        return latencies.addTo(meter.addTo(result));
    }
}
