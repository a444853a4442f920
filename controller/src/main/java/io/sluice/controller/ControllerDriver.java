package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Mailbox;
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
    private final ControllerSettings settings;
    private final TopicPlanner planner;
    private final Registration registration;
    private final Consumer<ClusterView> published;
    private final Consumer<Boolean> activity;
    private final ClusterMetadata metadata = new ClusterMetadata();
    private final StoreReader reader;
    private final Commits commits;
    private final Enrolment enrolment;
    private final Claiming claiming;
    private final WakeUp wakeUp;
    private final ControllerCounters counters;
    private final Reply<ClusterView> joined = new Reply<>();
    private ClusterView seen = ClusterView.empty();
    private @Nullable Office office;
    private boolean connected;
    private boolean newsPosted;
    private boolean plansAsked;
    private boolean plansRead;
    private boolean acting;
    private boolean actAgain;
    private long restUntil;

    /// Who hears of what happens.
    ///
    /// @param published called with every new view, once this broker is part of the cluster
    /// @param activity told whether this broker acts as the controller, after anything that may have changed it
    record Audience(
            Consumer<ClusterView> published,
            Consumer<Boolean> activity,
            ControllerCounters counters) {}

    ControllerDriver(
            ControllerDoors doors,
            ControllerSettings settings,
            TopicPlanner planner,
            Registration registration,
            Audience audience) {
        this.doors = doors;
        this.settings = settings;
        this.planner = planner;
        this.registration = registration;
        this.published = audience.published();
        this.activity = audience.activity();
        this.counters = audience.counters();
        this.reader = new StoreReader(doors.store(), doors.owner());
        this.commits = new Commits(doors, reader, metadata, this::settled, this::failed);
        this.enrolment = new Enrolment(registration, doors.entropy().nextUuid().toString());
        long now = now();
        this.claiming = new Claiming(registration.id(), settings.heartbeatTimeout(), now);
        this.restUntil = now;
        this.wakeUp = new WakeUp(doors.owner(), this::act);
    }

    Reply<ClusterView> start() {
        doors.store().watch(doors.owner(), this);
        return joined;
    }

    @Nullable Office activeOffice() {
        return connected ? office : null;
    }

    boolean isJoined() {
        return joined.isDone() && !joined.isFailed();
    }

    private long now() {
        return doors.clock().monotonicNanos();
    }

    // What brokers tell each other.

    Reply<HeartbeatAnswer> heartbeat(int broker, long epoch, boolean wantsToStop, Mailbox home) {
        Office present = activeOffice();
        if (present == null) {
            return Reply.of(HeartbeatAnswer.NOT_CONTROLLER);
        }
        if (epoch < seen.brokerEpoch(broker)) {
            return Reply.of(HeartbeatAnswer.STALE);
        }
        if (present.liveness().heard(broker, epoch, now())) {
            LOG.info("Broker {} is heard of again", broker);
            present.lifeChanged();
            act();
        }
        boolean live = seen.isLive(broker) && seen.brokerEpoch(broker) == epoch;
        if (!wantsToStop || !live) {
            return Reply.of(new HeartbeatAnswer(true, true, !live, wantsToStop));
        }
        present.wantsToStop(broker, epoch);
        StopRequest request = new StopRequest(broker, home);
        present.submit(request);
        act();
        return request.reply();
    }

    void connectionLost(int broker) {
        Office present = activeOffice();
        if (present != null) {
            present.liveness().suspect(broker, now());
            act();
        }
    }

    void controllerAnswered(int controller) {
        claiming.answered(controller, now());
    }

    void controllerLost(int controller) {
        claiming.lost(controller, now());
        act();
    }

    // What the store tells.

    @Override
    public void loaded(SortedMap<String, Node> all) {
        try {
            metadata.loaded(all);
        } catch (IllegalStateException unreadable) {
            LOG.error("The metadata store cannot be read", unreadable);
            giveUp(String.valueOf(unreadable.getMessage()));
            return;
        }
        connected = true;
        activity.accept(office != null);
        takeNote();
        if (!joined.isDone()) {
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
        try {
            if (!metadata.changed(path, node)) {
                refresh(path, () -> {});
            }
        } catch (IllegalStateException unreadable) {
            LOG.error("{} in the metadata store is passed over", path, unreadable);
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
        activity.accept(false);
        Office present = office;
        if (present != null) {
            LOG.warn("The metadata store cannot be reached: this controller decides nothing");
            present.end("The controller cannot reach the metadata store; try again.");
        }
    }

    @Override
    public void expired() {
        connected = false;
        enrolment.expired();
        resign("The session with the metadata store has ended.");
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
        Office present = office;
        if (present != null && after.controllerEpoch() > present.epoch()) {
            displaced();
        } else if (present != null) {
            present.changed(before, after, topics, now);
        }
        // What is live under this id before that is an earlier process: its terms of office are not
        // this one's.
        boolean part =
                joined.isDone() || (enrolment.isIn(after) && after.isLive(registration.id()));
        if (part && !joined.isDone() && !plansRead) {
            readPlans();
            return;
        }
        if (part && (!joined.isDone() || after != before)) {
            published.accept(after);
        }
        if (part && !joined.isDone()) {
            joined.complete(after);
        }
    }

    /// The admission has ended the terms of office of this broker's earlier life in the same commit, but the store tells one node at a time: the plans are
    /// read once more, so that none of those terms is taken for this life's.
    private void readPlans() {
        if (plansAsked) {
            return;
        }
        plansAsked = true;
        reader.read(
                TopicPlanner.TOPICS_PATH,
                nodes -> {
                    nodes.forEach(metadata::changed);
                    plansRead = true;
                    takeNote();
                    act();
                });
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
        if (commits.isBusy() || !connected) {
            return;
        }
        if (now < restUntil) {
            wakeUp.at(restUntil, now);
            return;
        }
        if (enrol(now)) {
            return;
        }
        Office present = office;
        if (present == null) {
            claimWhenDue(now);
            return;
        }
        watchOver(present, now);
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
        if (joined.isDone()) {
            LOG.error("This broker is not part of the cluster any more: {}", sentence);
        } else {
            joined.fail(new CannotJoin(sentence));
        }
    }

    private void claimWhenDue(long now) {
        if (claiming.shouldLook(now)) {
            lookForController();
        }
        TreeSet<Integer> registered = new TreeSet<>(seen.brokersAndMembers().registered().keySet());
        long claimAt = claiming.claimAt(registered, now);
        if (claimAt <= now) {
            claim();
        } else {
            wakeUp.at(Math.min(claimAt, claiming.lookAt()), now);
        }
    }

    private void lookForController() {
        BrokerView controller = seen.findRegistered(seen.controllerId());
        if (controller != null) {
            doors.probe()
                    .probe(controller, doors.owner())
                    .then(
                            result -> {
                                claiming.looked(controller.id(), result, now());
                                act();
                            },
                            _ -> claiming.looked(controller.id(), Probe.Result.SILENT, now()));
        }
    }

    private void claim() {
        ClusterView.Office found = seen.office();
        List<Change> changes = Claiming.changes(found, registration.id());
        commits.commit(
                changes,
                () -> {
                    metadata.committed(changes);
                    takeOffice(found.epoch() + 1, found.holder());
                },
                _ -> {},
                () -> {});
    }

    private void takeOffice(int epoch, int before) {
        LOG.info("Broker {} is the controller, in epoch {}", registration.id(), epoch);
        long now = now();
        Office taken = new Office(epoch, registration.id(), settings, planner::rulesOf, now);
        taken.changed(ClusterView.empty(), metadata.view(), List.of(), now);
        if (before != ClusterView.NOBODY && before != registration.id()) {
            taken.liveness().suspect(before, now);
        }
        office = taken;
        counters.officesTaken.increment();
        activity.accept(true);
    }

    private void displaced() {
        claiming.displaced(now());
        resign("Broker " + seen.controllerId() + " is the controller now.");
    }

    private void resign(String sentence) {
        Office ended = office;
        office = null;
        activity.accept(false);
        if (ended != null) {
            LOG.warn("Broker {} is not the controller any more: {}", registration.id(), sentence);
            counters.officesLost.increment();
            ended.end(sentence);
        }
    }

    private void watchOver(Office present, long now) {
        Liveness liveness = present.liveness();
        if (liveness.tick(now)) {
            present.lifeChanged();
        }
        for (int id : liveness.toLookAt(now)) {
            BrokerView broker = seen.findRegistered(id);
            if (broker != null) {
                doors.probe()
                        .probe(broker, doors.owner())
                        .then(
                                result -> looked(broker, result),
                                _ -> looked(broker, Probe.Result.SILENT));
            }
        }
    }

    private void looked(BrokerView broker, Probe.Result result) {
        Office present = office;
        if (present == null) {
            return;
        }
        if (present.liveness().looked(broker.id(), broker.epoch(), result, now())) {
            LOG.warn("Broker {} is gone: nobody listens at {}", broker.id(), broker.host());
            present.lifeChanged();
        }
        act();
    }

    /// Every write of a controller names the epoch of its office: a successor makes it fail.
    private void write(Office present, Draft draft) {
        List<Change> changes = new ArrayList<>();
        changes.add(new Change.Check(ClusterMetadata.EPOCH, present.epoch()));
        changes.addAll(draft.changes());
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
                    if (office == present && path.equals(ClusterMetadata.EPOCH)) {
                        displaced();
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
        Office present = office;
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
}
