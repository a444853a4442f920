package io.sluice.partition;

import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.log.TopicSettings;
import io.sluice.log.producer.ProducerState;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.record.PartitionId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One partition on this broker, as others see it: crosses to the owner's thread, where the [Replica] is, and answers at home.
///
/// Thread-safe: every question crosses over through the shard's mailbox; what can be told without asking is published by the owner.
public final class Partition {
    /// A bug of whoever is woken is not the partition's, and not of the others that wait.
    private static final String WAKE_UP = "What waited for a partition";

    private final PartitionId id;
    private final UUID topicId;
    private final Mailbox owner;
    private final BooleanSupplier certain;
    private final Published published;
    private final Replica replica;
    private volatile TopicSettings settings;

    Partition(
            PartitionId id,
            UUID topicId,
            Shard shard,
            TopicSettings settings,
            Assignment assignment) {
        this.id = id;
        this.topicId = topicId;
        this.owner = shard.mailbox();
        this.settings = settings;
        this.certain = shard.doors().replication().certain();
        this.published = new Published(assignment);
        this.replica = new Replica(id, topicId, shard, settings, published);
    }

    public PartitionId id() {
        return id;
    }

    public UUID topicId() {
        return topicId;
    }

    /// The newest plan that was taken in, with the in-sync set that its leader knows.
    public Assignment assignment() {
        return published.assignment;
    }

    /// The broker that leads, or [Assignment#NOBODY].
    public int leader() {
        return published.assignment.leader();
    }

    public int leaderEpoch() {
        return published.assignment.leaderEpoch();
    }

    public boolean isLeaderHere() {
        return published.assignment.isLeaderHere();
    }

    /// Nobody says any more that this broker has its place: others may lead this partition by now, and have more of it than is known here. Not where there is no other replica.
    public boolean isInDoubt() {
        return published.assignment.replicas().size() > 1 && !certain.getAsBoolean();
    }

    /// Its disk failed, or something only a person can mend.
    public boolean isOffline() {
        return published.offline;
    }

    /// What the topic favours.
    public TopicSettings.Profile profile() {
        return settings.profile();
    }

    /// The owner's thread.
    public Mailbox owner() {
        return owner;
    }

    /// Takes in the plan: leads, or follows. One that is not newer than what is known is ignored.
    public void assign(Assignment assignment) {
        Crossing.tell(owner, "The plan of " + id, () -> replica.assign(assignment));
    }

    /// Leads no more in the present term, whatever the plan says: what that says of this broker is about another process.
    public void standDown() {
        Crossing.tell(
                owner, id + " stands down", () -> replica.assign(replica.assignment().stoodDown()));
    }

    /// Appends whole batches, all or none, and answers when they are as safe as `acks` asks.
    /// The buffer is patched in place (offsets, epoch) and must stay as it is until the answer.
    ///
    /// @param timeoutMillis how long `acks=all` may take
    public Reply<AppendOutcome> append(
            ByteBuffer batches, Acks acks, int timeoutMillis, Mailbox home) {
        return askLeader(
                home,
                (partition, done) -> {
                    partition.leadership().append(batches, acks, Math.max(0, timeoutMillis), done);
                    replica.flushLater();
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
                new Question<>(
                        home,
                        who == ReadFrom.LEADER,
                        (partition, done) -> partition.read(from, maxBytes, atLeastOneBatch, done),
                        ReadOutcome.Failed::new,
                        new Reply<>()));
    }

    /// A follower's fetch, up to the log's end; notes how far the follower is.
    public Reply<ReplicaReadOutcome> readAsReplica(ReplicaFetch fetch, Mailbox home) {
        return askLeader(
                home,
                (partition, done) -> partition.leadership().readAsReplica(fetch, done),
                ReplicaReadOutcome.Failed::new);
    }

    /// Where this follower goes on.
    public Reply<Lookup<FetchPosition>> fetchPosition(Mailbox home) {
        return ask(
                home,
                (partition, done) -> {
                    Followership following = partition.findFollowership();
                    if (following == null) {
                        done.accept(
                                new Lookup.Failed<>(Unavailable.NOT_LEADER, id + " leads here."));
                    } else {
                        following.position(done);
                    }
                },
                Lookup.Failed::new);
    }

    /// Takes in a leader's answer; `batches` may be empty. Answers when all of it is safe here: on disk, or in the page cache where the topic wants no more.
    public Reply<FollowOutcome> appendFromLeader(
            int leaderEpoch,
            ByteBuffer batches,
            long highWatermark,
            long startOffset,
            Mailbox home) {
        return askFollower(
                home,
                (following, done) ->
                        following.append(leaderEpoch, batches, highWatermark, startOffset, done));
    }

    /// Cuts what the leader does not have: to the end of the epoch in both logs ([ReplicaReadOutcome.Diverged]).
    public Reply<FollowOutcome> cutToLeader(
            int leaderEpoch, int divergingEpoch, long endOffset, Mailbox home) {
        return askFollower(
                home,
                (following, done) -> following.cut(leaderEpoch, divergingEpoch, endOffset, done));
    }

    /// Gives up everything and goes on at the leader's start: the leader no longer has what comes next ([ReplicaReadOutcome.OutOfRange]).
    public Reply<FollowOutcome> restartFromLeader(int leaderEpoch, long startOffset, Mailbox home) {
        return askFollower(
                home, (following, done) -> following.restart(leaderEpoch, startOffset, done));
    }

    private Reply<FollowOutcome> askFollower(
            Mailbox home, BiConsumer<Followership, Consumer<FollowOutcome>> body) {
        return ask(
                home,
                (partition, done) -> {
                    Followership following = partition.findFollowership();
                    if (following == null) {
                        done.accept(new FollowOutcome.Stale(partition.role().leaderEpoch()));
                    } else {
                        body.accept(following, done);
                    }
                },
                FollowOutcome.Failed::new);
    }

    /// For a coordinator that is to live on the owner's thread. The answer is used there only, and for this leader's term.
    public Reply<Lookup<LocalPartition>> local() {
        return lookUpAtLeader(
                owner, partition -> new LocalPartition(partition, partition.leadership()));
    }

    /// Checks the next stretch of this replica's closed segments against their checksums; what is damaged is mended from another replica, if there is one.
    ///
    /// @param from where the last step ended
    public Reply<Lookup<ScrubStep>> scrub(ScrubStep from, int bytes, Mailbox home) {
        Question<Lookup<ScrubStep>> question =
                new Question<>(
                        home,
                        false,
                        (partition, done) -> partition.scrub(from, bytes, done),
                        Lookup.Failed::new,
                        new Reply<>());
        owner.run(() -> replica.scrub(question));
        return question.reply();
    }

    /// Where this replica stands.
    public Reply<Lookup<PartitionStatus>> status(Mailbox home) {
        return ask(
                home,
                (partition, done) -> done.accept(new Lookup.Found<>(statusOf(partition))),
                Lookup.Failed::new);
    }

    /// Where the partition stands, which only its leader can say.
    public Reply<Lookup<PartitionStatus>> leaderStatus(Mailbox home) {
        return lookUpAtLeader(home, Partition::statusOf);
    }

    private static PartitionStatus statusOf(OpenPartition partition) {
        return new PartitionStatus(
                partition.log().startOffset(),
                partition.role().highWatermark(),
                partition.log().endOffset(),
                partition.role().committedEnd(),
                partition.role().leaderEpoch(),
                partition.log().sizeInBytes());
    }

    /// The first readable record with this timestamp or a later one.
    public Reply<Lookup<OffsetAndTime>> firstAtOrAfter(long timestamp, Mailbox home) {
        return askLeader(
                home,
                (partition, done) ->
                        partition.find(partition.log().lookupNotBefore(timestamp), done),
                Lookup.Failed::new);
    }

    /// The readable record with the latest timestamp (KIP-734).
    public Reply<Lookup<OffsetAndTime>> newest(Mailbox home) {
        return askLeader(
                home,
                (partition, done) -> partition.find(partition.log().lookupLatest(), done),
                Lookup.Failed::new);
    }

    /// Gives up the records below an offset.
    public Reply<DeleteOutcome> deleteBefore(long offset, Mailbox home) {
        return askLeader(
                home,
                (partition, done) -> partition.deleteBefore(offset, done),
                DeleteOutcome.Failed::new);
    }

    /// Gives up everything that may be read now.
    public Reply<DeleteOutcome> deleteAll(Mailbox home) {
        return askLeader(
                home,
                (partition, done) -> partition.deleteBefore(partition.role().highWatermark(), done),
                DeleteOutcome.Failed::new);
    }

    /// Where the given epoch ended, for clients that check whether their history is ours (KIP-101).
    public Reply<Lookup<LeaderEpochs.End>> endOfEpoch(int epoch, Mailbox home) {
        return lookUpAtLeader(home, partition -> partition.endOfEpoch(epoch));
    }

    /// Which producers have written lately.
    public Reply<Lookup<List<ProducerState>>> producers(Mailbox home) {
        return lookUpAtLeader(home, partition -> partition.log().producers());
    }

    private <T> Reply<Lookup<T>> lookUpAtLeader(Mailbox home, Function<OpenPartition, T> question) {
        return askLeader(
                home,
                (partition, done) -> done.accept(new Lookup.Found<>(question.apply(partition))),
                Lookup.Failed::new);
    }

    private <T> Reply<T> askLeader(
            Mailbox home,
            BiConsumer<OpenPartition, Consumer<T>> body,
            Question.WhenUnavailable<T> unavailable) {
        return ask(new Question<>(home, true, body, unavailable, new Reply<>()));
    }

    private <T> Reply<T> ask(
            Mailbox home,
            BiConsumer<OpenPartition, Consumer<T>> body,
            Question.WhenUnavailable<T> unavailable) {
        return ask(new Question<>(home, false, body, unavailable, new Reply<>()));
    }

    /// Asks the replica on the owner's thread, opening it when necessary; the answer comes home.
    private <T> Reply<T> ask(Question<T> question) {
        owner.run(() -> replica.ask(question));
        return question.reply();
    }

    /// True when the offset is at the end of what may be read from the leader here, as far as can be told from any thread.
    public boolean isCaughtUpAt(long offset) {
        return published.highWatermark == offset && published.assignment.isLeaderHere();
    }

    /// The last published high watermark; -1 when the partition is not open.
    public long highWatermarkSeen() {
        return published.highWatermark;
    }

    /// The last published start of the log; -1 when the partition is not open.
    public long startOffsetSeen() {
        return published.startOffset;
    }

    /// A wish to be woken. Thread-safe.
    public interface Wait {
        void cancel();
    }

    /// Wakes once, on the home mailbox, when something behind the offset may be read, another leader's term begins, or the partition goes away.
    public Wait awaitBeyond(long offset, Mailbox home, Runnable wake) {
        return await(home, wake, (partition, news) -> partition.awaitBeyond(offset, news));
    }

    /// For a follower's fetch: wakes once, on the home mailbox, when the log goes on behind the offset, the follower could be told of a later watermark
    /// than the given one (`Long.MAX_VALUE` when that is not worth an answer), or this broker does not lead any more.
    public Wait awaitAsReplica(long offset, long highWatermark, Mailbox home, Runnable wake) {
        return await(
                home,
                wake,
                (partition, news) -> {
                    Leadership leading = partition.findLeadership();
                    if (leading == null) {
                        news.run();
                        return () -> {};
                    }
                    return leading.awaitAsReplica(offset, highWatermark, news);
                });
    }

    /// Registers somebody who waits, on the owner's thread.
    private interface Registration {
        Wait register(OpenPartition partition, Runnable news);
    }

    private Wait await(Mailbox home, Runnable wake, Registration registration) {
        RemoteWait wait = new RemoteWait();
        owner.run(
                () -> {
                    OpenPartition ready = replica.findOpen();
                    if (ready == null) {
                        Crossing.tell(home, WAKE_UP, wake);
                    } else {
                        wait.registered =
                                registration.register(
                                        ready, () -> Crossing.tell(home, WAKE_UP, wake));
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

    /// Settings of the topic have changed.
    public void changeSettings(TopicSettings changed) {
        settings = changed;
        Crossing.tell(owner, "A change of settings", () -> replica.changeSettings(changed));
    }

    /// The topic was deleted: nobody gets an answer from here any more but that. Completes at home when no worker touches the files any more, and none is open.
    public Reply<Boolean> retire(Mailbox home) {
        return Crossing.ask(owner, home, "Letting go of " + id, replica::retire);
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
