package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.Probe;
import io.sluice.benchmarks.peer.Place;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;

/// The topics a measure needs, made and removed through the ordinary admin client.
///
/// Owned by the measure that opened it.
final class Topics implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final Place place;
    private final Admin admin;

    Topics(Place place) {
        this.place = place;
        admin =
                Admin.create(
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                place.bootstrap(),
                                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                                (int) LIMIT.toMillis(),
                                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                                (int) LIMIT.toMillis()));
    }

    /// Creates a topic with one replica per partition; what the broker has against it comes as the client's exception.
    void create(String name, int partitions) {
        await(
                () ->
                        admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                                .all()
                                .get());
    }

    /// Creates a topic and waits until each of its partitions takes messages, which with Kafka is a little after the answer.
    void createWritable(String name, int partitions) {
        create(name, partitions);
        long deadline = System.nanoTime() + LIMIT.toNanos();
        for (int partition = 0; partition < partitions; partition++) {
            Probe probe = new Probe(place.address(), name, partition);
            while (!probe.attempt()) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException(
                            name + " takes no messages: " + probe.lastObstacle());
                }
            }
        }
    }

    void delete(String name) {
        await(() -> admin.deleteTopics(List.of(name)).all().get());
    }

    private interface Call {
        void run() throws ExecutionException, InterruptedException;
    }

    private static void await(Call call) {
        try {
            call.run();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof KafkaException refused) {
                throw refused;
            }
            throw new IllegalStateException("An admin call failed", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted in an admin call", interrupted);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(5));
    }
}
