package io.sluice.replication;

import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.FetchableTopicResponse;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import io.sluice.partition.FetchPosition;
import io.sluice.partition.FollowOutcome;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import io.sluice.record.PartitionId;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Copies the partitions of one shard from one leader: asks, hands on what it got, and asks again when all of that is safe here.
///
/// ```
///            something to fetch            answered              all of it safe
///   RESTING ────────────────────▶ ASKING ────────────▶ STORING ────────────────▶ (again)
///      ▲                             │ no answer: back-off, session begins anew
///      └─────────────────────────────┘
/// ```
/// The offset asked for tells the leader what is safe here, which is why a round ends only then. A partition that the leader refuses is left out for a
/// while: the leader may not have heard yet of what we know, or the other way round. One that joins while the leader lets us wait ends that wait, by
/// ending the connection: its producers wait for us.
///
/// Owned by its shard.
final class ReplicaFetcher {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaFetcher.class);

    /// Beyond the time that the leader may let us wait.
    private static final Duration ANSWER_TIMEOUT =
            Duration.ofMillis(FetchConversation.MAX_WAIT_MILLIS).plusSeconds(5);

    /// So long others may join before a wait is ended for them.
    private static final Duration GATHER = Duration.ofMillis(2);

    /// A partition that was refused this often in a row is not worth ending a wait.
    private static final int URGENT_TRIES = 5;

    private static final Duration AFTER_A_BUG = Duration.ofSeconds(1);

    /// How long somebody who is held back may not know that the limit was changed.
    private static final Duration LOOK_AT_LIMIT = Duration.ofSeconds(1);

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final ReplicaFetchers.Setup setup;
    private final int leader;
    private final Mailbox home;
    private final String fetchSentence;
    private final String copySentence;
    private final FetchConversation conversation = new FetchConversation();
    private final FollowedPartitions followed = new FollowedPartitions();
    private @Nullable PeerConnection connection;
    private boolean asking;
    private int storing;
    private boolean closed;
    private boolean interrupting;
    private Mailbox.@Nullable Timer wakeUp;
    private final Map<Followed, Long> behind = new LinkedHashMap<>();

    ReplicaFetcher(ReplicaFetchers.Setup setup, int leader, Mailbox home) {
        this.setup = setup;
        this.leader = leader;
        this.home = home;
        this.fetchSentence = "A fetch from broker " + leader;
        this.copySentence = "A copy from broker " + leader;
    }

    boolean isEmpty() {
        return followed.isEmpty();
    }

    void follow(Partition partition, int leaderEpoch) {
        Followed before = followed.find(partition.id());
        if (before != null
                && before.leaderEpoch() == leaderEpoch
                && before.partition() == partition) {
            return;
        }
        drop(partition.id());
        findPosition(followed.add(partition, leaderEpoch));
    }

    void drop(PartitionId id) {
        Followed gone = followed.remove(id);
        if (gone != null) {
            behind.remove(gone);
            conversation.forget(gone);
        }
    }

    void close() {
        closed = true;
        setup.counters().lags(this, ReplicationCounters.Lag.NONE);
        followed.clear();
        if (connection != null) {
            connection.close();
        }
    }

    /// The leader may be somewhere else, or back.
    void brokersChanged() {
        if (!asking && storing == 0) {
            next();
        }
    }

    /// What is not known of a partition is asked of it; it knows best.
    private void findPosition(Followed one) {
        one.partition()
                .fetchPosition(home)
                .then(
                        lookup -> {
                            if (!isCurrent(one)) {
                                return;
                            }
                            switch (lookup) {
                                case Lookup.Found(FetchPosition position) -> ready(one, position);
                                case Lookup.Failed(var why, String sentence) ->
                                        setBack(one, why + ": " + sentence);
                            }
                        },
                        failure -> {
                            if (isCurrent(one)) {
                                setBack(one, String.valueOf(failure.getMessage()));
                            }
                        });
    }

    private void ready(Followed one, FetchPosition position) {
        if (position.leaderEpoch() != one.leaderEpoch()) {
            setBack(one, "is in epoch " + position.leaderEpoch() + ", not " + one.leaderEpoch());
            return;
        }
        followed.stands(one, position);
        if (asking) {
            if (one.pause().failures() < URGENT_TRIES && !interrupting) {
                interrupting = true;
                home.schedule(GATHER, this::interrupt);
            }
        } else if (storing == 0) {
            next();
        }
    }

    private void interrupt() {
        interrupting = false;
        if (asking && connection != null && followed.isAnyUntold()) {
            connection.close();
        }
    }

    private boolean isCurrent(Followed one) {
        return !closed && followed.has(one);
    }

    /// Left out for a while, then looked at afresh.
    private void setBack(Followed one, String why) {
        setup.counters().partitionsSetBack.increment();
        LOG.debug("{} is not copied from broker {} for now: {}", one.partition().id(), leader, why);
        followed.moves(one);
        long now = setup.clock().monotonicNanos();
        one.pause().failed(now);
        home.schedule(
                one.pause().left(now),
                () -> {
                    if (isCurrent(one)) {
                        findPosition(one);
                    }
                });
    }

    private void next() {
        if (closed || asking || storing > 0) {
            return;
        }
        PeerConnection to = connection();
        if (to == null || !followed.isAnyReady()) {
            return; // Somebody will come, or the plan will say where the leader is.
        }
        Duration pause = to.pause();
        if (pause.isPositive()) {
            wakeUpIn(pause);
            return;
        }
        asking = true;
        setup.counters().fetches.increment();
        Crossing.land(
                Crossing.ask(home, home, fetchSentence, () -> ask(to)),
                home,
                fetchSentence,
                this::answered,
                this::notAnswered);
    }

    private Reply<ApiResponse> ask(PeerConnection to) {
        FetchRequest request =
                conversation.next(
                        followed, setup.self(), setup.ownEpoch().getAsLong(), maxWaitMillis());
        return to.ask(request, FetchConversation.VERSION, ANSWER_TIMEOUT);
    }

    /// Not longer than until somebody who is held back may go on.
    private int maxWaitMillis() {
        long now = setup.clock().monotonicNanos();
        long most = TimeUnit.MILLISECONDS.toNanos(FetchConversation.MAX_WAIT_MILLIS);
        long nanos = followed.heldBackNanos(now, most);
        return (int) TimeUnit.NANOSECONDS.toMillis(nanos + 999_999);
    }

    private @Nullable PeerConnection connection() {
        PeerAddress now = setup.book().find(leader);
        PeerConnection present = connection;
        if (now == null || (present != null && present.address().equals(now))) {
            return now == null ? null : present;
        }
        conversation.reset(followed);
        if (present != null) {
            present.close(); // Nothing is under way on it: whoever waits would be told.
        }
        PeerConnection fresh =
                new PeerConnection(
                        now, "sluice-replica", setup.network(), setup.clock(), home, _ -> {});
        connection = fresh;
        return fresh;
    }

    private void wakeUpIn(Duration pause) {
        if (wakeUp != null) {
            wakeUp.cancel();
        }
        wakeUp = home.schedule(pause, this::next);
    }

    private void notAnswered(Throwable failure) {
        asking = false;
        setup.counters().fetchesFailed.increment();
        LOG.debug("No answer to a fetch from broker {}: {}", leader, failure.getMessage());
        conversation.reset(followed);
        if (failure instanceof PeerFailure) {
            next();
        } else {
            wakeUpIn(AFTER_A_BUG); // At once it would meet the same.
        }
    }

    private void answered(ApiResponse answer) {
        asking = false;
        FetchResponse response = (FetchResponse) answer;
        if (response.errorCode() != ErrorCode.NONE.id()) {
            LOG.debug(
                    "Broker {} refused a fetch: {}", leader, ErrorCode.find(response.errorCode()));
            conversation.reset(followed);
            wakeUpIn(GATHER);
            return;
        }
        conversation.answered(response.sessionId());
        storing++; // So that a partition that is done at once does not end the round.
        for (FetchableTopicResponse topic : response.responses()) {
            for (PartitionData data : topic.partitions()) {
                Followed one = followed.at(topic.topicId(), data.partitionIndex());
                if (one != null) {
                    Crossing.step(
                            home,
                            copySentence,
                            () -> take(one, data),
                            bug -> setBack(one, String.valueOf(bug.getMessage())));
                }
            }
        }
        if (response.sessionId() == FetchConversation.NO_SESSION) {
            conversation.reset(followed); // More than the leader keeps: all is said again.
        }
        stored();
    }

    private void take(Followed one, PartitionData data) {
        FetchPosition from = one.position();
        if (from == null || !one.isTold()) {
            return; // Joined after the question.
        }
        Partition partition = one.partition();
        int epoch = from.leaderEpoch();
        ErrorCode error = ErrorCode.find(data.errorCode());
        if (error == ErrorCode.OFFSET_OUT_OF_RANGE && mustBeginAnew(from, data)) {
            setup.counters().logsRestarted.increment();
            LOG.warn(
                    "{}: the leader's log begins at {} and has nothing where this copy ends, at {}; it starts again there",
                    partition.id(),
                    data.logStartOffset(),
                    from.offset());
            store(one, data, partition.restartFromLeader(epoch, data.logStartOffset(), home));
        } else if (error != ErrorCode.NONE) {
            setBack(one, "the leader says " + error);
        } else if (data.divergingEpoch().epoch() >= 0) {
            setup.counters().logsCut.increment();
            store(
                    one,
                    data,
                    partition.cutToLeader(
                            epoch,
                            data.divergingEpoch().epoch(),
                            data.divergingEpoch().endOffset(),
                            home));
        } else {
            ByteBuffer batches = bytesOf(data.records());
            setup.counters().bytesFetched.add(batches.remaining());
            int size = batches.remaining();
            store(
                    one,
                    data,
                    size,
                    partition.appendFromLeader(
                            epoch, batches, data.highWatermark(), data.logStartOffset(), home));
        }
    }

    /// The leader has given up what comes next; or this copy is empty and ends behind the leader's, elected with less than was committed: it has no epoch by which its leader could tell it where
    /// to cut, and would ask for what does not exist for ever.
    private static boolean mustBeginAnew(FetchPosition from, PartitionData data) {
        return data.logStartOffset() > from.offset()
                || (from.lastEpoch() < 0 && data.logStartOffset() >= 0);
    }

    private static ByteBuffer bytesOf(@Nullable Records records) {
        return records instanceof Records.InMemory(ByteBuffer bytes) ? bytes : NOTHING;
    }

    private void store(Followed one, PartitionData data, Reply<FollowOutcome> outcome) {
        store(one, data, 0, outcome);
    }

    private void store(Followed one, PartitionData data, int bytes, Reply<FollowOutcome> outcome) {
        storing++;
        Consumer<Throwable> failed =
                failure -> {
                    LOG.error("{} could not be copied", one.partition().id(), failure);
                    if (isCurrent(one)) {
                        setBack(one, String.valueOf(failure.getMessage()));
                    }
                };
        outcome.whenDone(
                done -> {
                    Crossing.land(
                            done,
                            home,
                            copySentence,
                            how -> settled(one, data, bytes, how),
                            failed);
                    stored(); // However it went: the round ends when all of them have.
                });
    }

    private void settled(Followed one, PartitionData data, int bytes, FollowOutcome how) {
        if (!isCurrent(one)) {
            return;
        }
        switch (how) {
            case FollowOutcome.Next(FetchPosition position)
                    when isRefused(data) && position.equals(one.position()) ->
                    setBack(one, "the leader has nothing for it at " + position.offset());
            case FollowOutcome.Next(FetchPosition position) -> {
                one.pause().succeeded();
                followed.stands(one, position);
                noteLag(one, position, data.highWatermark());
                holdBack(one, position, bytes);
            }
            case FollowOutcome.Stale _ -> setBack(one, "the epoch has moved on");
            case FollowOutcome.Failed(var why, String sentence) ->
                    setBack(one, why + ": " + sentence);
        }
    }

    /// What was asked for cannot be had: asked again at once, it would be refused again.
    private static boolean isRefused(PartitionData data) {
        return data.errorCode() != ErrorCode.NONE.id() || data.divergingEpoch().epoch() >= 0;
    }

    /// A replica that moves here leaves room for the others.
    private void holdBack(Followed one, FetchPosition position, int bytes) {
        if (bytes == 0 || !setup.pace().isMoving(one.partition().id())) {
            return;
        }
        setup.counters().bytesMoved.add(bytes);
        long now = setup.clock().monotonicNanos();
        long limit = setup.pace().limit();
        Duration pause = setup.pace().pauseAfter(bytes, now);
        if (pause.isPositive()) {
            setup.counters().movesHeldBack.increment();
            long until = now + pause.toNanos();
            followed.holdBack(one, until);
            goOnAt(until, limit, one, position);
        }
    }

    /// Looks now and then whether the limit is still the one that it waits for: a pause can be hours, and an operator who lifts the limit does not want to wait for its end.
    private void goOnAt(long untilNanos, long limit, Followed one, FetchPosition position) {
        long left = untilNanos - setup.clock().monotonicNanos();
        if (left <= 0 || setup.pace().limit() != limit) {
            followed.goOn(one, position);
            next();
            return;
        }
        home.schedule(
                Duration.ofNanos(Math.min(left, LOOK_AT_LIMIT.toNanos())),
                () -> {
                    if (isCurrent(one)) {
                        goOnAt(untilNanos, limit, one, position);
                    }
                });
    }

    private void stored() {
        storing--;
        if (storing == 0) {
            setup.counters()
                    .lags(
                            this,
                            new ReplicationCounters.Lag(
                                    behind.size(),
                                    behind.values().stream()
                                            .mapToLong(Long::longValue)
                                            .max()
                                            .orElse(0)));
        }
        next();
    }

    /// Compared with what the leader said to be committed; what is not committed yet is not missing.
    private void noteLag(Followed one, FetchPosition position, long told) {
        if (told > position.offset()) {
            behind.put(one, told - position.offset());
        } else {
            behind.remove(one);
        }
    }
}
