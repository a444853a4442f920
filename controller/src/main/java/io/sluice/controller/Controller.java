package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.Entropy;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.record.PartitionId;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.BiConsumer;

/// Carries out commands on the plan, strictly one after the other: decide, write to the store, publish the new view.
///
/// A deletion is finished when the topic's data is out of the way; only then comes the next command, so that a new topic of the same name
/// starts empty. Owned by its mailbox; [#view] and [#execute] are thread-safe. At most [#WAITING_MAX] commands wait.
public final class Controller {
    static final int WAITING_MAX = 10_000;
    private static final Duration TRY_AGAIN = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

    private final Coordination store;
    private final Entropy entropy;
    private final Mailbox owner;
    private final TopicPlanner planner;
    private final TopicData data;
    private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
    private final Set<String> unfinishedDeletions = new HashSet<>();
    private final ArrayDeque<Deletion> interrupted = new ArrayDeque<>();
    private final List<BiConsumer<ClusterView, ClusterView>> listeners = new ArrayList<>();

    /// Published by the owner after a change is durable; read by every thread without a lock.
    private volatile ClusterView view;

    private boolean busy;

    public Controller(
            ControllerDoors doors,
            TopicPlanner planner,
            TopicData data,
            ControllerSettings settings) {
        this.store = doors.store();
        this.entropy = doors.entropy();
        this.owner = doors.owner();
        this.planner = planner;
        this.data = data;
        this.view = ClusterView.empty();
    }

    /// Joins the cluster; completes on the owner's thread when this broker is part of it. Fails with [CannotJoin]. Called once, on the owner's thread.
    public Reply<ClusterView> start(Registration registration) {
        String cluster = registration.clusterId();
        BrokerView self =
                new BrokerView(
                        registration.id(),
                        registration.host(),
                        registration.port(),
                        registration.rack(),
                        0);
        view = new ClusterView(cluster == null ? "" : cluster, List.of(self), self.id(), List.of());
        return load();
    }

    /// This broker is the controller, and acts.
    public boolean isActive() {
        return true;
    }

    /// A sign of life of a broker, to the active controller.
    ///
    /// @param wantsToStop hand over what it leads; the answer comes when that is done
    public Reply<HeartbeatAnswer> heartbeat(
            int broker, long epoch, boolean wantsToStop, Mailbox home) {
        throw new UnsupportedOperationException();
    }

    /// The connection on which a broker sends its signs of life has broken.
    public void connectionLost(int broker) {
        throw new UnsupportedOperationException();
    }

    /// This broker's own sign of life was answered by the active controller.
    public void controllerAnswered(int controller) {
        throw new UnsupportedOperationException();
    }

    /// This broker's connection to the controller broke, or could not be made.
    public void controllerLost(int controller) {
        throw new UnsupportedOperationException();
    }

    /// Other in-sync sets, asked for by the leader of the partitions; one answer for each, in their order.
    public Reply<List<InSyncAnswer>> alterInSync(
            int broker, long brokerEpoch, List<InSyncChange> changes, Mailbox home) {
        throw new UnsupportedOperationException();
    }

    /// Begins moves of replicas, or takes them back; one answer for each, in their order.
    public Reply<List<PartitionAnswer>> reassign(List<MoveRequest> requests, Mailbox home) {
        throw new UnsupportedOperationException();
    }

    /// Other leaders for these partitions, or wherever it is needed.
    ///
    /// @param partitions null for all; then only those are answered whose leader has changed or cannot
    public Reply<List<PartitionAnswer>> electLeaders(
            ElectionKind kind, @Nullable List<PartitionId> partitions, Mailbox home) {
        throw new UnsupportedOperationException();
    }

    public Reply<BrokerOutcome> execute(BrokerCommand command, Mailbox home) {
        throw new UnsupportedOperationException();
    }

    /// Moves that spread replicas and leaders evenly over the live brokers; they begin unless only a proposal is wanted.
    public Reply<List<MoveRequest>> rebalance(boolean proposeOnly, Mailbox home) {
        throw new UnsupportedOperationException();
    }

    private record Pending(
            TopicCommand command, boolean validateOnly, Mailbox home, Reply<TopicOutcome> reply) {}

    /// Reads all plans from the store. Called once, on the owner's thread, before anything else.
    private Reply<ClusterView> load() {
        return store.load(owner, DeletionNote.PATH)
                .map(this::noteDeletions)
                .flatMap(_ -> store.load(owner, TopicPlanner.TOPICS_PATH))
                .map(this::readPlans);
    }

    /// Until they are finished, their names stay blocked.
    private int noteDeletions(SortedMap<String, Node> nodes) {
        nodes.forEach(
                (path, node) ->
                        interrupted.addAll(
                                DeletionNote.read(
                                                path.substring(DeletionNote.PATH.length() + 1),
                                                node.value(),
                                                node.version())
                                        .deletions()));
        interrupted.forEach(deletion -> unfinishedDeletions.add(deletion.topic()));
        return interrupted.size();
    }

    /// Finishes deletions that a crash has interrupted. On the owner's thread, when the broker can do what that takes.
    public void finishDeletions() {
        for (Deletion next = interrupted.poll(); next != null; next = interrupted.poll()) {
            finish(next);
        }
    }

    private ClusterView readPlans(Map<String, Node> nodes) {
        List<TopicPlan> topics = new ArrayList<>();
        String prefix = TopicPlanner.TOPICS_PATH + "/";
        nodes.forEach(
                (path, node) -> {
                    if (path.startsWith(prefix)) {
                        topics.add(
                                TopicPlanFormat.read(
                                        path.substring(prefix.length()),
                                        node.value(),
                                        node.version()));
                    }
                });
        publish(new ClusterView(view.clusterId(), view.brokers(), view.controllerId(), topics));
        return view;
    }

    public ClusterView view() {
        return view;
    }

    /// Called on the owner's thread with the view before and after each change.
    public void onChange(BiConsumer<ClusterView, ClusterView> listener) {
        listeners.add(listener);
    }

    /// The reply completes on the home mailbox when the change is durable and published.
    public Reply<TopicOutcome> execute(TopicCommand command, boolean validateOnly, Mailbox home) {
        Reply<TopicOutcome> reply = new Reply<>();
        owner.run(() -> accept(new Pending(command, validateOnly, home, reply)));
        return reply;
    }

    private void accept(Pending pending) {
        if (waiting.size() >= WAITING_MAX) {
            answer(
                    pending,
                    refused(
                            Reason.BUSY,
                            WAITING_MAX + " changes are waiting already; try again later."));
            return;
        }
        waiting.add(pending);
        next();
    }

    private void next() {
        while (!busy) {
            Pending pending = waiting.poll();
            if (pending == null) {
                return;
            }
            if (unfinishedDeletions.contains(pending.command().topic())) {
                answer(
                        pending,
                        refused(
                                Reason.BUSY,
                                "The data of the deleted topic '"
                                        + pending.command().topic()
                                        + "' could not be removed yet; see the broker's log."));
                continue;
            }
            TopicPlanner.Decision decision =
                    planner.decide(pending.command(), view, entropy.nextUuid());
            if (decision.changes().isEmpty() || pending.validateOnly()) {
                answer(pending, decision.outcome());
            } else {
                commit(pending, decision);
            }
        }
    }

    private void commit(Pending pending, TopicPlanner.Decision decision) {
        busy = true;
        store.commit(owner, decision.changes())
                .then(
                        outcome -> committed(pending, decision, outcome),
                        failure -> failed(pending, failure));
    }

    private void committed(Pending pending, TopicPlanner.Decision decision, Outcome outcome) {
        switch (outcome) {
            case Outcome.Committed() -> {
                if (!(decision.outcome() instanceof TopicOutcome.Done(TopicPlan plan))) {
                    throw new IllegalStateException("a refusal was committed: " + decision);
                }
                if (pending.command() instanceof TopicCommand.Delete) {
                    publish(without(plan));
                    finish(Deletion.of(plan)).whenDone(_ -> done(pending, decision.outcome()));
                } else {
                    publish(view.with(plan));
                    done(pending, decision.outcome());
                }
            }
            case Outcome.Conflict(String path) ->
                    done(
                            pending,
                            refused(
                                    Reason.BUSY,
                                    "The plan at "
                                            + path
                                            + " was changed at the same time; try again."));
            case Outcome.Unknown(String sentence) ->
                    done(
                            pending,
                            refused(
                                    Reason.STORE_FAILED,
                                    "The change may or may not have been made: " + sentence));
        }
    }

    private ClusterView without(TopicPlan plan) {
        ClusterView.Topics fewer = view.plans().copy();
        fewer.remove(plan.name());
        return new ClusterView(
                view.clusterId(), view.office(), view.brokersAndMembers(), fewer, view.upcoming());
    }

    private void done(Pending pending, TopicOutcome outcome) {
        busy = false;
        answer(pending, outcome);
        next();
    }

    private void failed(Pending pending, Throwable failure) {
        LOG.error("A change of topic '{}' could not be stored", pending.command().topic(), failure);
        done(
                pending,
                refused(
                        Reason.STORE_FAILED,
                        "The change could not be stored: " + failure.getMessage()));
    }

    /// Gets the data out of the way and forgets the deletion. What fails is tried again later; until then the name is blocked.
    private Reply<Boolean> finish(Deletion deletion) {
        Reply<Boolean> finished = new Reply<>();
        unfinishedDeletions.add(deletion.topic());
        Change forget = new Change.Delete(DeletionNote.path(deletion.topic()), 0);
        data.retire(deletion.topic(), deletion.id(), deletion.partitions())
                .flatMap(_ -> store.commit(owner, List.of(forget)))
                .then(
                        _ -> {
                            unfinishedDeletions.remove(deletion.topic());
                            finished.complete(true);
                        },
                        failure -> {
                            LOG.error(
                                    "The data of the deleted topic '{}' is still there; the next try is in {}",
                                    deletion.topic(),
                                    TRY_AGAIN,
                                    failure);
                            owner.schedule(TRY_AGAIN, () -> finish(deletion));
                            finished.complete(false);
                        });
        return finished;
    }

    private void publish(ClusterView changed) {
        ClusterView before = view;
        view = changed;
        for (BiConsumer<ClusterView, ClusterView> listener : listeners) {
            try {
                listener.accept(before, changed);
            } catch (RuntimeException bug) {
                LOG.error("A change of the plan met a bug: please report it", bug);
            }
        }
    }

    private static TopicOutcome refused(Reason reason, String sentence) {
        return new TopicOutcome.Refused(reason, sentence);
    }

    private static void answer(Pending pending, TopicOutcome outcome) {
        pending.reply().completeOn(pending.home(), outcome);
    }
}
