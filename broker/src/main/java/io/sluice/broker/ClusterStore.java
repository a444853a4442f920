package io.sluice.broker;

import io.sluice.env.Coordination;
import io.sluice.env.os.DataDirectory;
import io.sluice.env.os.LocalCoordination;
import io.sluice.zookeeper.EmbeddedEnsemble;
import io.sluice.zookeeper.EnsembleSettings;
import io.sluice.zookeeper.LocalImport;
import io.sluice.zookeeper.StoreUnreachable;
import io.sluice.zookeeper.ZooKeeperCoordination;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The metadata store of a cluster, and the part of it that this broker runs. Apart, so that a single node loads nothing of ZooKeeper. Stateless.
final class ClusterStore {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterStore.class);
    private static final String FOLDER = "ensemble";
    private static final int IMPORT_TRIES = 30;
    private static final long IMPORT_PAUSE_MILLIS = 1_000;

    private ClusterStore() {}

    /// Throws with a sentence for people when the ensemble cannot be reached, or does not let this broker in.
    static Coordination open(
            Lifecycle parts,
            ClusterConfig cluster,
            int nodeId,
            DataDirectory data,
            BrokerThreads threads) {
        ZooKeeperCoordination store;
        try {
            store = join(parts, cluster, nodeId, data);
        } catch (StoreUnreachable e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
        if (!data.disk().list(DataDirectory.META).isEmpty()) {
            takeOver(store, nodeId, data, threads);
        }
        return store;
    }

    private static ZooKeeperCoordination join(
            Lifecycle parts, ClusterConfig cluster, int nodeId, DataDirectory data) {
        EnsembleSettings ensemble = cluster.ensemble();
        EnsembleSettings.Member self = ensemble.find(nodeId);
        if (self == null) {
            return parts.own(
                    "metadata store",
                    ZooKeeperCoordination.open(
                            ensemble.members().isEmpty()
                                    ? cluster.zookeeper()
                                    : ensemble.clients(cluster.zookeeper(), nodeId)));
        }
        EnsemblePorts.requireFree(self);
        EmbeddedEnsemble member =
                parts.own(
                        "ensemble member",
                        EmbeddedEnsemble.start(
                                ensemble, self, data.path().resolve(FOLDER), LOG::error));
        try {
            return parts.own(
                    "metadata store",
                    ZooKeeperCoordination.open(
                            ensemble.clients(cluster.zookeeper(), nodeId), member::serves));
        } catch (StoreUnreachable e) {
            String missing = member.waitsFor();
            throw missing.isEmpty() ? e : new StoreUnreachable(missing + " " + e.getMessage(), e);
        }
    }

    /// A single node becomes part of a cluster, with its topics.
    private static void takeOver(
            ZooKeeperCoordination store, int nodeId, DataDirectory data, BrokerThreads threads) {
        try (LocalCoordination local =
                LocalCoordination.open(data.disk(), DataDirectory.META, threads.metadata())) {
            LocalImport copy =
                    new LocalImport(
                            local, store, data.format().clusterId(), nodeId, threads.controller());
            for (int attempt = 1; ; attempt++) {
                switch (run(copy, threads)) {
                    case LocalImport.Result.Done(int copied) -> {
                        if (copied > 0) {
                            LOG.info(
                                    "{} nodes of this node's own metadata are the cluster's now",
                                    copied);
                        }
                        return;
                    }
                    case LocalImport.Result.Refused(String sentence) ->
                            throw new RefusedSetup(sentence, null);
                    case LocalImport.Result.TryAgain(String sentence) -> {
                        if (attempt >= IMPORT_TRIES) {
                            throw new IllegalStateException(sentence);
                        }
                        pause();
                    }
                }
            }
        }
    }

    private static LocalImport.Result run(LocalImport copy, BrokerThreads threads) {
        CompletableFuture<LocalImport.Result> answer = new CompletableFuture<>();
        threads.controller()
                .post(() -> copy.run().then(answer::complete, answer::completeExceptionally));
        return answer.join();
    }

    private static void pause() {
        try {
            Thread.sleep(IMPORT_PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while starting.", e);
        }
    }
}
