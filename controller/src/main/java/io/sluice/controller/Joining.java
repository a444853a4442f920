package io.sluice.controller;

import io.sluice.env.Reply;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How a broker becomes part of the cluster, and who hears of the plan from then on. Owned by the controller's mailbox.
///
/// ```
///   registered ──▶ admitted by the controller ──▶ plans read once more ──▶ part of the cluster
///        └──────────────── refused: it never will be ─────────────┘
/// ```
/// What is live under its id before that is an earlier process: its terms of office are not this one's.
final class Joining {
    private static final Logger LOG = LoggerFactory.getLogger(Joining.class);

    private final int self;
    private final Enrolment enrolment;
    private final ClusterMetadata metadata;
    private final StoreReader reader;
    private final ControllerDriver.Audience audience;
    private final Runnable goOn;
    private final Reply<ClusterView> joined = new Reply<>();
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

    /// A new view, or the one before once more.
    void seen(ClusterView before, ClusterView after, long now) {
        Consumer<ClusterView> published = audience.published();
        audience.registered().accept(enrolment.isIn(after) ? after : ClusterView.empty());
        if (joined.isDone()) {
            if (after != before) {
                published.accept(after);
            }
            return;
        }
        if (!enrolment.isIn(after) || !after.isLive(self)) {
            return;
        }
        if (!plansRead) {
            readPlans(now);
            return;
        }
        published.accept(after);
        audience.standing().confirmed(plansAskedAt);
        joined.complete(after);
    }

    /// The admission has ended the terms of office of this broker's earlier life in the same commit, but the store tells one node at a time: the plans are
    /// read once more, so that none of those terms is taken for this life's.
    private void readPlans(long now) {
        if (plansAsked) {
            return;
        }
        plansAsked = true;
        plansAskedAt = now;
        reader.read(
                TopicPlanner.TOPICS_PATH,
                nodes -> {
                    nodes.forEach(metadata::take);
                    plansRead = true;
                    goOn.run();
                });
    }

    void refuse(String sentence) {
        if (joined.isDone()) {
            LOG.error("This broker is not part of the cluster any more: {}", sentence);
        } else {
            joined.fail(new CannotJoin(sentence));
        }
    }
}
