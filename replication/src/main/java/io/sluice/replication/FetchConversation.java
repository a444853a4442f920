package io.sluice.replication;

import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchRequest.ForgottenTopic;
import io.sluice.kafka.wire.message.FetchRequest.ReplicaState;
import io.sluice.partition.FetchPosition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A fetch session with one leader (KIP-227): each request says only what has changed since the one before.
///
/// Pure. Owned by its fetcher.
final class FetchConversation {
    /// ReplicaState since 15, no node end points before 16; nothing later is of use to a follower.
    static final short VERSION = 17;

    /// How a leader says that it has not kept what was said.
    static final int NO_SESSION = 0;

    static final int MAX_WAIT_MILLIS = 500;
    private static final int MIN_BYTES = 1;
    private static final int ANSWER_MAX_BYTES = 10 << 20;
    private static final int PARTITION_MAX_BYTES = 1 << 20;

    private final Map<UUID, List<Integer>> leaving = new LinkedHashMap<>();
    private int id;
    private int epoch;

    /// The partition is not fetched any more.
    void forget(Followed followed) {
        if (followed.isTold()) {
            followed.forgetTold();
            leaving.computeIfAbsent(followed.topicId(), _ -> new ArrayList<>())
                    .add(followed.index());
        }
    }

    /// The next request begins from nothing: the leader may have forgotten, or be another process.
    void reset(FollowedPartitions all) {
        id = NO_SESSION;
        epoch = 0;
        leaving.clear();
        all.forgetTold();
    }

    /// The leader has answered in this session.
    void answered(int sessionId) {
        id = sessionId;
        epoch = epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
    }

    /// @param maxWaitMillis how long the leader may wait for news
    FetchRequest next(FollowedPartitions all, int self, long ownEpoch, int maxWaitMillis) {
        Map<UUID, List<FetchPartition>> news = new LinkedHashMap<>();
        for (Followed one : all.takeChanged()) {
            FetchPosition position = one.position();
            if (position == null) {
                forget(one);
            } else if (one.isNews()) {
                news.computeIfAbsent(one.topicId(), _ -> new ArrayList<>())
                        .add(partition(one.index(), position));
                one.tell();
            }
        }
        List<FetchTopic> topics = new ArrayList<>(news.size());
        news.forEach((topic, partitions) -> topics.add(new FetchTopic("", topic, partitions)));
        List<ForgottenTopic> forgotten = new ArrayList<>(leaving.size());
        leaving.forEach(
                (topic, indexes) ->
                        forgotten.add(
                                new ForgottenTopic(
                                        "", topic, withoutThoseIn(news.get(topic), indexes))));
        leaving.clear();
        return FetchRequest.builder()
                .replicaState(new ReplicaState(self, ownEpoch))
                .maxWaitMs(maxWaitMillis)
                .minBytes(MIN_BYTES)
                .maxBytes(ANSWER_MAX_BYTES)
                .sessionId(id)
                .sessionEpoch(epoch)
                .topics(topics)
                .forgottenTopicsData(forgotten)
                .build();
    }

    private static FetchPartition partition(int index, FetchPosition position) {
        return FetchPartition.builder()
                .partition(index)
                .currentLeaderEpoch(position.leaderEpoch())
                .fetchOffset(position.offset())
                .lastFetchedEpoch(position.lastEpoch())
                .partitionMaxBytes(PARTITION_MAX_BYTES)
                .build();
    }

    /// What has left and come back since is fetched, and not forgotten.
    private static List<Integer> withoutThoseIn(
            @Nullable List<FetchPartition> back, List<Integer> indexes) {
        List<Integer> gone = new ArrayList<>(indexes);
        if (back != null) {
            gone.removeIf(
                    index -> back.stream().anyMatch(partition -> partition.partition() == index));
        }
        return gone;
    }
}
