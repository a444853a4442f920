package io.sluice.broker;

import io.sluice.env.Coordination;
import io.sluice.env.os.DataDirectory;
import io.sluice.zookeeper.EmbeddedEnsemble;
import io.sluice.zookeeper.EnsembleSettings;
import io.sluice.zookeeper.ZooKeeperCoordination;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The metadata store of a cluster, and the part of it that this broker runs. Apart, so that a single node loads nothing of ZooKeeper. Stateless.
final class ClusterStore {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterStore.class);
    private static final String FOLDER = "ensemble";

    private ClusterStore() {}

    static Coordination open(
            Lifecycle parts, ClusterConfig cluster, int nodeId, DataDirectory data) {
        EnsembleSettings ensemble = cluster.ensemble();
        if (ensemble.members().isEmpty()) {
            return parts.own("metadata store", ZooKeeperCoordination.open(cluster.zookeeper()));
        }
        EnsembleSettings.Member self = ensemble.find(nodeId);
        if (self != null) {
            parts.own(
                    "ensemble member",
                    EmbeddedEnsemble.start(
                            ensemble, self, data.path().resolve(FOLDER), LOG::error));
        }
        return parts.own(
                "metadata store",
                ZooKeeperCoordination.open(ensemble.clients(cluster.zookeeper())));
    }
}
