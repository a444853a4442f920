package io.sluice.kafka.api.data;

import io.sluice.kafka.wire.message.FetchRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// The partitions of a fetch, in the order of service. One that is named twice is fetched once, as its last mention says; so does Apache Kafka. Owned by its
/// connection.
final class FetchTargets {
    private final Map<Key, FetchTarget> byKey = new LinkedHashMap<>();

    /// Topics are named by id since version 13 and by name before; the other part is empty.
    private record Key(String topic, UUID topicId, int partition) {}

    static FetchTargets of(FetchRequest request) {
        FetchTargets targets = new FetchTargets();
        targets.update(request);
        return targets;
    }

    /// Adds and changes what the request names, forgets what it says to forget.
    void update(FetchRequest request) {
        for (FetchRequest.ForgottenTopic topic : request.forgottenTopicsData()) {
            for (int partition : topic.partitions()) {
                byKey.remove(new Key(topic.topic(), topic.topicId(), partition));
            }
        }
        for (FetchRequest.FetchTopic topic : request.topics()) {
            for (FetchRequest.FetchPartition partition : topic.partitions()) {
                byKey.computeIfAbsent(
                                new Key(topic.topic(), topic.topicId(), partition.partition()),
                                key -> new FetchTarget(key.topic(), key.topicId(), key.partition()))
                        .ask(partition);
            }
        }
    }

    int size() {
        return byKey.size();
    }

    List<FetchTarget> inOrder() {
        return List.copyOf(byKey.values());
    }

    void moveToEnd(FetchTarget target) {
        Key key = new Key(target.topic(), target.topicId(), target.partition());
        FetchTarget same = byKey.remove(key);
        if (same != null) {
            byKey.put(key, same);
        }
    }
}
