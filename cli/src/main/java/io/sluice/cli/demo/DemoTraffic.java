package io.sluice.cli.demo;

import io.sluice.cli.ClientSettings;
import io.sluice.client.ConsumeLoop;
import io.sluice.client.Delivery;
import io.sluice.client.OnFailure;
import io.sluice.client.Preset;
import io.sluice.client.Profile;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/// A little shop: orders, payments and clicks come in; billing keeps up with them, analytics does not.
///
/// Starts one thread for the producer and one per consumer, and ends them all in [#close].
final class DemoTraffic implements AutoCloseable {
    static final String ORDERS = "demo.orders";
    static final String PAYMENTS = "demo.payments";
    static final String CLICKS = "demo.clicks";
    static final String BILLING = "demo-billing";
    static final String ANALYTICS = "demo-analytics";

    private static final String[] CITIES = {"서울", "부산", "Berlin", "Lyon", "Toronto", "Nairobi"};
    private static final long TICK_MILLIS = 100;

    private final ClientSettings settings;
    private final double speed;
    private final Map<String, LongAdder> sent = new HashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<ConsumeLoop<String, String>> loops = new ArrayList<>();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private final SplittableRandom random = new SplittableRandom(42);
    private long orderNumber = 1_000;

    DemoTraffic(ClientSettings settings, double speed) {
        this.settings = settings;
        this.speed = speed;
        List.of(ORDERS, PAYMENTS, CLICKS).forEach(topic -> sent.put(topic, new LongAdder()));
    }

    void start() {
        consume(BILLING, List.of(ORDERS, PAYMENTS), 0);
        consume(BILLING, List.of(ORDERS, PAYMENTS), 0);
        // Fewer per second than there are clicks: this one falls behind, for everybody to see.
        consume(ANALYTICS, List.of(CLICKS), (long) (1_000 / (20 * speed)));
        threads.add(Thread.ofPlatform().name("demo-shop").start(this::produce));
    }

    private void consume(String group, List<String> topics, long millisPerRecord) {
        Map<String, Object> reading = new HashMap<>(settings.forReading());
        reading.put("group.id", group);
        reading.put("client.id", group);
        reading.put("max.poll.records", 20);
        var preset = new Preset(Delivery.AT_LEAST_ONCE, Profile.BALANCED);
        var loop =
                new ConsumeLoop<>(
                        preset.openConsumer(
                                reading, new StringDeserializer(), new StringDeserializer()),
                        preset.delivery(),
                        OnFailure.stop(),
                        _ -> Thread.sleep(millisPerRecord));
        loops.add(loop);
        threads.add(Thread.ofPlatform().name(group).start(() -> guarded(() -> loop.run(topics))));
    }

    private void produce() {
        guarded(
                () -> {
                    var preset = new Preset(Delivery.AT_LEAST_ONCE, Profile.BALANCED);
                    try (Producer<String, String> producer =
                            preset.openProducer(
                                    settings.forWriting(),
                                    new StringSerializer(),
                                    new StringSerializer())) {
                        while (!stop.await(TICK_MILLIS, TimeUnit.MILLISECONDS)) {
                            tick(producer);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    /// A tenth of a second of the shop's life: at speed 1 some 5 clicks, 2 orders, and a payment for most orders.
    private void tick(Producer<String, String> producer) {
        for (int i = 0; i < times(5); i++) {
            String visitor = "visitor-" + random.nextInt(500);
            send(
                    producer,
                    CLICKS,
                    visitor,
                    "{\"page\":\"/item/%d\"}".formatted(random.nextInt(90)),
                    "web");
        }
        for (int i = 0; i < times(2); i++) {
            long order = orderNumber++;
            String total = String.format(Locale.ROOT, "%.2f", 5 + random.nextDouble() * 200);
            String city = CITIES[random.nextInt(CITIES.length)];
            send(
                    producer,
                    ORDERS,
                    "order-" + order,
                    "{\"order\":%d,\"total\":%s,\"city\":\"%s\"}".formatted(order, total, city),
                    "shop");
            if (random.nextInt(10) < 9) {
                send(
                        producer,
                        PAYMENTS,
                        "order-" + order,
                        "{\"order\":%d,\"paid\":%s}".formatted(order, total),
                        "bank");
            }
        }
    }

    private int times(double perTick) {
        double wanted = perTick * speed;
        return (int) wanted + (random.nextDouble() < wanted - (int) wanted ? 1 : 0);
    }

    private void send(
            Producer<String, String> producer,
            String topic,
            String key,
            String value,
            String source) {
        var message = new ProducerRecord<>(topic, key, value);
        message.headers().add("source", source.getBytes(StandardCharsets.UTF_8));
        var _ =
                producer.send(
                        message,
                        (_, problem) -> {
                            if (problem == null) {
                                sent.getOrDefault(topic, new LongAdder()).increment();
                            } else if (problem instanceof RuntimeException runtime) {
                                fail(runtime);
                            }
                        });
    }

    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void fail(RuntimeException problem) {
        failure.compareAndSet(null, problem);
        stop.countDown();
    }

    long sentTo(String topic) {
        return sent.getOrDefault(topic, new LongAdder()).sum();
    }

    /// Waits at most that long.
    ///
    /// @return false when the traffic has ended, by [#stop] or a failure
    boolean await(Duration time) throws InterruptedException {
        boolean ended = stop.await(time.toMillis(), TimeUnit.MILLISECONDS);
        RuntimeException problem = failure.get();
        if (problem != null) {
            throw problem;
        }
        return !ended;
    }

    void stop() {
        stop.countDown();
    }

    @Override
    public void close() {
        stop();
        loops.forEach(ConsumeLoop::stop);
        loops.forEach(ConsumeLoop::close);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
