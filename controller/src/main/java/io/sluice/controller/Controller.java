package io.sluice.controller;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.Entropy;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Carries out commands on the plan, strictly one after the other: decide, write to the store, publish the new view.
///
/// Owned by its mailbox; [#view] and [#execute] are thread-safe. At most [#WAITING_MAX] commands wait.
public final class Controller {
    static final int WAITING_MAX = 10_000;

    private final Coordination store;
    private final Entropy entropy;
    private final Mailbox owner;
    private final TopicPlanner planner;
    private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
    private final List<BiConsumer<ClusterView, ClusterView>> listeners = new ArrayList<>();

    /// Published by the owner after a change is durable; read by every thread without a lock.
    private volatile ClusterView view;

    private boolean busy;

    public Controller(
            Coordination store,
            Entropy entropy,
            Mailbox owner,
            TopicPlanner planner,
            ClusterView empty) {
        this.store = store;
        this.entropy = entropy;
        this.owner = owner;
        this.planner = planner;
        this.view = empty;
    }

    private record Pending(
            TopicCommand command, boolean validateOnly, Mailbox home, Reply<TopicOutcome> reply) {}

    /// Reads all plans from the store. Called once, on the owner's thread, before anything else.
    public Reply<ClusterView> load() {
        return store.load(owner, TopicPlanner.TOPICS_PATH)
                .map(
                        nodes -> {
                            List<TopicPlan> topics = new ArrayList<>();
                            for (Map.Entry<String, Node> node : nodes.entrySet()) {
                                if (!node.getKey().equals(TopicPlanner.TOPICS_PATH)) {
                                    String name =
                                            node.getKey()
                                                    .substring(
                                                            TopicPlanner.TOPICS_PATH.length() + 1);
                                    topics.add(
                                            TopicPlanFormat.read(
                                                    name,
                                                    node.getValue().value(),
                                                    node.getValue().version()));
                                }
                            }
                            publish(
                                    new ClusterView(
                                            view.clusterId(),
                                            view.brokers(),
                                            view.controllerId(),
                                            topics));
                            return view;
                        });
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
                    new TopicOutcome.Refused(
                            TopicOutcome.Reason.BUSY,
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
        busy = false;
        switch (outcome) {
            case Outcome.Committed _ -> {
                if (decision.outcome() instanceof TopicOutcome.Done(TopicPlan plan)) {
                    publish(
                            pending.command() instanceof TopicCommand.Delete
                                    ? view.without(plan)
                                    : view.with(plan));
                }
                answer(pending, decision.outcome());
            }
            case Outcome.Conflict(String path) ->
                    answer(
                            pending,
                            new TopicOutcome.Refused(
                                    TopicOutcome.Reason.BUSY,
                                    "The plan at "
                                            + path
                                            + " was changed at the same time; try again."));
        }
        next();
    }

    private void failed(Pending pending, @Nullable Throwable failure) {
        busy = false;
        Throwable cause =
                failure == null
                        ? new IllegalStateException("the metadata store gave no answer")
                        : failure;
        pending.home().run(() -> pending.reply().fail(cause));
        next();
    }

    private void publish(ClusterView changed) {
        ClusterView before = view;
        view = changed;
        for (BiConsumer<ClusterView, ClusterView> listener : listeners) {
            listener.accept(before, changed);
        }
    }

    private static void answer(Pending pending, TopicOutcome outcome) {
        pending.reply().completeOn(pending.home(), outcome);
    }
}
