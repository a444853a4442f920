package io.sluice.controller;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;

/// When a broker claims the controller's office for itself. Owned by the controller's mailbox.
///
/// | the controller | claimed after |
/// | --- | --- |
/// | is nobody, or an earlier life of this broker | nothing, by the first in rank |
/// | is gone: its address refuses connections | 0.3 s |
/// | does not answer signs of life | 3 s (`cluster.heartbeat-timeout`) |
///
/// Each rank behind the first waits another 0.15 s, so that the first has the office by then. Claiming is safe whoever believes what, since every write of a controller names the epoch of its office;
/// but two who take it from each other in turn would do nothing else: whoever loses it becomes twice as patient.
final class Claiming {
    static final long REFUSED_FOR = Duration.ofMillis(300).toNanos();
    static final long RANK_STEP = Duration.ofMillis(150).toNanos();
    static final long NEVER = Long.MAX_VALUE;
    private static final long PATIENCE_MAX = Duration.ofSeconds(60).toNanos();
    private static final long FORGIVEN_AFTER = Duration.ofMinutes(5).toNanos();

    private final int self;
    private final long timeout;
    private int holder = ClusterView.NOBODY;
    private int epoch = -1;
    private long heard;
    private long refusedSince = NEVER;
    private long lookAt = NEVER;
    private int losses;
    private long lastLoss;

    Claiming(int self, Duration timeout, long now) {
        this.self = self;
        this.timeout = timeout.toNanos();
        this.heard = now;
    }

    /// The whole claim in one commit: whoever was slower finds that the epoch has moved on.
    static List<Change> changes(ClusterView.Office found, int self) {
        String name = String.valueOf(self);
        List<Change> changes = new ArrayList<>();
        if (found.nodeVersion() >= 0) {
            changes.add(new Change.Delete(ClusterMetadata.CONTROLLER, found.nodeVersion()));
        }
        changes.add(new Change.Create(ClusterMetadata.CONTROLLER, name, Life.SESSION));
        changes.add(
                found.epoch() < 0
                        ? new Change.Create(ClusterMetadata.EPOCH, name)
                        : new Change.Set(ClusterMetadata.EPOCH, name, found.epoch()));
        return changes;
    }

    /// What the store says of the office. A new holder has a whole timeout.
    void observe(int newHolder, int newEpoch, long now) {
        if (newHolder != holder || newEpoch != epoch) {
            holder = newHolder;
            epoch = newEpoch;
            heard = now;
            refusedSince = NEVER;
            lookAt = NEVER;
        }
    }

    void answered(int controller, long now) {
        if (controller == holder) {
            heard = now;
            refusedSince = NEVER;
            lookAt = NEVER;
        }
    }

    /// The connection to the controller broke, or could not be made.
    void lost(int controller, long now) {
        if (controller == holder && controller != self) {
            lookAt = Math.min(lookAt, now);
        }
    }

    /// Whether to look for the controller now; told once, until [#looked].
    boolean shouldLook(long now) {
        if (lookAt > now) {
            return false;
        }
        lookAt = now + timeout;
        return true;
    }

    void looked(int controller, Probe.Result result, long now) {
        if (controller != holder || lookAt == NEVER) {
            return;
        }
        switch (result) {
            case ALIVE -> {
                lookAt = NEVER;
                refusedSince = NEVER;
            }
            case SILENT -> lookAt = now + Liveness.LOOK_AGAIN;
            case REFUSED -> {
                lookAt = now + Liveness.LOOK_AGAIN;
                refusedSince = Math.min(refusedSince, now);
            }
        }
    }

    /// Another broker has taken the office from this one.
    void displaced(long now) {
        losses = isForgiven(now) ? 1 : Math.min(losses + 1, 10);
        lastLoss = now;
    }

    private boolean isForgiven(long now) {
        return losses == 0 || now - lastLoss > FORGIVEN_AFTER;
    }

    /// @param registered the ids of all brokers that could claim
    /// @return when to claim if nothing happens before, or [#NEVER]
    long claimAt(SortedSet<Integer> registered, long now) {
        if (!registered.contains(self)) {
            return NEVER;
        }
        int rank = 0;
        for (int id : registered.headSet(self)) {
            rank += id == holder ? 0 : 1;
        }
        long later = rank * RANK_STEP;
        if (holder == self) {
            return heard;
        }
        if (holder == ClusterView.NOBODY) {
            return heard + later;
        }
        long silence = heard + patience(timeout, now) + later;
        return refusedSince == NEVER
                ? silence
                : Math.min(silence, refusedSince + patience(REFUSED_FOR, now) + later);
    }

    private long patience(long usual, long now) {
        return isForgiven(now) ? usual : Math.min(PATIENCE_MAX, usual << losses);
    }

    long lookAt() {
        return lookAt;
    }
}
