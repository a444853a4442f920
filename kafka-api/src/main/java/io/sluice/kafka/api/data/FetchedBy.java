package io.sluice.kafka.api.data;

import io.sluice.kafka.wire.message.FetchRequest;

/// Who fetches: a client, or a broker that copies. Immutable.
sealed interface FetchedBy {
    /// @param rack where the client says it is; empty when it does not say
    /// @param nearest it understands that a replica other than the leader may serve it (KIP-392)
    record Consumer(String rack, boolean nearest) implements FetchedBy {}

    /// @param epoch of the broker's registration, -1 when it does not say (before version 15)
    record Replica(int broker, long epoch) implements FetchedBy {}

    short WITH_RACK = 11;
    short WITH_REPLICA_STATE = 15;

    static FetchedBy of(FetchRequest request, short version) {
        int replica =
                version >= WITH_REPLICA_STATE
                        ? request.replicaState().replicaId()
                        : request.replicaId();
        if (replica >= 0) {
            return new Replica(replica, request.replicaState().replicaEpoch());
        }
        return new Consumer(request.rackId(), version >= WITH_RACK);
    }
}
