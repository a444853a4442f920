package io.sluice.partition;

import io.sluice.env.Crossing;
import io.sluice.env.DiskException;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.log.PartitionLog;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The owner's side of a partition: opens the log on first use, leads or follows as the plan says, goes offline, goes away.
///
/// A replica that nobody uses costs nothing; what arrives while the log is being opened or cut waits in order.
/// ```
///            first use            opened
///   CLOSED ────────────▶ OPENING ────────▶ OPEN ──────────┐
///     ▲                  │▲ │ disk failure, bug │ │ cut   │ disk failure, broken promise
///     └─ no room to cut ─┘└─┼───────────────────┼─┘       │
///                           ▼                   │         ▼
///                        OFFLINE ◀──────────────┴─────────┘      any ── delete ──▶ GONE
/// ```
/// Owned by its shard.
final class Replica implements OpenPartition.Host {
    private static final Logger LOG = LoggerFactory.getLogger(Replica.class);

    /// When it is tried again to open what could not be opened.
    private static final Duration OPEN_AGAIN = Duration.ofSeconds(30);

    private final PartitionId id;
    private final UUID topicId;
    private final Shard shard;
    private final Mailbox owner;
    private final Published published;
    private final String requestSentence;
    private final ArrayDeque<Runnable> waitingForOpen = new ArrayDeque<>();
    private TopicSettings settings;
    private Assignment assignment;
    private State state = State.CLOSED;
    private String offlineSentence = "";
    private @Nullable OpenPartition open;
    private boolean unflushed;

    /// A worker is busy with the files.
    private boolean opening;

    private enum State {
        CLOSED,
        OPENING,
        OPEN,
        OFFLINE,
        GONE
    }

    Replica(
            PartitionId id,
            UUID topicId,
            Shard shard,
            TopicSettings settings,
            Published published) {
        this.id = id;
        this.topicId = topicId;
        this.shard = shard;
        this.owner = shard.mailbox();
        this.settings = settings;
        this.published = published;
        this.assignment = published.assignment;
        this.requestSentence = "A request to " + id;
    }

    @Override
    public UUID topicId() {
        return topicId;
    }

    @Override
    public Assignment assignment() {
        return assignment;
    }

    /// Answers now, or when the log is open, or says why not.
    void ask(Question<?> question) {
        Crossing.step(owner, requestSentence, () -> askHere(question), question::fail);
    }

    /// As [#ask], but a log that nobody uses is not opened when all of it is in one segment, which is not closed.
    void scrub(Question<Lookup<ScrubStep>> question) {
        if (state != State.CLOSED) {
            ask(question);
            return;
        }
        logOpening()
                .isWorthScrubbing()
                .then(
                        worth -> {
                            if (worth) {
                                ask(question);
                            } else {
                                question.answer(new Lookup.Found<>(ScrubStep.ENDED));
                            }
                        },
                        _ -> ask(question));
    }

    private void askHere(Question<?> question) {
        OpenPartition ready = findOpen();
        if (ready != null) {
            if (question.leaderOnly() && ready.findLeadership() == null) {
                question.refuse(Unavailable.NOT_LEADER, assignment.whoLeads(id));
            } else {
                question.ask(ready);
            }
            return;
        }
        switch (state) {
            case GONE -> question.refuse(Unavailable.NOT_HERE, id + " was deleted.");
            case OFFLINE -> question.refuse(Unavailable.OFFLINE, offlineSentence);
            case CLOSED, OPENING, OPEN -> {
                if (question.leaderOnly() && !assignment.isLeaderHere()) {
                    question.refuse(Unavailable.NOT_LEADER, assignment.whoLeads(id));
                } else {
                    waitingForOpen.add(() -> ask(question));
                    openLog();
                }
            }
        }
    }

    /// Takes in a plan. The plan counts as taken in when everything is done, so that one that failed half-way is taken in when it comes again (KAFKA-9307).
    void assign(Assignment next) {
        if (!next.isNewerThan(assignment) || state == State.GONE) {
            return;
        }
        take(next);
    }

    private void take(Assignment next) {
        OpenPartition ready = findOpen();
        Term over = ready == null ? null : ready.take(next);
        assignment = next;
        published.assignment = next;
        if (ready != null) {
            progressed();
            watchFollowers(ready);
        }
        if (ready != null && over != null) {
            over.end();
            ready.wakeAll();
        }
    }

    @Override
    public void leadAfterAll() {
        take(assignment);
    }

    private void watchFollowers(OpenPartition ready) {
        Leadership leading = ready.findLeadership();
        if (leading != null && leading.role().hasFollowers()) {
            shard.leadsFollowers(this);
        }
    }

    /// Now and then. False when there is nothing to look after any more.
    boolean checkFollowers() {
        Leadership leading = findLeadership();
        if (leading == null || !leading.role().hasFollowers()) {
            return false;
        }
        leading.checkFollowers();
        return true;
    }

    /// Nobody says any more that this broker leads what it leads: producers who have waited for so long are told.
    void doubt(Duration patience) {
        Leadership leading = findLeadership();
        if (leading != null) {
            leading.doubt(patience);
        }
    }

    private @Nullable Leadership findLeadership() {
        OpenPartition ready = findOpen();
        return ready == null ? null : ready.findLeadership();
    }

    @Override
    public void inSyncChanged(InSyncSet now) {
        if (now.change() > assignment.change()) {
            assignment = assignment.withInSync(List.copyOf(now.members()), now.change());
            published.assignment = assignment;
        }
    }

    private void openLog() {
        if (state != State.CLOSED) {
            return;
        }
        state = State.OPENING;
        opening = true;
        Crossing.land(
                logOpening().open(settings),
                owner,
                "Opening " + id,
                found -> opened(found.opened(), found.watermark()),
                this::cannotBeOpened);
    }

    // Both made when they are needed: there may be many thousands of replicas.

    private LogOpening logOpening() {
        return new LogOpening(id, topicId, shard.doors(), owner);
    }

    private LogParting parting() {
        return new LogParting(id, shard.doors(), owner);
    }

    private void cannotBeOpened(Throwable failure) {
        opening = false;
        if (failure instanceof DiskException disk && disk.kind() == DiskException.Kind.IO) {
            // Not tried again: an fsync that failed may succeed the next time, and prove nothing.
            LOG.error("{} cannot be opened until the broker is started again", id, failure);
            diskFailed("cannot be opened, since its disk has failed: " + failure.getMessage());
            return;
        }
        LOG.error("{} cannot be opened; the next try is in {}", id, OPEN_AGAIN, failure);
        goOffline("cannot be opened: " + failure.getMessage());
        owner.schedule(OPEN_AGAIN, this::mayBeOpenedAgain);
    }

    private void mayBeOpenedAgain() {
        if (state == State.OFFLINE && open == null) {
            shard.offlineIsGone();
            published.offline = false;
            state = State.CLOSED;
        }
    }

    /// @param watermark as known before: consumers are not shown less than that, unless it is gone
    private void opened(PartitionLog.Opened opened, long watermark) {
        opening = false;
        PartitionLog log = opened.log();
        if (state == State.GONE) {
            log.abandon();
            return;
        }
        shard.recovered(id, opened.report());
        OpenPartition ready = logOpening().putInService(log, watermark, settings, this, assignment);
        open = ready;
        state = State.OPEN;
        shard.opened(this);
        progressed();
        watchFollowers(ready);
        ready.flush(); // What a crash has left in memory only becomes durable.
        resumeWaiting();
    }

    @Override
    public void replaceLog(LogReplacement.Wish wish, Consumer<FollowOutcome> done) {
        OpenPartition before = findOpen();
        if (before == null) {
            done.accept(new FollowOutcome.Stale(assignment.leaderEpoch()));
            return;
        }
        state = State.OPENING;
        opening = true;
        published.highWatermark = -1;
        shard.closed(this);
        long watermark = wish.watermarkAfter(before.role().highWatermark());
        before.endTerm();
        Crossing.land(
                Crossing.ask(owner, owner, "Cutting " + id, new LogReplacement(before, wish)::run),
                owner,
                "The cut of " + id,
                log -> {
                    opened(log, watermark);
                    goOnAfter(wish, done);
                },
                failure -> {
                    opening = false;
                    if (failure instanceof DiskException disk
                            && disk.kind() == DiskException.Kind.FULL) {
                        postpone(
                                new PostponedCut(id, shard.doors(), watermark, disk), before, done);
                        return;
                    }
                    LOG.error("{} could not be cut to {}", id, wish.offset(), failure);
                    diskFailed("could not be cut to follow its leader: " + failure.getMessage());
                    done.accept(new FollowOutcome.Failed(Unavailable.OFFLINE, offlineSentence));
                });
    }

    private void postpone(PostponedCut cut, OpenPartition before, Consumer<FollowOutcome> done) {
        cut.tell();
        if (state == State.OPENING) {
            cut.note();
        }
        parting()
                .when(
                        this::isIdle,
                        () -> {
                            if (state == State.OPENING) {
                                before.abandon();
                                open = null;
                                state = State.CLOSED;
                                resumeWaiting();
                            }
                            done.accept(cut.outcome());
                        });
    }

    private void goOnAfter(LogReplacement.Wish wish, Consumer<FollowOutcome> done) {
        OpenPartition ready = findOpen();
        Followership following = ready == null ? null : ready.findFollowership();
        if (following == null || following.role().leaderEpoch() != wish.leaderEpoch()) {
            done.accept(new FollowOutcome.Stale(assignment.leaderEpoch()));
        } else {
            following.goOn(done);
        }
    }

    @Override
    public void progressed() {
        OpenPartition ready = findOpen();
        if (ready != null) {
            published.startOffset = ready.log().startOffset();
            published.highWatermark = ready.readableEnd();
        }
    }

    @Override
    public void wentOffline(String cause) {
        LOG.error("{} is offline until the broker is started again", id);
        diskFailed("failed on its disk: " + cause);
    }

    /// Only a person can mend it, and the others should not wait for that.
    private void diskFailed(String why) {
        String toDo = why + " Check the disk, then start the broker again.";
        goOffline(toDo);
        shard.diskFailed(id + " " + toDo);
    }

    @Override
    public void mustNotGoOn(String sentence) {
        LOG.error("{} {}", id, sentence);
        goOffline(sentence);
    }

    private void goOffline(String why) {
        if (state == State.GONE || state == State.OFFLINE) {
            return;
        }
        state = State.OFFLINE;
        published.highWatermark = -1;
        published.offline = true;
        offlineSentence = id + " " + why;
        shard.wentOffline(this);
        OpenPartition last = open;
        if (last != null) {
            Crossing.alone(owner, "The end of a term of " + id, last::endTerm);
            // Nobody reads or writes what is offline, and there may be thousands of them.
            parting()
                    .when(
                            () -> state != State.OFFLINE || isIdle(),
                            () -> {
                                if (state == State.OFFLINE) {
                                    last.abandon();
                                }
                            });
        }
        resumeWaiting();
    }

    /// Each of them once: where the log has been closed again, they wait anew.
    private void resumeWaiting() {
        for (int left = waitingForOpen.size(); left > 0; left--) {
            Runnable next = waitingForOpen.poll();
            if (next != null) {
                next.run();
            }
        }
    }

    /// Null when not open.
    @Nullable OpenPartition findOpen() {
        return state == State.OPEN ? open : null;
    }

    /// Notes how far the log is durable and readable.
    void checkpoint() {
        OpenPartition ready = findOpen();
        if (ready != null) {
            RecoveryPoint point = ready.log().recoveryPoint();
            shard.doors()
                    .recoveryPoints()
                    .note(id, point.withHighWatermark(ready.role().highWatermark()));
        }
    }

    /// What is needed now and then.
    void keepHouse(boolean dateIsTrusted) {
        OpenPartition ready = findOpen();
        if (ready != null) {
            ready.keepHouse(dateIsTrusted);
        }
    }

    @Override
    public void flushLater() {
        if (!unflushed) {
            unflushed = true;
            shard.flushLater(this);
        }
    }

    /// Makes durable what nobody waits for.
    void flush() {
        unflushed = false;
        OpenPartition ready = findOpen();
        if (ready != null) {
            ready.flush();
        }
    }

    void changeSettings(TopicSettings changed) {
        settings = changed;
        OpenPartition ready = findOpen();
        if (ready != null) {
            ready.changeSettings(changed);
        }
    }

    /// With no worker on the files: the clean end. Completes when all is on disk.
    Reply<Boolean> close() {
        OpenPartition ready = findOpen();
        if (ready == null) {
            return Reply.of(true);
        }
        long watermark = ready.role().highWatermark();
        state = State.GONE;
        published.highWatermark = -1;
        ready.endTerm();
        return parting().close(ready, watermark);
    }

    /// Deleted here: nobody gets an answer any more but that. Completes when no worker touches the files any more, and none is open.
    Reply<Boolean> retire() {
        if (state == State.OFFLINE) {
            shard.offlineIsGone();
            published.offline = false;
        }
        state = State.GONE;
        published.highWatermark = -1;
        shard.gone(this);
        shard.doors().recoveryPoints().forget(id);
        if (open != null) {
            open.wakeAll();
        }
        resumeWaiting();
        Reply<Boolean> retired = new Reply<>();
        parting()
                .when(
                        this::isIdle,
                        () -> {
                            OpenPartition last = open;
                            if (last != null) {
                                Crossing.alone(owner, "The end of " + id, last::endTerm);
                                last.abandon();
                            }
                            retired.complete(true);
                        });
        return retired;
    }

    /// No worker touches the files.
    boolean isIdle() {
        return !opening && (open == null || open.isIdle());
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
