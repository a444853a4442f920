package io.sluice.controller;

import io.sluice.env.Coordination.Change;

/// How fast each broker may copy replicas that are on the move to it, as an operator has ordered for the whole cluster. Immutable. See `docs/formats/cluster-nodes.md`.
///
/// @param bytesPerSecond 0 for no limit; [#UNSET] for what each broker's own settings say
/// @param version of the node in the metadata store; -1 when there is none yet
record MoveLimit(long bytesPerSecond, int version) {
    static final String PATH = "/move-limit";
    static final long UNSET = -1;
    static final MoveLimit NONE = new MoveLimit(UNSET, -1);
    private static final String FORMAT = "sluice-move-limit 1";

    /// What brings the store from this limit to another one.
    Change changeTo(long other) {
        String text = NodeText.of(FORMAT).line("bytes-per-second", other).toString();
        return version < 0 ? new Change.Create(PATH, text) : new Change.Set(PATH, text, version);
    }

    static MoveLimit read(String text, int version) {
        return new MoveLimit(NodeText.read(PATH, FORMAT, text).number("bytes-per-second"), version);
    }
}
