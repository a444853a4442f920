package io.sluice.controller;

import io.sluice.env.Reply;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How a broker becomes part of the cluster, and who hears of the plan from then on. Owned by the controller's mailbox.
///
/// ```
///   registered ──▶ admitted by the controller ──▶ plans read once more ──▶ part of the cluster
///     │   ▲                                                                    │
///     │   └────────────── replaced: another process has its id ◀───────────────┘
///     └──────────────────────────────┴─────▶ refused: it never will be (again)
/// ```
/// What is live under its id before that is another process: its terms of office are not this one's. Whoever is replaced hears of the plan, so that its clients do, and has no part in it.
final class Joining {
    private static final Logger LOG = LoggerFactory.getLogger(Joining.class);

    private final int self;
    private final Enrolment enrolment;
    private final ClusterMetadata metadata;
    private final StoreReader reader;
    private final ControllerDriver.Audience audience;
    private final Runnable goOn;
    private final Reply<ClusterView> joined = new Reply<>();
    private boolean replaced;
    private int attempt;
    private boolean plansAsked;
    private boolean plansRead;
    private long plansAskedAt;

    /// @param goOn called when the plans have been read
    Joining(
            int self,
            Enrolment enrolment,
            ClusterMetadata metadata,
            StoreReader reader,
            ControllerDriver.Audience audience,
            Runnable goOn) {
        this.self = self;
        this.enrolment = enrolment;
        this.metadata = metadata;
        this.reader = reader;
        this.audience = audience;
        this.goOn = goOn;
    }

    /// Completes when this broker is part of the cluster; fails with [CannotJoin].
    Reply<ClusterView> joined() {
        return joined;
    }

    boolean isJoined() {
        return joined.isDone() && !joined.isFailed();
    }

    /// It is part of the cluster, or has been told that it cannot be.
    boolean isOver() {
        return joined.isDone();
    }

    /// It was part of the cluster, and another process has its id. Until this one is admitted anew, nothing that the plan says of its id is about it.
    boolean isReplaced() {
        return replaced;
    }

    /// A new view, or the one before once more.
    void seen(ClusterView before, ClusterView after, long now) {
        Consumer<ClusterView> published = audience.published();
        audience.registered().accept(enrolment.isIn(after) ? after : ClusterView.empty());
        if (isJoined() && enrolment.isTakenIn(after)) {
            replacedIn(after);
        }
        if (joined.isDone() && !replaced) {
            if (after != before) {
                published.accept(after);
            }
            return;
        }
        boolean ready = isReady(after, now);
        if (replaced) {
            if (ready) {
                LOG.info("Broker {} is part of the cluster again", self);
                replaced = false;
                audience.replaced().accept(false);
            }
            if (ready || after != before) {
                published.accept(after);
            }
        } else if (ready) {
            published.accept(after);
            audience.standing().confirmed(plansAskedAt);
            joined.complete(after);
        }
    }

    /// This process is admitted, and the plans have been read since.
    private boolean isReady(ClusterView view, long now) {
        if (!enrolment.isIn(view) || !view.isLive(self)) {
            return false;
        }
        if (!plansRead) {
            readPlans(now);
        }
        return plansRead;
    }

    private void replacedIn(ClusterView view) {
        attempt++;
        plansAsked = false;
        plansRead = false;
        audience.standing().withdrawn();
        if (!replaced) {
            replaced = true;
            BrokerView other = view.findRegistered(self);
            LOG.error(
                    "Another process has registered as broker {}, at {}: this one leads and follows nothing, and ends unless the other goes soon",
                    self,
                    other == null ? "an unknown place" : other.host() + ":" + other.port());
            audience.replaced().accept(true);
        }
    }

    /// The admission has ended the terms of office of this broker's earlier life in the same commit, but the store tells one node at a time: the plans are
    /// read once more, so that none of those terms is taken for this life's.
    private void readPlans(long now) {
        if (plansAsked) {
            return;
        }
        plansAsked = true;
        plansAskedAt = now;
        int asked = attempt;
        reader.read(
                TopicPlanner.TOPICS_PATH,
                nodes -> {
                    nodes.forEach(metadata::take);
                    plansRead |= asked == attempt; // It may have been replaced once more.
                    goOn.run();
                });
    }

    /// Somebody has to see to it before a broker like this one can be part of the cluster, for the first time or again.
    void refuse(String sentence) {
        if (!joined.isDone()) {
            joined.fail(new CannotJoin(sentence));
        } else if (isJoined()) {
            audience.removed().accept(sentence);
        }
    }

    /// The store holds something that this version does not understand. Whoever is part of the cluster serves what it can, with the plan that it knows.
    void cannotRead(String sentence) {
        if (joined.isDone()) {
            LOG.error("This broker hears nothing of the plan any more: {}", sentence);
        } else {
            joined.fail(new CannotJoin(sentence));
        }
    }
}
