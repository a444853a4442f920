package io.sluice.listener.kafka;

import io.sluice.listener.thread.SteadyThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/// Whether the topics are still there. Kafka's clients do not say when one is deleted: polls bring nothing, as if there were nothing.
///
/// ```
///  messages flow ──nothing for a while──▶ asks now and then ──▶ a sentence, as long as a topic is missing
/// ```
/// One thread of its own: nobody else waits for the answers. Brokers that do not answer are [Contact]'s affair.
final class TopicWatch implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(5);

    /// Who gets messages need not ask.
    private static final Duration QUIET = Duration.ofSeconds(15);

    private static final int PATIENCE_MILLIS = 10_000;

    private final KafkaSettings settings;
    private final Supplier<Duration> idle;
    private final SteadyThread thread;
    private volatile @Nullable String trouble;

    /// Owned by the thread.
    private @Nullable Admin admin;

    /// @param idle how long nothing has come
    TopicWatch(KafkaSettings settings, Supplier<Duration> idle) {
        this.settings = settings;
        this.idle = idle;
        this.thread =
                new SteadyThread(
                        "sluice-watch-" + String.join("-", settings.topics()),
                        "It could not be looked whether topics are still there",
                        this::round);
    }

    void start() {
        thread.start();
    }

    /// In a sentence, which topic is gone; none when all are there.
    @Nullable String trouble() {
        return trouble;
    }

    private boolean round() throws InterruptedException {
        try {
            Thread.sleep(EVERY);
            trouble = idle.get().compareTo(QUIET) < 0 ? null : look();
            return true;
        } catch (InterruptedException e) {
            closeAdmin();
            throw e;
        }
    }

    private @Nullable String look() throws InterruptedException {
        List<String> gone = new ArrayList<>();
        for (var topic :
                requireAdmin().describeTopics(settings.topics()).topicNameValues().entrySet()) {
            try {
                var unused = topic.getValue().get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                    gone.add(topic.getKey());
                }
            }
        }
        return gone.isEmpty()
                ? null
                : "Nothing can be received from %s: there is no topic %s any more. Make it again, or stop listening to it."
                        .formatted(settings.topics(), String.join(", ", gone));
    }

    private Admin requireAdmin() {
        if (admin == null) {
            Map<String, Object> client = new HashMap<>(settings.producer());
            client.put("default.api.timeout.ms", PATIENCE_MILLIS);
            client.put("request.timeout.ms", PATIENCE_MILLIS / 2);
            admin = Admin.create(client);
        }
        return admin;
    }

    private void closeAdmin() {
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
