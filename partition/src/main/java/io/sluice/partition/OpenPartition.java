package io.sluice.partition;

import io.sluice.env.DiskException;
import io.sluice.env.Mailbox;
import io.sluice.env.Workers;
import io.sluice.log.AppendResult;
import io.sluice.log.LogOffline;
import io.sluice.log.OffsetLookup;
import io.sluice.log.PartitionLog;
import io.sluice.log.ReadResult;
import io.sluice.log.StartOffsetChange;
import io.sluice.log.TopicSettings;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.record.PartitionId;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A partition in service: moves batches between its callers and the log, and lets the role decide.
///
/// Owned by its shard: every method runs on the owner's thread, and every callback is called there.
final class OpenPartition {
    private static final Logger LOG = LoggerFactory.getLogger(OpenPartition.class);

    /// The leader itself: there is one node.
    private static final int IN_SYNC = 1;

    private final PartitionId id;
    private final PartitionLog log;
    private final LeaderRole role;
    private final GroupCommit commit;
    private final TailWaiters tail = new TailWaiters();
    private final ShardDoors doors;
    private final Mailbox owner;
    private final int leaderEpoch;
    private final Consumer<LeaderRole> onProgress;
    private final Housekeeping housekeeping;
    private final Consumer<String> onOffline;
    private boolean offlineTold;

    /// @param onProgress told when the watermark or the start of the log has moved
    /// @param onOffline told once, with the reason, when the disk fails
    OpenPartition(
            PartitionId id,
            PartitionLog log,
            ShardDoors doors,
            Mailbox owner,
            int leaderEpoch,
            Consumer<LeaderRole> onProgress,
            Consumer<String> onOffline) {
        this.id = id;
        this.log = log;
        this.role = new LeaderRole(log.endOffset(), log.durableOffset());
        this.doors = doors;
        this.owner = owner;
        this.leaderEpoch = leaderEpoch;
        log.leaderEpochs().note(leaderEpoch, log.endOffset());
        this.onProgress = onProgress;
        this.housekeeping = new Housekeeping(id, log, doors.workers(), owner);
        this.commit = new GroupCommit(log, doors, owner, this::flushed, this::wentOffline);
        this.onOffline = onOffline;
    }

    PartitionLog log() {
        return log;
    }

    LeaderRole role() {
        return role;
    }

    /// Appends and calls back when it is as safe as asked. The bytes are in the log when this returns.
    void append(ByteBuffer batches, Acks acks, Consumer<AppendOutcome> done) {
        if (acks == Acks.ALL && log.settings().minInSyncReplicas() > IN_SYNC) {
            done.accept(tooFewReplicas());
            return;
        }
        switch (log.append(batches, leaderEpoch)) {
            case AppendResult.Appended(long base, long next, long time, long start) ->
                    settle(acks, next, new AppendOutcome.Acknowledged(base, time, start), done);
            case AppendResult.Duplicate(long base, long next, long time, long start) ->
                    settleAgain(
                            acks, next, new AppendOutcome.Acknowledged(base, time, start), done);
            case AppendResult.Rejected(AppendResult.Reason reason, String sentence) -> {
                done.accept(new AppendOutcome.Rejected(reason, sentence));
                if (log.offline() != null) {
                    commit.request(); // Tells those who wait.
                }
            }
        }
    }

    /// The log takes no more: nobody who waits gets an acknowledgement.
    private void wentOffline() {
        role.failed();
        LogOffline offline = log.offline();
        if (!offlineTold && offline != null) {
            offlineTold = true;
            onOffline.accept(offline.cause());
        }
    }

    private void settle(
            Acks acks,
            long next,
            AppendOutcome.Acknowledged outcome,
            Consumer<AppendOutcome> done) {
        if (waitsForDisk(acks)) {
            role.appendedAwaitingDurability(
                    next, durable -> done.accept(durable ? outcome : failed()));
            commit.request();
        } else {
            role.appended(next);
            done.accept(outcome);
            progressed();
        }
    }

    private void settleAgain(
            Acks acks,
            long next,
            AppendOutcome.Acknowledged outcome,
            Consumer<AppendOutcome> done) {
        if (waitsForDisk(acks)) {
            role.await(next, durable -> done.accept(durable ? outcome : failed()));
            commit.request();
        } else {
            done.accept(outcome);
        }
    }

    private boolean waitsForDisk(Acks acks) {
        return acks == Acks.ALL && log.settings().flush() == TopicSettings.FlushPolicy.FSYNC;
    }

    private AppendOutcome tooFewReplicas() {
        return new AppendOutcome.Failed(
                Unavailable.NOT_ENOUGH_REPLICAS,
                id
                        + " has "
                        + IN_SYNC
                        + " replica in sync, min.insync.replicas of its topic is "
                        + log.settings().minInSyncReplicas()
                        + ": lower it, or send with acks=1.");
    }

    private AppendOutcome failed() {
        return new AppendOutcome.Failed(
                Unavailable.OFFLINE, "The disk failed before " + id + " was safe on it.");
    }

    /// Reads whole batches up to the high watermark.
    void read(long from, int maxBytes, boolean atLeastOneBatch, Consumer<ReadOutcome> done) {
        long highWatermark = role.highWatermark();
        if (from > highWatermark) {
            done.accept(new ReadOutcome.OutOfRange(log.startOffset(), highWatermark));
            return;
        }
        try {
            switch (log.read(from, maxBytes, highWatermark, atLeastOneBatch)) {
                case ReadResult.Found(var slice) ->
                        done.accept(new ReadOutcome.Found(slice, log.startOffset(), highWatermark));
                case ReadResult.Nothing() ->
                        done.accept(
                                new ReadOutcome.Found(
                                        Records.EMPTY, log.startOffset(), highWatermark));
                case ReadResult.OutOfRange _ ->
                        done.accept(new ReadOutcome.OutOfRange(log.startOffset(), highWatermark));
                case ReadResult.Damaged(_, _, String sentence) -> {
                    LOG.error("{}: {}", id, sentence);
                    done.accept(new ReadOutcome.Damaged(sentence));
                }
                case ReadResult.NeedsVerification(var task) ->
                        doors.workers()
                                .call(
                                        Workers.Kind.READ,
                                        owner,
                                        () -> {
                                            task.run();
                                            return task;
                                        })
                                .then(
                                        verified -> {
                                            log.completeVerification(verified);
                                            read(from, maxBytes, atLeastOneBatch, done);
                                        },
                                        failure -> done.accept(unreadable(failure)));
            }
        } catch (DiskException e) {
            done.accept(unreadable(e));
        }
    }

    private ReadOutcome unreadable(Throwable failure) {
        LOG.error("{} cannot be read", id, failure);
        return new ReadOutcome.Failed(Unavailable.OFFLINE, String.valueOf(failure.getMessage()));
    }

    /// Finds a record by its time, among those that may be read.
    void find(OffsetLookup lookup, Consumer<Lookup<OffsetAndTime>> done) {
        doors.workers()
                .call(Workers.Kind.READ, owner, () -> Optional.ofNullable(lookup.run()))
                .then(
                        found ->
                                done.accept(
                                        new Lookup.Found<>(
                                                found.filter(
                                                                at ->
                                                                        at.offset()
                                                                                < role
                                                                                        .highWatermark())
                                                        .map(
                                                                at ->
                                                                        new OffsetAndTime(
                                                                                at.offset(),
                                                                                at.timestamp(),
                                                                                at.leaderEpoch()))
                                                        .orElse(OffsetAndTime.NONE))),
                        failure ->
                                done.accept(
                                        new Lookup.Failed<>(
                                                Unavailable.OFFLINE,
                                                String.valueOf(failure.getMessage()))));
    }

    /// Gives up the records below an offset; the new start counts once it cannot be undone by a crash.
    void deleteBefore(long offset, Consumer<DeleteOutcome> done) {
        if (offset > role.highWatermark() || offset < 0) {
            done.accept(new DeleteOutcome.OutOfRange(role.highWatermark()));
            return;
        }
        StartOffsetChange change = log.beginStartOffsetChange(offset);
        if (change == null) {
            done.accept(new DeleteOutcome.Deleted(log.startOffset()));
            return;
        }
        doors.workers()
                .call(
                        Workers.Kind.HOUSEKEEPING,
                        owner,
                        () -> {
                            change.run();
                            return change;
                        })
                .then(
                        written -> {
                            log.completeStartOffsetChange(written);
                            progressed();
                            done.accept(new DeleteOutcome.Deleted(log.startOffset()));
                        },
                        failure ->
                                done.accept(
                                        new DeleteOutcome.Failed(
                                                Unavailable.OFFLINE,
                                                String.valueOf(failure.getMessage()))));
    }

    /// Rolls, retains, rests.
    void keepHouse() {
        if (housekeeping.run(role.highWatermark())) {
            progressed();
        }
        commit.request(); // Segments that were closed by age are sealed, so that they can be
        // given up.
    }

    /// Up to the high watermark: what lies behind may still change.
    LeaderEpochs.End endOfEpoch(int epoch) {
        LeaderEpochs.End end = log.leaderEpochs().endOf(epoch, log.endOffset());
        return new LeaderEpochs.End(end.epoch(), Math.min(end.endOffset(), role.highWatermark()));
    }

    /// Wakes once when something behind the offset may be read.
    Partition.Wait awaitBeyond(long offset, Runnable wake) {
        if (role.highWatermark() > offset) {
            wake.run();
            return () -> {};
        }
        return tail.add(wake)::cancel;
    }

    /// After the start: what a crash has left in memory only becomes durable.
    void begin() {
        flush();
    }

    /// Makes everything durable that is not, though nobody waits for it.
    void flush() {
        if (log.durableOffset() < log.endOffset()) {
            commit.request();
        }
    }

    /// No worker touches the files.
    boolean isIdle() {
        return commit.isIdle() && housekeeping.isIdle();
    }

    /// Lets go of the files of a deleted topic.
    void abandon() {
        log.abandon();
    }

    private void flushed() {
        long before = role.highWatermark();
        role.flushed(log.durableOffset());
        if (role.highWatermark() != before) {
            progressed();
        }
    }

    /// The watermark or the log's start has moved.
    void progressed() {
        onProgress.accept(role);
        tail.wakeAll();
    }

    /// Nothing will come any more: those who wait must look elsewhere.
    void wakeAll() {
        tail.wakeAll();
    }
}
