package io.sluice.partition;

import io.sluice.env.DiskException;
import io.sluice.env.Mailbox;
import io.sluice.env.Workers;
import io.sluice.log.LogOffline;
import io.sluice.log.OffsetLookup;
import io.sluice.log.PartitionLog;
import io.sluice.log.ReadResult;
import io.sluice.log.TopicSettings;
import io.sluice.log.segment.Verification;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.record.PartitionId;
import io.sluice.record.Records;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A replica in service: its log, what keeps it durable and in order, and the term in which it leads or follows.
///
/// What both roles do is here: reading, looking up, housekeeping. What only a leader or only a follower does is its [Term]'s.
///
/// Owned by its shard: every method runs on the owner's thread, and every callback is called there.
final class OpenPartition {
    private static final Logger LOG = LoggerFactory.getLogger(OpenPartition.class);

    private final PartitionId id;
    private final PartitionLog log;
    private final ShardDoors doors;
    private final Mailbox owner;
    private final Host host;
    private final Errands errands;
    private final GroupCommit commit;
    private final Housekeeping housekeeping;
    private final Healing healing;
    private final RecordDeletions deletions;
    private final Resignation resignation;
    private final TailWaiters tail = new TailWaiters();
    private Term term;
    private boolean offlineTold;
    private boolean over;

    /// Whose log this is, and who must hear of what happens to it.
    interface Host {
        /// The watermark or the start of the log has moved.
        void progressed();

        /// Told once, with the reason, when the disk fails.
        void wentOffline(String cause);

        /// Something is wrong that only a person can mend.
        void mustNotGoOn(String sentence);

        /// Something was appended whose durability nobody waits for.
        void flushLater();

        /// The plan has another in-sync set, by this leader's wish.
        void inSyncChanged(InSyncSet now);

        /// The plan names this replica, which lacks something, and nobody else has it.
        void leadAfterAll();

        /// The log has to become shorter: this object is done for, another one takes its place.
        void replaceLog(LogReplacement.Wish wish, Consumer<FollowOutcome> done);

        UUID topicId();

        /// The newest plan that was taken in.
        Assignment assignment();
    }

    /// @param highWatermark as known before
    OpenPartition(
            PartitionId id,
            PartitionLog log,
            ShardDoors doors,
            Mailbox owner,
            Host host,
            Assignment assignment,
            long highWatermark) {
        this.id = id;
        this.log = log;
        this.doors = doors;
        this.owner = owner;
        this.host = host;
        this.errands = new Errands(doors.workers(), owner);
        this.housekeeping = new Housekeeping(id, log, errands, owner);
        this.commit = new GroupCommit(log, doors, owner, this::flushed, this::wentOffline);
        this.resignation = new Resignation(this);
        this.term = begin(assignment, highWatermark);
        this.healing = new Healing(this, errands, housekeeping);
        this.deletions = new RecordDeletions(log, errands, this::progressed);
    }

    private Term begin(Assignment assignment, long highWatermark) {
        if (resignation.isDue(assignment)) {
            owner.post(resignation::look);
        } else if (assignment.isLeaderHere() && !isOutranked(assignment)) {
            return Leadership.begin(this, assignment, highWatermark);
        }
        // A term in which this replica has written nothing leaves no trace.
        log.leaderEpochs().cutEnd(log.endOffset());
        return new Followership(this, new FollowerRole(assignment.leaderEpoch(), highWatermark));
    }

    /// Two leaders must never write the same epoch: divergence would go unnoticed. The only replica goes on with the log's epoch.
    private boolean isOutranked(Assignment assignment) {
        boolean outranked =
                !assignment.isAlone() && log.leaderEpochs().latest() > assignment.leaderEpoch();
        if (outranked) {
            LOG.error(
                    "{} is not led here: its log knows leader epoch {}, the plan says {}. Elect a leader until the plan's is the higher one",
                    id,
                    log.leaderEpochs().latest(),
                    assignment.leaderEpoch());
        }
        return outranked;
    }

    /// The plan has changed. Returns the term that is over now and has yet to be ended, or null.
    @Nullable Term take(Assignment next) {
        Term current = term;
        boolean sameTerm = current.role().leaderEpoch() == next.leaderEpoch();
        if (sameTerm && current instanceof Leadership leading && next.isLeaderHere()) {
            leading.planned(next);
            return null;
        }
        if (sameTerm && current instanceof Followership && !next.isLeaderHere()) {
            return null;
        }
        term = begin(next, current.role().highWatermark());
        return current;
    }

    PartitionId id() {
        return id;
    }

    PartitionLog log() {
        return log;
    }

    ShardDoors doors() {
        return doors;
    }

    Mailbox owner() {
        return owner;
    }

    Host host() {
        return host;
    }

    Role role() {
        return term.role();
    }

    /// Null when this replica does not lead.
    @Nullable Leadership findLeadership() {
        return term instanceof Leadership leading ? leading : null;
    }

    /// For those who have been asked as the leader.
    Leadership leadership() {
        if (term instanceof Leadership leading) {
            return leading;
        }
        throw new IllegalStateException(id + " is asked as a leader and follows");
    }

    /// Null when this replica does not follow.
    @Nullable Followership findFollowership() {
        return term instanceof Followership following ? following : null;
    }

    /// True where a record is safe once it is in the page cache.
    boolean isSafeInMemory() {
        return log.settings().flush() == TopicSettings.FlushPolicy.PAGE_CACHE;
    }

    /// Reads whole batches up to the high watermark. What lies between it and the log's end may still become readable: nothing is there yet.
    void read(long from, int maxBytes, boolean atLeastOneBatch, Consumer<ReadOutcome> done) {
        readUpTo(readableEnd(), from, maxBytes, atLeastOneBatch, done);
    }

    /// The high watermark; but a follower that has lost records will be cut where they begin, and shows nothing that would be gone then.
    long readableEnd() {
        long watermark = role().highWatermark();
        long missing = log.firstMissing();
        return missing == PartitionLog.WHOLE || findFollowership() == null
                ? watermark
                : Math.min(watermark, missing);
    }

    /// Reads whole batches up to a limit.
    void readUpTo(
            long limit,
            long from,
            int maxBytes,
            boolean atLeastOneBatch,
            Consumer<ReadOutcome> done) {
        try {
            switch (log.read(from, maxBytes, limit, atLeastOneBatch)) {
                case ReadResult.Found(var slice) ->
                        done.accept(new ReadOutcome.Found(slice, log.startOffset(), limit));
                case ReadResult.Nothing() ->
                        done.accept(new ReadOutcome.Found(Records.EMPTY, log.startOffset(), limit));
                case ReadResult.OutOfRange _ ->
                        done.accept(new ReadOutcome.OutOfRange(log.startOffset(), limit));
                case ReadResult.Damaged(_, _, String sentence) ->
                        healing.whenTried(
                                mended -> {
                                    if (mended) {
                                        readUpTo(limit, from, maxBytes, atLeastOneBatch, done);
                                    } else {
                                        LOG.error("{}: {}", id, sentence);
                                        done.accept(new ReadOutcome.Damaged(sentence));
                                    }
                                });
                case ReadResult.NeedsVerification(var task) ->
                        verify(
                                task,
                                () -> readUpTo(limit, from, maxBytes, atLeastOneBatch, done),
                                failure -> done.accept(unreadable(failure)));
            }
        } catch (DiskException e) {
            done.accept(unreadable(e));
        }
    }

    private void verify(Verification task, Runnable readAgain, Consumer<Throwable> failed) {
        errands.run(
                Workers.Kind.READ,
                "A read",
                () -> {
                    task.run();
                    return task;
                },
                verified -> {
                    log.completeVerification(verified);
                    readAgain.run();
                },
                failed);
    }

    /// Checks the next stretch of closed segments against their checksums; damage is mended if it can be.
    void scrub(ScrubStep from, int bytes, Consumer<Lookup<ScrubStep>> done) {
        Verification task = log.beginScrub(from.segment(), from.position(), bytes);
        if (task == null) {
            done.accept(new Lookup.Found<>(ScrubStep.ENDED));
            return;
        }
        long segment = task.segment().baseOffset();
        int start = segment == from.segment() ? from.position() : 0;
        errands.run(
                Workers.Kind.HOUSEKEEPING,
                "A scrub",
                () -> {
                    task.run();
                    return task.endPosition();
                },
                end -> {
                    log.completeVerification(task);
                    doors.counters().scrubbedBytes.add(end - start);
                    healing.look();
                    done.accept(new Lookup.Found<>(new ScrubStep(segment, end, end - start)));
                },
                failure -> done.accept(notFound(failure)));
    }

    private ReadOutcome unreadable(Throwable failure) {
        LOG.error("{} cannot be read", id, failure);
        return new ReadOutcome.Failed(Unavailable.OFFLINE, String.valueOf(failure.getMessage()));
    }

    /// Finds a record by its time, among those that may be read.
    void find(OffsetLookup lookup, Consumer<Lookup<OffsetAndTime>> done) {
        errands.run(
                Workers.Kind.READ,
                "A lookup",
                () -> Optional.ofNullable(lookup.run()),
                found -> done.accept(new Lookup.Found<>(readable(found))),
                failure -> done.accept(notFound(failure)));
    }

    private static <T> Lookup<T> notFound(Throwable failure) {
        return new Lookup.Failed<>(Unavailable.OFFLINE, String.valueOf(failure.getMessage()));
    }

    private OffsetAndTime readable(Optional<OffsetLookup.Found> found) {
        return found.filter(at -> at.offset() < role().highWatermark())
                .map(at -> new OffsetAndTime(at.offset(), at.timestamp(), at.leaderEpoch()))
                .orElse(OffsetAndTime.NONE);
    }

    /// Gives up the records below an offset; the new start counts once it cannot be undone by a crash.
    void deleteBefore(long offset, Consumer<DeleteOutcome> done) {
        if (offset > role().highWatermark() || offset < 0) {
            done.accept(new DeleteOutcome.OutOfRange(role().highWatermark()));
            return;
        }
        deletions.deleteBefore(offset, done);
    }

    /// Rolls, retains, rests.
    void keepHouse(boolean dateIsTrusted) {
        if (housekeeping.run(role().highWatermark(), dateIsTrusted)) {
            progressed();
        }
        commit.request(); // Segments that were closed by age are sealed, so that they can be
        // given up.
        healing.look();
    }

    /// Up to the log's end, not to the high watermark: a new leader's watermark may be behind what its predecessor has shown to consumers, and to a consumer an end before its position means
    /// that what it read is lost (KIP-320), so that it goes back.
    LeaderEpochs.End endOfEpoch(int epoch) {
        return log.leaderEpochs().endOf(epoch, log.endOffset());
    }

    /// Wakes once when something behind the offset may be read.
    Partition.Wait awaitBeyond(long offset, Runnable wake) {
        if (readableEnd() > offset) {
            wake.run();
            return () -> {};
        }
        return tail.add(wake)::cancel;
    }

    void changeSettings(TopicSettings changed) {
        boolean wasSafeInMemory = isSafeInMemory();
        log.changeSettings(changed);
        term.settingsChanged();
        if (wasSafeInMemory && !isSafeInMemory()) {
            flush(); // What was acknowledged from memory is to be as safe as what comes now.
        }
    }

    /// Makes everything durable that is not, though nobody waits for it.
    void flush() {
        if (log.durableOffset() < log.endOffset()) {
            commit.request();
        }
    }

    /// Somebody waits for the durability of what is in the log now, or must be told that there is none.
    void requestFlush() {
        commit.request();
    }

    /// No worker touches the files.
    boolean isIdle() {
        return commit.isIdle() && errands.isIdle();
    }

    /// Lets go of the files of a deleted topic.
    void abandon() {
        log.abandon();
    }

    private void flushed() {
        term.flushed(log.durableOffset());
    }

    /// The log takes no more: nobody who waits gets an acknowledgement.
    private void wentOffline() {
        term.diskFailed();
        LogOffline offline = log.offline();
        if (!offlineTold && offline != null) {
            offlineTold = true;
            host.wentOffline(offline.cause());
        }
    }

    /// The watermark or the log's start has moved.
    void progressed() {
        host.progressed();
        tail.wakeAll();
    }

    /// Nothing will come any more from here: those who wait must look elsewhere.
    void endTerm() {
        over = true;
        healing.end();
        term.end();
        tail.wakeAll();
    }

    /// Nobody may use the log any more: another object takes this one's place, or none.
    boolean isOver() {
        return over;
    }

    /// Another term has begun: those who wait must look who leads now.
    void wakeAll() {
        tail.wakeAll();
    }
}
