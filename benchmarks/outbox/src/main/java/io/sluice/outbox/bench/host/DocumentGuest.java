package io.sluice.outbox.bench.host;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.StringSerializer;

/// Three of the document's relays, with or without its partitioning.
///
/// As in the document's own measurement they loop without a pause while there are events left; with a delay, as in its deployment, they loop
/// for good.
///
/// Thread-safe: a thread per relay; counters between.
final class DocumentGuest implements Guest {
    private static final int POOL = 10;

    private final CountingConnections database;
    private final Producer<String, String> producer;
    private final ExecutorService pool = Executors.newFixedThreadPool(POOL);
    private final AtomicLong left = new AtomicLong();
    private final AtomicLong emptyPolls = new AtomicLong();
    private final AtomicLongArray published;
    private final List<Thread> threads = new ArrayList<>();
    private final long delayMillis;
    private volatile boolean closing;

    DocumentGuest(RelayHost.Place place, int instances, boolean partitioned, long delayMillis) {
        this.database = new CountingConnections(place.url());
        this.delayMillis = delayMillis;
        this.published = new AtomicLongArray(instances);
        this.producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", place.bootstrap(), "linger.ms", 0),
                        new StringSerializer(),
                        new StringSerializer());
        for (int i = 0; i < instances; i++) {
            int number = i;
            DocumentRelay relay =
                    new DocumentRelay(
                            database,
                            producer,
                            pool,
                            place.topic(),
                            partitioned ? new DocumentRelay.Part(i, instances) : null);
            threads.add(Thread.ofPlatform().daemon().start(() -> loop(relay, number)));
        }
    }

    private void loop(DocumentRelay relay, int number) {
        try (Connection connection = relay.open()) {
            while (!closing) {
                if (delayMillis == 0 && left.get() <= 0) {
                    Thread.sleep(1);
                    continue;
                }
                int count = relay.run(connection);
                left.addAndGet(-count);
                published.addAndGet(number, count);
                emptyPolls.addAndGet(count == 0 ? 1 : 0);
                Thread.sleep(delayMillis);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void awaitReady() {}

    @Override
    public void go(long events) {
        left.addAndGet(events);
    }

    @Override
    public long statements() {
        return database.statements();
    }

    @Override
    public long emptyPolls() {
        return emptyPolls.get();
    }

    @Override
    public long[] published() {
        long[] counts = new long[published.length()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = published.get(i);
        }
        return counts;
    }

    @Override
    public void close() {
        closing = true;
        threads.forEach(Thread::interrupt);
        pool.shutdownNow();
        producer.close();
    }
}
