package io.sluice.controller;

import io.sluice.env.Coordination.Change;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What the controllers have taken note of about a broker. Immutable. See `docs/formats/cluster-nodes.md`.
///
/// @param epoch of the registration that was admitted last
/// @param directory the data directory it had then
/// @param incarnation of the process that was admitted: the same one registers again when it has lost its session, and has crashed as little as it was stopped. Null from before it was noted
/// @param boot of the machine that it ran on; null when it named none
/// @param awaySinceMillis when it was found to be away, or [#PRESENT]
/// @param diskFull its data disk has no room: it should lead nothing that another can
/// @param version of the node in the metadata store
public record Member(
        int id,
        long epoch,
        UUID directory,
        @Nullable UUID incarnation,
        @Nullable UUID boot,
        State state,
        long awaySinceMillis,
        boolean diskFull,
        int version) {
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
        return new Member(
                id, epoch, directory, incarnation, boot, state, sinceMillis, diskFull, version);
    }

    Member with(State other) {
        return new Member(
                id, epoch, directory, incarnation, boot, other, awaySinceMillis, diskFull, version);
    }

    Member withDisk(boolean full) {
        return new Member(
                id, epoch, directory, incarnation, boot, state, awaySinceMillis, full, version);
    }

    Member withVersion(int other) {
        return new Member(
                id, epoch, directory, incarnation, boot, state, awaySinceMillis, diskFull, other);
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
        NodeText text =
                NodeText.of("sluice-member 1").line("epoch", epoch).line("directory", directory);
        if (incarnation != null) {
            text.line("incarnation", incarnation);
        }
        if (boot != null) {
            text.line("boot", boot);
        }
        text.line("state", state == State.DRAINING ? "draining" : "active")
                .line("away", awaySinceMillis);
        if (diskFull) {
            text.line("disk", "full");
        }
        return text.toString();
    }

    static Member read(int id, String text, int version) {
        NodeText node = NodeText.read(path(id), "sluice-member 1", text);
        return new Member(
                id,
                node.number("epoch"),
                node.uuid("directory"),
                node.has("incarnation") ? node.uuid("incarnation") : null,
                node.has("boot") ? node.uuid("boot") : null,
                node.text("state").equals("draining") ? State.DRAINING : State.ACTIVE,
                node.number("away"),
                node.has("disk") && node.text("disk").equals("full"),
                version);
    }
}
