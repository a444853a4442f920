package io.sluice.controller;

import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What a broker says of itself when it joins the cluster. Immutable. See `docs/formats/cluster-nodes.md`.
///
/// @param incarnation of this process: fresh at every start
/// @param directory of the data directory, for the life of that directory: tells a broker that came back without its data
/// @param clusterId to which the data directory belongs; null for a new one, which joins whatever cluster it finds
/// @param cleanEpoch the broker epoch in which this data directory was last closed cleanly, or [#UNCLEAN]
/// @param boot of the machine, another one after every power loss; null when there is none to be trusted
/// @param former incarnations that this data directory has noted as its own before this one; null when none was ever noted, as by versions that did not
public record Registration(
        int id,
        String host,
        int port,
        @Nullable String rack,
        UUID incarnation,
        UUID directory,
        @Nullable String clusterId,
        long cleanEpoch,
        @Nullable UUID boot,
        @Nullable Set<UUID> former) {
    /// The last stop was a crash, or there was none.
    public static final long UNCLEAN = -1;

    public Registration {
        former = former == null ? null : Set.copyOf(former);
    }

    /// Nothing was noted of former incarnations.
    public Registration(
            int id,
            String host,
            int port,
            @Nullable String rack,
            UUID incarnation,
            UUID directory,
            @Nullable String clusterId,
            long cleanEpoch,
            @Nullable UUID boot) {
        this(id, host, port, rack, incarnation, directory, clusterId, cleanEpoch, boot, null);
    }
}
