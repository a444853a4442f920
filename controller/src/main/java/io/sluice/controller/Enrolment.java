package io.sluice.controller;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// How a broker registers, once for every session with the store. Owned by the controller's mailbox.
///
/// What an earlier session of this broker has left is replaced at once (Z2, KAFKA-1387: waiting for it to expire kept brokers out for minutes): the same process, or a former one that this data directory has noted.
/// Anything else may be a broker that runs, and is given time to go; then this one gives up.
///
/// | what is registered | before this process ever was | after |
/// | --- | --- | --- |
/// | this process, of an earlier session | is replaced | is replaced |
/// | the same directory, a process noted there | is replaced | is replaced |
/// | the same directory, another process | has 30 s to go: it runs on a copy | this one gives up at once: it was replaced by one that runs on a copy, and two that replace each other would never end |
/// | another directory | has 30 s to go | has 30 s to go |
final class Enrolment {
    private static final long OTHERS_GO_WITHIN = Duration.ofSeconds(30).toNanos();
    private static final long NONE = -1;

    private final Registration own;
    private final String freshClusterId;
    private boolean enrolled;
    private boolean seen;
    private boolean everEnrolled;
    private long staleEpoch = NONE;
    private long blockedSince = NONE;

    /// @param freshClusterId of the cluster, should this be its first broker
    Enrolment(Registration own, String freshClusterId) {
        this.own = own;
        String given = own.clusterId();
        this.freshClusterId = given == null ? freshClusterId : given;
    }

    sealed interface Step {
        record Commit(List<Change> changes) implements Step {}

        record Wait(long until) implements Step {}

        record Refuse(String sentence) implements Step {}

        record Nothing() implements Step {}
    }

    /// What is to be done next.
    Step next(ClusterView view, long now) {
        Registered present = view.brokersAndMembers().registered().get(own.id());
        boolean there = isIn(view);
        if (enrolled && seen && !there) {
            enrolled = false; // Somebody has deleted it.
        }
        seen = enrolled && (seen || there);
        if (enrolled) {
            return new Step.Nothing();
        }
        String cluster = own.clusterId();
        if (cluster != null && !view.clusterId().isEmpty() && !view.clusterId().equals(cluster)) {
            return new Step.Refuse(
                    "The data directory of broker "
                            + own.id()
                            + " belongs to cluster "
                            + cluster
                            + ", the metadata store to cluster "
                            + view.clusterId()
                            + ". Name the store of its own cluster, or give the broker an empty data directory.");
        }
        if (present != null && !isOwn(present)) {
            return blocked(present, now);
        }
        blockedSince = NONE;
        return new Step.Commit(changes(view, present));
    }

    private Step blocked(Registered present, long now) {
        blockedSince = blockedSince == NONE ? now : blockedSince;
        boolean isReplacedByCopy = everEnrolled && isOfThisDirectory(present);
        if (!isReplacedByCopy && now - blockedSince < OTHERS_GO_WITHIN) {
            return new Step.Wait(blockedSince + OTHERS_GO_WITHIN);
        }
        return new Step.Refuse(
                "Another broker with id "
                        + own.id()
                        + " runs at "
                        + present.registration().host()
                        + ":"
                        + present.registration().port()
                        + (isOfThisDirectory(present)
                                ? " with a copy of this one's data directory. Stop one of the two; a further broker needs its own node.id and an empty data directory."
                                : " with another data directory. Give this one its own node.id, or stop the other."));
    }

    private List<Change> changes(ClusterView view, @Nullable Registered present) {
        List<Change> changes = new ArrayList<>();
        if (view.clusterId().isEmpty()) {
            changes.add(new Change.Create(ClusterMetadata.CLUSTER, freshClusterId));
        }
        String path = Registered.path(own.id());
        staleEpoch = NONE;
        if (present != null) {
            staleEpoch = present.epoch();
            changes.add(new Change.Delete(path, present.version()));
        }
        changes.add(new Change.Create(path, Registered.write(own), Life.SESSION));
        return changes;
    }

    private boolean isOwn(Registered present) {
        return isOfThisProcess(present) || (isOfThisDirectory(present) && isFormer(present));
    }

    /// Where nothing was noted, the directory has to do: but none of its former processes can come behind this one.
    private boolean isFormer(Registered present) {
        Set<UUID> former = own.former();
        return former == null
                ? !everEnrolled
                : former.contains(present.registration().incarnation());
    }

    private boolean isOfThisDirectory(Registered present) {
        return present.registration().directory().equals(own.directory());
    }

    private boolean isOfThisProcess(Registered present) {
        return present.registration().incarnation().equals(own.incarnation());
    }

    void committed() {
        enrolled = true;
        everEnrolled = true;
    }

    /// The outcome was unknown; this is what the store holds.
    void looked(ClusterView view) {
        enrolled = isIn(view);
        everEnrolled |= enrolled;
    }

    /// The present registration of this broker's id is the one that was made here last.
    boolean isIn(ClusterView view) {
        Registered present = view.brokersAndMembers().registered().get(own.id());
        return present != null && isOfThisProcess(present) && present.epoch() != staleEpoch;
    }

    /// Another process is registered under this broker's id.
    boolean isTakenIn(ClusterView view) {
        Registered present = view.brokersAndMembers().registered().get(own.id());
        return present != null && !isOfThisProcess(present);
    }

    /// A new session: what was registered for the old one is gone, or will be.
    void expired() {
        enrolled = false;
        seen = false;
    }

    /// Registered, and the store has told so.
    boolean isEnrolled() {
        return enrolled && seen;
    }
}
