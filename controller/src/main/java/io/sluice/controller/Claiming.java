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
/// | answers neither signs of life nor a look | 3 s (`cluster.heartbeat-timeout`) |
/// | answers a look, and no signs of life | twice that |
///
/// Silence counts from the first sign of life that this broker has sent to it: whoever has just been started has asked nothing, and so has not been left without an answer. If nobody else is there to claim, the
/// session of a controller that hangs ends, and then it is nobody.
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
    private long since;
    private long heard = NEVER;
    private long refusedSince = NEVER;
    private long lookAt = NEVER;
    private Look look = Look.NONE;
    private boolean looking;
    private boolean declined;
    private int losses;
    private long lastLoss;
    private long lastAwake;

    /// What the last look since the last answer has shown.
    private enum Look {
        NONE,
        ANSWERED,
        SILENT
    }

    Claiming(int self, Duration timeout, long now) {
        this.self = self;
        this.timeout = timeout.toNanos();
        this.since = now;
        this.lastAwake = now;
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
            since = now;
            heard = NEVER;
            begin(NEVER);
        }
    }

    private void begin(long nextLook) {
        refusedSince = NEVER;
        lookAt = nextLook;
        look = Look.NONE;
        looking = false;
        declined = false;
    }

    /// A sign of life goes out to it.
    void asked(int controller, long now) {
        if (controller == holder && controller != self && heard == NEVER) {
            heard = now;
            lookAt = Math.min(lookAt, lookTime());
        }
    }

    void answered(int controller, long now) {
        if (controller == holder && controller != self) {
            heard = now;
            begin(lookTime());
        }
    }

    /// It says that it is not the controller, though the store says so: a look would prove nothing.
    void declined(int controller) {
        declined |= controller == holder;
    }

    /// A claim by silence needs a look, which may take a while.
    private long lookTime() {
        return heard + timeout / 3 * 2;
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
        looking = true;
        lookAt = now + timeout;
        return true;
    }

    /// What a look has shown, unless an answer has come meanwhile.
    void looked(int controller, Probe.Result result, long now) {
        if (controller != holder || !looking) {
            return;
        }
        looking = false;
        switch (result) {
            case ALIVE -> {
                look = Look.ANSWERED;
                lookAt = heard == NEVER ? NEVER : Math.max(lookTime(), now + timeout / 3);
                refusedSince = NEVER;
            }
            case SILENT -> {
                look = Look.SILENT;
                lookAt = now + Liveness.LOOK_AGAIN;
            }
            case REFUSED -> {
                look = Look.SILENT;
                lookAt = now + Liveness.LOOK_AGAIN;
                refusedSince = Math.min(refusedSince, now);
            }
        }
    }

    /// Nobody answers there, as far as this broker could find out.
    boolean isGone() {
        return refusedSince != NEVER || look == Look.SILENT;
    }

    /// Another broker has taken the office from this one.
    void displaced(long now) {
        losses = isForgiven(now) ? 1 : Math.min(losses + 1, 10);
        lastLoss = now;
    }

    private boolean isForgiven(long now) {
        return losses == 0 || now - lastLoss > FORGIVEN_AFTER;
    }

    /// To be called often. A broker that was itself asleep has heard no answer, and must not take that for silence.
    void awake(long now) {
        if (now - lastAwake > timeout / 2 && heard != NEVER) {
            heard = Math.max(heard, now - timeout / 2);
            look = Look.NONE;
            lookAt = Math.min(lookAt, now);
        }
        lastAwake = now;
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
            return since;
        }
        if (holder == ClusterView.NOBODY) {
            return since + later;
        }
        long silence = silentAt(now);
        long refused =
                refusedSince == NEVER ? NEVER : refusedSince + patience(REFUSED_FOR, now) + later;
        return Math.min(silence == NEVER ? NEVER : silence + later, refused);
    }

    private long silentAt(long now) {
        if (heard == NEVER || look == Look.NONE) {
            return NEVER;
        }
        long patience = patience(timeout, now);
        return heard + (look == Look.ANSWERED && !declined ? 2 * patience : patience);
    }

    private long patience(long usual, long now) {
        return isForgiven(now) ? usual : Math.min(PATIENCE_MAX, usual << losses);
    }

    /// When [#awake] or a look is due.
    long lookAt() {
        return heard == NEVER ? lookAt : Math.min(lookAt, lastAwake + timeout / 4);
    }
}
