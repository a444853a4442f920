package io.sluice.controller;

import io.sluice.env.Coordination.Change;
import java.util.UUID;

/// What the controllers have taken note of about a broker. Immutable. See `docs/formats/cluster-nodes.md`.
///
/// @param epoch of the registration that was admitted last
/// @param directory the data directory it had then
/// @param awaySinceMillis when it was found to be away, or [#PRESENT]
/// @param version of the node in the metadata store
public record Member(
        int id, long epoch, UUID directory, State state, long awaySinceMillis, int version) {
    public static final long PRESENT = -1;
    static final String PATH = "/members";

    /// The version of a member that is not in the store yet.
    static final int NEW = -1;

    public enum State {
        ACTIVE,
        /// Its replicas are on the way to other brokers.
        DRAINING
    }

    public boolean isAway() {
        return awaySinceMillis != PRESENT;
    }

    public boolean isDraining() {
        return state == State.DRAINING;
    }

    Member away(long sinceMillis) {
        return new Member(id, epoch, directory, state, sinceMillis, version);
    }

    Member with(State other) {
        return new Member(id, epoch, directory, other, awaySinceMillis, version);
    }

    Member withVersion(int other) {
        return new Member(id, epoch, directory, state, awaySinceMillis, other);
    }

    /// What brings the store from this member's version to its content.
    Change change() {
        return version == NEW
                ? new Change.Create(path(id), write())
                : new Change.Set(path(id), write(), version);
    }

    static String path(int id) {
        return PATH + "/" + id;
    }

    String write() {
        return NodeText.of("sluice-member 1")
                .line("epoch", epoch)
                .line("directory", directory)
                .line("state", state == State.DRAINING ? "draining" : "active")
                .line("away", awaySinceMillis)
                .toString();
    }

    static Member read(int id, String text, int version) {
        NodeText node = NodeText.read(path(id), "sluice-member 1", text);
        return new Member(
                id,
                node.number("epoch"),
                node.uuid("directory"),
                node.text("state").equals("draining") ? State.DRAINING : State.ACTIVE,
                node.number("away"),
                version);
    }
}
