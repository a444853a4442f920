package io.sluice.broker;

import io.sluice.env.Coordination;
import io.sluice.env.os.DataDirectory;
import io.sluice.env.os.LocalCoordination;

/// Which metadata store a broker has: a file of its own when it is alone, ZooKeeper when it is one of several. Stateless.
final class MetadataStore {
    private MetadataStore() {}

    static Coordination open(
            Lifecycle parts,
            ClusterConfig cluster,
            int nodeId,
            DataDirectory data,
            BrokerThreads threads) {
        return cluster.isSingleNode()
                ? parts.own(
                        "metadata store",
                        LocalCoordination.open(data.disk(), DataDirectory.META, threads.metadata()))
                : ClusterStore.open(parts, cluster, nodeId, data, threads);
    }
}
