package io.sluice.listener.kafka;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes sure at start that there are the topics that are read, and places for their dead letters: not when the first one is there.
///
/// Owned by the thread that starts.
final class TopicSetup {
    private static final Logger log = LoggerFactory.getLogger(TopicSetup.class);
    private static final String LARGEST = "max.message.bytes";

    /// What a dead letter says about itself, with room to spare.
    private static final int HEADERS = 16 << 10;

    private final KafkaSettings settings;
    private final Admin admin;

    private TopicSetup(KafkaSettings settings, Admin admin) {
        this.settings = settings;
        this.admin = admin;
    }

    static void prepare(KafkaSettings settings) {
        try (Admin admin = Admin.create(settings.producer())) {
            var setup = new TopicSetup(settings, admin);
            for (String topic : settings.topics()) {
                setup.require(topic);
                setup.makePlaceForDeadLetters(topic);
            }
        }
    }

    private void require(String topic) {
        Throwable failure = failureOf(look(topic));
        if (failure instanceof UnknownTopicOrPartitionException) {
            throw new IllegalStateException(
                    "There is no topic " + topic + ". Make it, or correct the name.", failure);
        }
        if (failure != null) {
            throw new IllegalStateException(
                    "Topic %s cannot be looked at: %s. Look at bootstrap.servers, and at what this client may do."
                            .formatted(topic, failure),
                    failure);
        }
    }

    private void makePlaceForDeadLetters(String topic) {
        String name = settings.deadLetterTopic(topic);
        var letters =
                new NewTopic(name, Optional.empty(), Optional.empty()).configs(sizesFor(topic));
        Throwable failure = failureOf(admin.createTopics(List.of(letters)).all());
        if (failure == null || failure instanceof TopicExistsException) {
            return;
        }
        // Who may not make topics is told so, also when there is nothing to be made.
        if (failureOf(look(name)) != null) {
            throw new IllegalStateException(
                    "There is no topic "
                            + name
                            + " for dead letters, and it could not be made: "
                            + failure
                            + ". Make it by hand, or allow this client to.",
                    failure);
        }
    }

    /// As large as those of the topic itself, and what a letter says besides.
    private Map<String, String> sizesFor(String topic) {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try {
            Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
            ConfigEntry largest = config == null ? null : config.get(LARGEST);
            if (largest != null) {
                long bytes = Long.parseLong(largest.value()) + HEADERS;
                return Map.of(LARGEST, Long.toString(Math.min(Integer.MAX_VALUE, bytes)));
            }
        } catch (ExecutionException e) {
            log.warn("How large records of {} may be cannot be said: {}", topic, e.toString());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        return Map.of();
    }

    private KafkaFuture<?> look(String topic) {
        return admin.describeTopics(List.of(topic)).allTopicNames();
    }

    private static @Nullable Throwable failureOf(KafkaFuture<?> future) {
        try {
            var unused = future.get();
            return null;
        } catch (ExecutionException e) {
            return e.getCause() == null ? e : e.getCause();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("Interrupted while looking at topics.", e);
    }
}
