package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Moves a broker through the cluster: registers it, claims the office when it is due, and carries out what the office decides, one commit at a time. Owned by the controller's mailbox.
///
/// ```
///            loaded          committed            claim committed
///  starting ───────▶ enrolling ──────▶ enrolled ─────────────────▶ in office
///                        ▲                │   ▲                        │
///                        └── expired ─────┘   └── epoch has moved on ───┤
///                        └────────────────── expired ──────────────────┘
/// ```
/// While the store cannot be reached nothing is decided (Z3). A write that finds another controller epoch ends the office at once, without another try.
final class ControllerDriver implements Coordination.Watcher {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerDriver.class);
    private static final Duration STORE_REST = Duration.ofSeconds(1);

    private final ControllerDoors doors;
    private final Registration registration;
    private final ClusterMetadata metadata = new ClusterMetadata();
    private final StoreReader reader;
    private final Commits commits;
    private final Enrolment enrolment;
    private final Claiming claiming;
    private final Lookout lookout;
    private final Tenure tenure;
    private final Joining joining;
    private final SignsOfLife signs;
    private final WakeUp wakeUp;
    private final ControllerCounters counters;
    private ClusterView seen = ClusterView.empty();
    private volatile boolean connected;
    private boolean newsPosted;
    private boolean acting;
    private boolean actAgain;
    private @Nullable Draft written;
    private long restUntil;

    /// Who hears of what happens.
    ///
    /// @param registered called with every new view in which this life of this broker is registered, and with the empty one when it is in none
    /// @param published called with every new view, once this broker is part of the cluster
    /// @param replaced told when another process has this broker's id, and when this one is part of the cluster again; before the view in which it is so is published
    /// @param removed told, with a sentence for people, when this broker was part of the cluster and cannot be any more
    /// @param activity told whether this broker acts as the controller, after anything that may have changed it
    /// @param standing told what confirms this broker's place
    record Audience(
            Consumer<ClusterView> registered,
            Consumer<ClusterView> published,
            Consumer<Boolean> replaced,
            Consumer<String> removed,
            Consumer<Boolean> activity,
            Standing standing,
            ControllerCounters counters) {}

    ControllerDriver(
            ControllerDoors doors,
            ControllerSettings settings,
            TopicPlanner planner,
            Registration registration,
            Audience audience) {
        this.doors = doors;
        this.registration = registration;
        this.counters = audience.counters();
        this.reader = new StoreReader(doors.store(), doors.owner());
        this.commits = new Commits(doors, reader, metadata, this::settled, this::failed);
        this.enrolment = new Enrolment(registration, doors.entropy().nextUuid().toString());
        long now = now();
        this.claiming = new Claiming(registration.id(), settings.heartbeatTimeout(), now);
        this.lookout = new Lookout(doors, claiming, this::act);
        this.tenure =
                new Tenure(
                        registration.id(),
                        doors.clock(),
                        settings,
                        planner::rulesOf,
                        claiming,
                        audience);
        this.joining =
                new Joining(
                        registration.id(),
                        enrolment,
                        metadata,
                        reader,
                        audience,
                        () -> settled(() -> {}));
        this.signs =
                new SignsOfLife(
                        this, doors, settings, registration.id(), claiming, audience.standing());
        this.restUntil = now;
        this.wakeUp = new WakeUp(doors.owner(), this::act);
    }

    Reply<ClusterView> start() {
        doors.store().watch(doors.owner(), this);
        return joining.joined();
    }

    SignsOfLife signs() {
        return signs;
    }

    ClusterView seen() {
        return seen;
    }

    @Nullable Office office() {
        return tenure.office();
    }

    /// While the store can be reached.
    @Nullable Office activeOffice() {
        return connected ? tenure.office() : null;
    }

    boolean isJoined() {
        return joining.isJoined();
    }

    /// Another process has this broker's id.
    boolean isReplaced() {
        return joining.isReplaced();
    }

    boolean reachesStore() {
        return connected;
    }

    private long now() {
        return doors.clock().monotonicNanos();
    }

    // What the store tells.

    @Override
    public void loaded(SortedMap<String, Node> all) {
        try {
            metadata.loaded(all);
        } catch (IllegalStateException unreadable) {
            LOG.error("The metadata store cannot be read", unreadable);
            connected = false;
            joining.cannotRead(String.valueOf(unreadable.getMessage()));
            return;
        }
        connected = true;
        tenure.connected(now());
        takeNote();
        if (!joining.isOver()) {
            // No signs of life are sent yet that could find the controller gone.
            claiming.lost(seen.controllerId(), now());
        }
        act();
    }

    @Override
    public void changed(String path, @Nullable Node node) {
        if (!connected) {
            return; // All of it comes anew.
        }
        if (!metadata.take(path, node)) {
            refresh(path, () -> {});
        }
        if (!newsPosted) {
            // Behind all that has arrived by now: many changes make one view.
            newsPosted = true;
            doors.owner()
                    .post(
                            () -> {
                                newsPosted = false;
                                takeNote();
                                act();
                            });
        }
    }

    @Override
    public void suspended() {
        connected = false;
        tenure.disconnected();
    }

    @Override
    public void expired() {
        connected = false;
        enrolment.expired();
        tenure.end("The session with the metadata store has ended.");
    }

    /// A node is read anew, whatever was known of it.
    void refresh(String path, Runnable then) {
        reader.read(
                path,
                nodes -> {
                    metadata.learned(path, nodes.get(path));
                    takeNote();
                    then.run();
                    act();
                });
    }

    /// Nodes as they are in the store now, or newer ones than are known.
    void learned(SortedMap<String, Node> nodes) {
        nodes.forEach(metadata::take);
        takeNote();
        act();
    }

    /// Commits that others on this broker have made.
    void committedElsewhere(List<Change> changes) {
        metadata.committed(changes);
        takeNote();
        act();
    }

    private void takeNote() {
        ClusterView before = seen;
        ClusterView after = metadata.view();
        long now = now();
        seen = after;
        claiming.observe(after.controllerId(), after.controllerEpoch(), now);
        List<String> topics = metadata.takeChangedTopics();
        Office present = tenure.office();
        if (present != null && after.controllerEpoch() > present.epoch()) {
            tenure.displaced(after.controllerId(), now);
        } else if (present != null) {
            present.changed(before, after, topics, now);
        }
        joining.seen(before, after, now);
        if (joining.isReplaced()) {
            tenure.end("Another process has its id.");
        }
    }

    // What is to be done.

    /// Does what is due. Called whenever something has happened, also by what it does.
    void act() {
        if (acting) {
            actAgain = true;
            return;
        }
        acting = true;
        try {
            do {
                actAgain = false;
                actOnce();
            } while (actAgain);
        } finally {
            acting = false;
        }
    }

    private void actOnce() {
        long now = now();
        tenure.acts(now);
        lookout.look(seen, tenure.office());
        if (commits.isBusy() || !connected) {
            wakeUp.at(lookout.nextAt(tenure.office()), now);
            return;
        }
        if (now < restUntil) {
            wakeUp.at(restUntil, now);
            return;
        }
        if (enrol(now)) {
            return;
        }
        Office present = tenure.office();
        if (present == null) {
            claimWhenDue(now);
            return;
        }
        if (present.liveness().tick(now)) {
            present.lifeChanged();
        }
        Draft draft = present.next(seen, now, doors.clock().wallMillis());
        if (draft != null) {
            write(present, draft);
        } else {
            wakeUp.at(present.nextAt(), now);
        }
    }

    /// True while this broker is not registered.
    private boolean enrol(long now) {
        switch (enrolment.next(seen, now)) {
            case Enrolment.Step.Nothing() -> {
                return !enrolment.isEnrolled();
            }
            case Enrolment.Step.Wait(long until) -> wakeUp.at(until, now);
            case Enrolment.Step.Refuse(String sentence) -> giveUp(sentence);
            case Enrolment.Step.Commit(List<Change> changes) -> {
                LOG.info("Broker {} registers", registration.id());
                written = null;
                commits.commit(
                        changes,
                        () -> {
                            enrolment.committed();
                            metadata.committed(changes);
                        },
                        _ -> enrolment.looked(metadata.view()),
                        () -> enrolment.looked(metadata.view()));
            }
        }
        return true;
    }

    private void giveUp(String sentence) {
        connected = false;
        joining.refuse(sentence);
    }

    private void claimWhenDue(long now) {
        TreeSet<Integer> registered = new TreeSet<>(seen.brokersAndMembers().registered().keySet());
        long claimAt = claiming.claimAt(registered, now);
        if (claimAt <= now) {
            claim();
        } else {
            wakeUp.at(Math.min(claimAt, claiming.lookAt()), now);
        }
    }

    private void claim() {
        ClusterView.Office found = seen.office();
        List<Change> changes = Claiming.changes(found, registration.id());
        written = null;
        // One that has registered again meanwhile is another life, which nobody has looked for.
        boolean isGone = claiming.isGone() && seen.isLive(found.holder());
        LOG.info(
                "Broker {} claims the controller's office, which {} has",
                registration.id(),
                found.holder() == ClusterView.NOBODY ? "nobody" : "broker " + found.holder());
        commits.commit(
                changes,
                () -> {
                    metadata.committed(changes);
                    tenure.begin(
                            found.epoch() + 1,
                            isGone ? found.holder() : ClusterView.NOBODY,
                            metadata.view());
                },
                _ -> {},
                () -> {});
    }

    /// Every write of a controller names the epoch of its office: a successor makes it fail.
    private void write(Office present, Draft draft) {
        List<Change> changes = new ArrayList<>();
        changes.add(new Change.Check(ClusterMetadata.EPOCH, present.epoch()));
        changes.addAll(draft.changes());
        written = draft;
        commits.commit(
                changes,
                () -> {
                    metadata.committed(changes);
                    counters.commits.increment();
                    PlanNews.tell(draft.differences(), counters);
                    takeNote();
                    present.written(now());
                },
                path -> {
                    if (tenure.office() == present && path.equals(ClusterMetadata.EPOCH)) {
                        tenure.displaced(seen.controllerId(), now());
                    } else {
                        present.decideAgain();
                    }
                },
                present::decideAgain);
    }

    private void settled(Runnable then) {
        then.run();
        takeNote();
        act();
    }

    private void failed(Throwable failure) {
        LOG.error("The metadata store could not take a change", failure);
        Office present = tenure.office();
        setAside(present);
        boolean asked =
                present != null
                        && present.notWritten(
                                Reason.STORE_FAILED,
                                "The change could not be stored: " + failure.getMessage());
        if (!asked) {
            // Nobody waits: the same would be tried again at once.
            restUntil = now() + STORE_REST.toNanos();
        }
        act();
    }

    /// A plan that has outgrown the store must not keep the others from being written.
    private void setAside(@Nullable Office present) {
        Draft refused = written;
        written = null;
        String topic = present == null || refused == null ? null : present.setAside(refused, now());
        if (topic != null) {
            counters.topicsSetAside.increment();
            LOG.error(
                    "The plan of topic '{}' stays as it is for a minute, since the metadata store did not take it; the others are looked after. If it is too large, use several topics with fewer partitions",
                    topic);
        }
    }
}
