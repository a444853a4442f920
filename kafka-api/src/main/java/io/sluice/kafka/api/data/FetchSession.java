package io.sluice.kafka.api.data;

import io.sluice.kafka.wire.message.FetchRequest;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/// The partitions that a client fetches again and again, with what it was last told of each. Owned by its connection.
final class FetchSession {
    /// A broker that copies from another has one session for each of its shards; no consumer has so many.
    static final int PARTITIONS_MAX = 50_000;

    private static final int FIRST_EPOCH = 1;

    private final int id;
    private final Map<Key, FetchTarget> targets = new LinkedHashMap<>();
    private int nextEpoch = FIRST_EPOCH;

    FetchSession(int id) {
        this.id = id;
    }

    /// Topics are named by id since version 13 and by name before; the other part is empty.
    private record Key(String topic, UUID topicId, int partition) {}

    int id() {
        return id;
    }

    /// Requests of a session are numbered, so that a lost or repeated one is noticed.
    boolean accepts(int epoch) {
        return epoch == nextEpoch;
    }

    void advance() {
        nextEpoch = nextEpoch == Integer.MAX_VALUE ? FIRST_EPOCH : nextEpoch + 1;
    }

    /// Adds and changes what the request names, forgets what it says to forget.
    void update(FetchRequest request) {
        for (FetchRequest.ForgottenTopic topic : request.forgottenTopicsData()) {
            for (int partition : topic.partitions()) {
                targets.remove(new Key(topic.topic(), topic.topicId(), partition));
            }
        }
        for (FetchRequest.FetchTopic topic : request.topics()) {
            for (FetchRequest.FetchPartition partition : topic.partitions()) {
                targets.computeIfAbsent(
                                new Key(topic.topic(), topic.topicId(), partition.partition()),
                                key -> new FetchTarget(key.topic(), key.topicId(), key.partition()))
                        .ask(partition);
            }
        }
    }

    /// False when it holds more than a session may: it has to end.
    boolean isWithinBounds() {
        return targets.size() <= PARTITIONS_MAX;
    }

    /// In the order of service.
    Collection<FetchTarget> targets() {
        return targets.values();
    }

    /// What got data goes to the end of the line, so that a busy partition cannot starve the others (KIP-74).
    void moveToEnd(FetchTarget target) {
        Key key = new Key(target.topic(), target.topicId(), target.partition());
        FetchTarget same = targets.remove(key);
        if (same != null) {
            targets.put(key, same);
        }
    }
}
