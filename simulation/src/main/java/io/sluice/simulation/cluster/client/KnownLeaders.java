package io.sluice.simulation.cluster.client;

import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.MetadataRequest;
import io.sluice.kafka.wire.message.MetadataRequest.MetadataRequestTopic;
import io.sluice.kafka.wire.message.MetadataResponse;
import io.sluice.kafka.wire.message.MetadataResponse.MetadataResponsePartition;
import io.sluice.kafka.wire.message.MetadataResponse.MetadataResponseTopic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What a client knows of one topic: its id, and who leads its partitions. Owned by its client.
///
/// As real clients do, it does not go back to an older leader epoch, whatever a broker that is behind says. Nor to an older topic of the name, which real clients cannot tell from a newer one.
final class KnownLeaders {
    private static final short VERSION = 12;
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration PAUSE = Duration.ofMillis(100);

    /// After which it asks again of its own accord (`metadata.max.age.ms`): there may be more partitions, or another topic.
    private static final Duration AGE = Duration.ofSeconds(5);

    private final ClientProgram client;
    private final String topic;
    private final Runnable onNews;
    private final SortedMap<Integer, Leader> leaders = new TreeMap<>();
    private @Nullable UUID topicId;
    private int controller = -1;
    private boolean asking;
    private boolean aging;

    /// @param broker -1 when nobody leads
    record Leader(int broker, int epoch) {
        boolean isKnown() {
            return broker >= 0;
        }
    }

    KnownLeaders(ClientProgram client, String topic, Runnable onNews) {
        this.client = client;
        this.topic = topic;
        this.onNews = onNews;
    }

    @Nullable UUID topicId() {
        return topicId;
    }

    int partitions() {
        return leaders.size();
    }

    /// As the last answer says; -1 when unknown.
    int controller() {
        return controller;
    }

    @Nullable Leader of(int partition) {
        Leader known = leaders.get(partition);
        return known == null || !known.isKnown() ? null : known;
    }

    /// Asks some broker, unless an answer is awaited already.
    void refresh() {
        if (asking) {
            return;
        }
        asking = true;
        MetadataRequest request =
                MetadataRequest.builder()
                        .topics(List.of(new MetadataRequestTopic(new UUID(0, 0), topic)))
                        .allowAutoTopicCreation(false)
                        .build();
        client.ask(client.anyBroker(), request, VERSION, TIMEOUT).then(this::take, _ -> again());
    }

    private void again() {
        client.after(
                PAUSE,
                () -> {
                    asking = false;
                    refresh();
                });
    }

    private void take(ApiResponse response) {
        MetadataResponse metadata = (MetadataResponse) response;
        controller = metadata.controllerId();
        MetadataResponseTopic found = metadata.topics().getFirst();
        if (found.errorCode() != ErrorCode.NONE.id()) {
            again();
            return;
        }
        if (!isOutdated(found.topicId())) {
            takeTopic(found);
        } else {
            again();
        }
    }

    private boolean isOutdated(UUID told) {
        UUID known = topicId;
        return known != null && client.cluster().generations().isNewer(topic, known, told);
    }

    private void takeTopic(MetadataResponseTopic found) {
        if (!found.topicId().equals(topicId)) {
            leaders.clear();
            topicId = found.topicId();
        }
        boolean complete = true;
        for (MetadataResponsePartition partition : found.partitions()) {
            complete &= take(partition);
        }
        if (!complete) {
            again();
        } else {
            client.after(
                    PAUSE,
                    () -> {
                        asking = false;
                        age();
                    });
        }
        onNews.run();
    }

    private void age() {
        if (!aging) {
            aging = true;
            client.after(
                    AGE,
                    () -> {
                        aging = false;
                        refresh();
                    });
        }
    }

    /// True when somebody leads, also as far as is known from a broker that knew more.
    private boolean take(MetadataResponsePartition partition) {
        Leader known = leaders.get(partition.partitionIndex());
        if (known == null || partition.leaderEpoch() >= known.epoch()) {
            leaders.put(
                    partition.partitionIndex(),
                    new Leader(partition.leaderId(), partition.leaderEpoch()));
        }
        return of(partition.partitionIndex()) != null;
    }

    /// All partitions, in order.
    List<Integer> indexes() {
        return new ArrayList<>(leaders.keySet());
    }
}
