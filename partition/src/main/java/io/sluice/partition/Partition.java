package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.LogClosing;
import io.sluice.log.PartitionLog;
import io.sluice.log.TopicSettings;
import io.sluice.log.producer.ProducerState;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.record.PartitionId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One partition on this broker, as others see it: crosses to the owner's thread, opens the log on first use, answers at home.
///
/// A partition that nobody uses costs nothing; what arrives while the log is being opened waits in order.
/// ```
///            first use            opened
///   CLOSED ────────────▶ OPENING ────────▶ OPEN ──────────┐
///                           │ damage, I/O error           │ disk failure
///                           ▼                             ▼
///                        OFFLINE ◀────────────────────────┘      any ── delete ──▶ GONE
/// ```
/// Owned by its shard. The public methods are thread-safe: they cross over through the shard's mailbox.
public final class Partition {
    private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

    /// When it is tried again to open what could not be opened.
    private static final Duration OPEN_AGAIN = Duration.ofSeconds(30);

    private final PartitionId id;
    private final UUID topicId;
    private final Shard shard;
    private final Mailbox owner;
    private volatile Assignment assignment;
    private final ArrayDeque<Runnable> waitingForOpen = new ArrayDeque<>();
    private volatile TopicSettings settings;
    private State state = State.CLOSED;
    private String offlineSentence = "";
    private @Nullable OpenPartition open;
    private boolean unflushed;

    /// A worker is busy with the files.
    private boolean opening;

    /// Published by the owner for those who only want to know whether asking is worth while; -1 when not open.
    private volatile long highWatermarkSeen = -1;

    private volatile long startOffsetSeen = -1;

    private enum State {
        CLOSED,
        OPENING,
        OPEN,
        OFFLINE,
        GONE
    }

    Partition(PartitionId id, UUID topicId, Shard shard, TopicSettings settings, Assignment assignment) {
        this.id = id;
        this.topicId = topicId;
        this.shard = shard;
        this.owner = shard.mailbox();
        this.settings = settings;
        this.assignment = assignment;
    }

    public PartitionId id() {
        return id;
    }

    public UUID topicId() {
        return topicId;
    }

    /// The newest plan that this broker has taken in. From any thread.
    public Assignment assignment() {
        return assignment;
    }

    /// The broker that leads, or [Assignment#NOBODY]. From any thread.
    public int leader() {
        return assignment.leader();
    }

    public int leaderEpoch() {
        return assignment.leaderEpoch();
    }

    public boolean isLeaderHere() {
        return assignment.isLeaderHere();
    }

    /// Takes in the plan: leads, follows or stops. From any thread; one that is not newer is ignored.
    public void follow(Assignment next) {
        owner.run(
                () -> {
                    if (next.isNewerThan(assignment)) {
                        assignment = next;
                    }
                });
    }

    /// A follower's fetch, up to the log's end; notes how far the follower is.
    public Reply<ReplicaReadOutcome> readAsReplica(ReplicaFetch fetch, Mailbox home) {
        return Reply.of(new ReplicaReadOutcome.Failed(Unavailable.NOT_LEADER, id + " " + fetch));
    }

    /// Wakes once, on the home mailbox, when the log goes on behind the offset, the watermark lies behind the given one, or the partition goes away.
    public Wait awaitAsReplica(long offset, long highWatermark, Mailbox home, Runnable wake) {
        return awaitBeyond(Math.min(offset, highWatermark), home, wake);
    }

    /// Where this follower goes on.
    public Reply<Lookup<FetchPosition>> fetchPosition(Mailbox home) {
        return Reply.of(new Lookup.Failed<>(Unavailable.NOT_LEADER, id + " leads"));
    }

    /// Takes in a leader's answer; `batches` may be empty. Answers when it is safe here.
    public Reply<FollowOutcome> appendFromLeader(
            int leaderEpoch,
            ByteBuffer batches,
            long highWatermark,
            long startOffset,
            Mailbox home) {
        return Reply.of(new FollowOutcome.Stale(leaderEpoch));
    }

    /// Cuts what the leader does not have: to the end of the epoch in both logs.
    public Reply<FollowOutcome> cutToLeader(
            int leaderEpoch, int divergingEpoch, long endOffset, Mailbox home) {
        return Reply.of(new FollowOutcome.Stale(leaderEpoch));
    }

    /// Gives up everything and goes on at the leader's start: the leader no longer has what comes next.
    public Reply<FollowOutcome> restartFromLeader(
            int leaderEpoch, long startOffset, Mailbox home) {
        return Reply.of(new FollowOutcome.Stale(leaderEpoch));
    }

    /// What the topic favours. From any thread.
    public TopicSettings.Profile profile() {
        return settings.profile();
    }

    /// The owner's thread.
    public Mailbox owner() {
        return owner;
    }

    /// Appends whole batches, all or none, and answers when they are as safe as `acks` asks.
    /// The buffer is patched in place (offsets, epoch) and must stay as it is until the answer.
    ///
    /// @param timeoutMillis how long `acks=all` may wait for all replicas
    public Reply<AppendOutcome> append(
            ByteBuffer batches, Acks acks, int timeoutMillis, Mailbox home) {
        return ask(
                home,
                (partition, done) -> {
                    partition.append(batches, acks, done);
                    shard.flushLater(this);
                },
                AppendOutcome.Failed::new);
    }

    /// Reads whole batches from an offset up to the high watermark, from the leader.
    public Reply<ReadOutcome> read(long from, int maxBytes, boolean atLeastOneBatch, Mailbox home) {
        return read(from, maxBytes, atLeastOneBatch, ReadFrom.LEADER, home);
    }

    /// Reads whole batches from an offset up to the high watermark.
    public Reply<ReadOutcome> read(
            long from, int maxBytes, boolean atLeastOneBatch, ReadFrom who, Mailbox home) {
        return ask(
                home,
                (partition, done) -> partition.read(from, maxBytes, atLeastOneBatch, done),
                ReadOutcome.Failed::new);
    }

    /// For a coordinator that is to live on the owner's thread. The answer is used there only.
    public Reply<Lookup<LocalPartition>> local() {
        return lookUp(owner, partition -> new LocalPartition(partition, leaderEpoch()));
    }

    /// Where the partition stands.
    public Reply<Lookup<PartitionStatus>> status(Mailbox home) {
        return lookUp(
                home,
                partition ->
                        new PartitionStatus(
                                partition.log().startOffset(),
                                partition.role().highWatermark(),
                                partition.log().endOffset(),
                                leaderEpoch(),
                                partition.log().sizeInBytes()));
    }

    /// The first readable record with this timestamp or a later one.
    public Reply<Lookup<OffsetAndTime>> firstAtOrAfter(long timestamp, Mailbox home) {
        return ask(
                home,
                (partition, done) ->
                        partition.find(partition.log().lookupNotBefore(timestamp), done),
                Lookup.Failed::new);
    }

    /// The readable record with the latest timestamp (KIP-734).
    public Reply<Lookup<OffsetAndTime>> newest(Mailbox home) {
        return ask(
                home,
                (partition, done) -> partition.find(partition.log().lookupLatest(), done),
                Lookup.Failed::new);
    }

    /// Gives up the records below an offset.
    public Reply<DeleteOutcome> deleteBefore(long offset, Mailbox home) {
        return ask(
                home,
                (partition, done) -> partition.deleteBefore(offset, done),
                DeleteOutcome.Failed::new);
    }

    /// Gives up everything that may be read now.
    public Reply<DeleteOutcome> deleteAll(Mailbox home) {
        return ask(
                home,
                (partition, done) -> partition.deleteBefore(partition.role().highWatermark(), done),
                DeleteOutcome.Failed::new);
    }

    /// Where the given epoch ended, for clients and followers that check whether their history is ours (KIP-101).
    public Reply<Lookup<LeaderEpochs.End>> endOfEpoch(int epoch, Mailbox home) {
        return lookUp(home, partition -> partition.endOfEpoch(epoch));
    }

    /// Which producers have written lately.
    public Reply<Lookup<List<ProducerState>>> producers(Mailbox home) {
        return lookUp(home, partition -> partition.log().producers());
    }

    private <T> Reply<Lookup<T>> lookUp(Mailbox home, Function<OpenPartition, T> question) {
        return ask(
                home,
                (partition, done) -> done.accept(new Lookup.Found<>(question.apply(partition))),
                Lookup.Failed::new);
    }

    /// Asks the open partition on the owner's thread, opening it when necessary; the answer comes home.
    <T> Reply<T> ask(
            Mailbox home,
            BiConsumer<OpenPartition, Consumer<T>> body,
            Question.WhenUnavailable<T> unavailable) {
        Question<T> question = new Question<>(home, body, unavailable, new Reply<>());
        owner.run(() -> ask(question));
        return question.reply();
    }

    private void ask(Question<?> question) {
        try {
            askHere(question);
        } catch (RuntimeException bug) {
            LOG.error("A request to {} met a bug: please report it", id, bug);
            question.fail(bug);
        }
    }

    private void askHere(Question<?> question) {
        OpenPartition ready = open;
        if (ready != null && state == State.OPEN) {
            question.ask(ready);
            return;
        }
        switch (state) {
            case GONE -> question.refuse(Unavailable.NOT_HERE, id + " was deleted.");
            case OFFLINE -> question.refuse(Unavailable.OFFLINE, offlineSentence);
            case CLOSED, OPENING, OPEN -> {
                waitingForOpen.add(() -> ask(question));
                openLog();
            }
        }
    }

    private void openLog() {
        if (state != State.CLOSED) {
            return;
        }
        state = State.OPENING;
        opening = true;
        ShardDoors doors = shard.doors();
        TopicSettings opening = settings;
        doors.workers()
                .call(
                        Workers.Kind.READ,
                        owner,
                        () ->
                                PartitionLog.open(
                                        doors.disk(),
                                        doors.clock(),
                                        id.toString(),
                                        opening,
                                        doors.recoveryPoints().find(id)))
                .then(this::opened, this::cannotBeOpened);
    }

    private void cannotBeOpened(Throwable failure) {
        opening = false;
        LOG.error("{} cannot be opened; the next try is in {}", id, OPEN_AGAIN, failure);
        wentOffline("cannot be opened: " + failure.getMessage());
        owner.schedule(OPEN_AGAIN, this::mayBeOpenedAgain);
    }

    private void mayBeOpenedAgain() {
        if (state == State.OFFLINE && open == null) {
            shard.offlineIsGone();
            state = State.CLOSED;
        }
    }

    private void opened(PartitionLog.Opened opened) {
        opening = false;
        if (state == State.GONE) {
            opened.log().abandon();
            return;
        }
        PartitionLog log = opened.log();
        log.changeSettings(settings);
        shard.recovered(id, opened.report());
        OpenPartition ready =
                new OpenPartition(
                        id,
                        log,
                        shard.doors(),
                        owner,
                        leaderEpoch(),
                        this::publish,
                        cause -> {
                            LOG.error("{} is offline until the broker is started again", id);
                            wentOffline(
                                    "failed on its disk: "
                                            + cause
                                            + " Check the disk, then start the broker again.");
                        });
        open = ready;
        state = State.OPEN;
        publish(ready.role());
        shard.opened(this);
        ready.begin();
        resumeWaiting();
    }

    private void publish(LeaderRole role) {
        OpenPartition current = open;
        if (current != null) {
            startOffsetSeen = current.log().startOffset();
            highWatermarkSeen = role.highWatermark();
        }
    }

    private void wentOffline(String why) {
        if (state == State.GONE) {
            return;
        }
        state = State.OFFLINE;
        highWatermarkSeen = -1;
        offlineSentence = id + " " + why;
        shard.wentOffline(this);
        if (open != null) {
            open.wakeAll();
        }
        resumeWaiting();
    }

    private void resumeWaiting() {
        for (Runnable next = waitingForOpen.poll(); next != null; next = waitingForOpen.poll()) {
            next.run();
        }
    }

    /// True when the offset is at the end of what may be read, as far as can be told from any thread.
    public boolean isCaughtUpAt(long offset) {
        return highWatermarkSeen == offset;
    }

    /// The last published high watermark; -1 when the partition is not open.
    public long highWatermarkSeen() {
        return highWatermarkSeen;
    }

    /// The last published start of the log; -1 when the partition is not open.
    public long startOffsetSeen() {
        return startOffsetSeen;
    }

    /// A wish to be woken. Thread-safe.
    public interface Wait {
        void cancel();
    }

    /// Wakes once, on the home mailbox, when something behind the offset may be read, or the partition goes away.
    public Wait awaitBeyond(long offset, Mailbox home, Runnable wake) {
        RemoteWait wait = new RemoteWait();
        owner.run(
                () -> {
                    OpenPartition ready = open;
                    if (ready == null || state != State.OPEN) {
                        home.run(wake);
                    } else {
                        wait.registered = ready.awaitBeyond(offset, () -> home.run(wake));
                    }
                });
        return () ->
                owner.run(
                        () -> {
                            if (wait.registered != null) {
                                wait.registered.cancel();
                            }
                        });
    }

    /// Where a wait that was wished for on one thread is registered on the owner's; touched only there.
    private static final class RemoteWait {
        private @Nullable Wait registered;
    }

    /// On the owner's thread: notes how far the log is durable.
    void checkpoint() {
        OpenPartition ready = openPartition();
        if (ready != null) {
            shard.doors().recoveryPoints().note(id, ready.log().recoveryPoint());
        }
    }

    /// On the owner's thread: what is needed now and then.
    void keepHouse() {
        OpenPartition ready = openPartition();
        if (ready != null) {
            ready.keepHouse();
        }
    }

    /// On the owner's thread, with no flush under way: the clean end. Completes when all is on disk.
    Reply<Boolean> close() {
        OpenPartition ready = openPartition();
        if (ready == null) {
            return Reply.of(true);
        }
        state = State.GONE;
        highWatermarkSeen = -1;
        Reply<Boolean> closed = new Reply<>();
        LogClosing closing;
        try {
            closing = ready.log().beginClose();
        } catch (RuntimeException failure) {
            LOG.error("{} could not be closed cleanly; the next start recovers it", id, failure);
            return Reply.of(false);
        }
        shard.doors()
                .workers()
                .call(Workers.Kind.FLUSH, owner, closing::run)
                .then(
                        point -> {
                            shard.doors().recoveryPoints().note(id, point);
                            closed.complete(true);
                        },
                        failure -> {
                            LOG.error(
                                    "{} could not be closed cleanly; the next start recovers it",
                                    id,
                                    failure);
                            closed.complete(false);
                        });
        return closed;
    }

    /// True the first time since the last flush.
    boolean markUnflushed() {
        boolean first = !unflushed;
        unflushed = true;
        return first;
    }

    /// On the owner's thread: makes durable what nobody waits for.
    void flush() {
        unflushed = false;
        OpenPartition ready = openPartition();
        if (ready != null) {
            ready.flush();
        }
    }

    @Nullable OpenPartition openPartition() {
        return state == State.OPEN ? open : null;
    }

    /// The topic was deleted: nobody gets an answer from here any more but that. Completes at home when no worker touches the files any more, and none is open.
    public Reply<Boolean> retire(Mailbox home) {
        Reply<Boolean> reply = new Reply<>();
        owner.run(
                () -> {
                    if (state == State.OFFLINE) {
                        shard.offlineIsGone();
                    }
                    state = State.GONE;
                    highWatermarkSeen = -1;
                    shard.closed(this);
                    shard.doors().recoveryPoints().forget(id);
                    if (open != null) {
                        open.wakeAll();
                    }
                    resumeWaiting();
                    awaitIdle(
                            () -> {
                                if (open != null) {
                                    open.abandon();
                                }
                                reply.completeOn(home, true);
                            });
                });
        return reply;
    }

    /// No worker touches the files.
    boolean isIdle() {
        return !opening && (open == null || open.isIdle());
    }

    private void awaitIdle(Runnable idle) {
        if (isIdle()) {
            idle.run();
        } else {
            owner.schedule(Duration.ofMillis(2), () -> awaitIdle(idle));
        }
    }

    /// Settings of the topic have changed.
    public void changeSettings(TopicSettings changed) {
        owner.run(
                () -> {
                    settings = changed;
                    OpenPartition ready = openPartition();
                    if (ready != null) {
                        ready.log().changeSettings(changed);
                    }
                });
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
