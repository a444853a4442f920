package io.sluice.replication;

import io.sluice.partition.FetchPosition;
import io.sluice.partition.Partition;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// One partition that a fetcher copies: where it stands, and what the leader was told of that. Owned by its fetcher.
///
/// ```
///                 position known             sent                 safe here
///   unknown ─────────────────────▶ ready ───────────▶ fetched ───────────────▶ ready
///      ▲  ask after a pause                              │ refused, cut, failed
///      └─────────────────────────────────────────────────┘
/// ```
final class Followed {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final Partition partition;
    private final int leaderEpoch;
    private final Backoff pause = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
    private @Nullable FetchPosition position;
    private @Nullable FetchPosition told;
    private long heldBackUntilNanos;

    Followed(Partition partition, int leaderEpoch) {
        this.partition = partition;
        this.leaderEpoch = leaderEpoch;
    }

    Partition partition() {
        return partition;
    }

    /// In which the leader leads, as far as the plan is known here.
    int leaderEpoch() {
        return leaderEpoch;
    }

    UUID topicId() {
        return partition.topicId();
    }

    int index() {
        return partition.id().index();
    }

    Backoff pause() {
        return pause;
    }

    @Nullable FetchPosition position() {
        return position;
    }

    void stands(FetchPosition at) {
        position = at;
    }

    /// What comes next is being worked on, or not known.
    void moves() {
        position = null;
    }

    void holdBack(long untilNanos) {
        heldBackUntilNanos = untilNanos;
    }

    /// How long one that is held back has to wait, and not longer than this.
    long heldBackNanos(long nowNanos, long atMost) {
        return Math.clamp(heldBackUntilNanos - nowNanos, 0, atMost);
    }

    /// The leader's session has this partition.
    boolean isTold() {
        return told != null;
    }

    /// The leader has not heard of where it stands now.
    boolean isNews() {
        return position != null && !position.equals(told);
    }

    void tell() {
        told = position;
    }

    void forgetTold() {
        told = null;
    }
}
