package io.sluice.kafka.api.data;

import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import java.util.UUID;

/// One partition of a fetch: from where, how much, and what the client was last told. Owned by its connection.
final class FetchTarget {
    private final String topic;
    private final UUID topicId;
    private final int partition;
    private long fetchOffset;
    private int maxBytes;
    private int leaderEpoch;
    private int lastFetchedEpoch;
    private long toldHighWatermark = -1;
    private long toldStartOffset = -1;
    private ErrorCode toldError = ErrorCode.NONE;

    FetchTarget(String topic, UUID topicId, int partition) {
        this.topic = topic;
        this.topicId = topicId;
        this.partition = partition;
    }

    void ask(FetchRequest.FetchPartition asked) {
        fetchOffset = asked.fetchOffset();
        maxBytes = asked.partitionMaxBytes();
        leaderEpoch = asked.currentLeaderEpoch();
        lastFetchedEpoch = asked.lastFetchedEpoch();
        toldError = ErrorCode.NONE; // What is asked now is something else.
    }

    String topic() {
        return topic;
    }

    UUID topicId() {
        return topicId;
    }

    int partition() {
        return partition;
    }

    long fetchOffset() {
        return fetchOffset;
    }

    int maxBytes() {
        return maxBytes;
    }

    /// What the client believes, or -1.
    int leaderEpoch() {
        return leaderEpoch;
    }

    /// Of the last batch that the client has, or -1.
    int lastFetchedEpoch() {
        return lastFetchedEpoch;
    }

    /// The client was told of a lower one.
    boolean isNewWatermark(long highWatermark) {
        return toldHighWatermark >= 0 && highWatermark > toldHighWatermark;
    }

    /// Remembers what the client learns; true when it is news to it.
    boolean tell(long highWatermark, long startOffset) {
        boolean news = highWatermark != toldHighWatermark || startOffset != toldStartOffset;
        toldHighWatermark = highWatermark;
        toldStartOffset = startOffset;
        toldError = ErrorCode.NONE;
        return news;
    }

    /// An error is sent; whatever else comes next is news.
    void refuse(ErrorCode error) {
        toldHighWatermark = -1;
        toldStartOffset = -1;
        toldError = error;
    }

    /// The client was told just that, and has asked for the same again.
    boolean isRefusedAlready(ErrorCode error) {
        return toldError == error;
    }
}
