package io.sluice.zookeeper;

import io.sluice.zookeeper.EnsembleSettings.Member;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import javax.security.sasl.SaslException;
import org.apache.zookeeper.server.DatadirCleanupManager;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.apache.zookeeper.util.ServiceUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One ZooKeeper server inside the broker's process: a member of the cluster's own ensemble.
///
/// It listens on its member's host only, has no admin server, answers the commands `srvr` and `mntr` alone, and forces its log to disk before it
/// answers. Where ZooKeeper would end the process, it ends itself only, and says so; the broker goes on with the other members.
///
/// Members trust each other and their clients by default, as ZooKeeper does: the three ports belong into a network of their own, or behind TLS
/// (`cluster.ensemble.tls`, for the traffic between members) and a user (`cluster.zookeeper.user`, for the data).
///
/// Thread-safe: started and closed by the broker's main thread; ZooKeeper has threads of its own.
public final class EmbeddedEnsemble implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedEnsemble.class);
    private static final List<EmbeddedEnsemble> RUNNING = new CopyOnWriteArrayList<>();

    private final Member self;
    private final Consumer<String> onFailure;
    private final CompletableFuture<QuorumPeer> started = new CompletableFuture<>();
    private final Thread thread;
    private @Nullable DatadirCleanupManager cleanup;
    private volatile boolean closing;

    private EmbeddedEnsemble(Member self, Consumer<String> onFailure, QuorumPeerConfig config) {
        this.self = self;
        this.onFailure = onFailure;
        this.thread =
                Thread.ofPlatform()
                        .name("sluice-ensemble-" + self.id())
                        .daemon()
                        .unstarted(() -> live(config));
    }

    /// Starts the member that this broker runs. Returns when its ports are bound, whether or not the others are there yet.
    ///
    /// @param folder below the broker's data directory
    /// @param onFailure told, with a sentence, when the server has stopped by itself
    public static EmbeddedEnsemble start(
            EnsembleSettings settings, Member self, Path folder, Consumer<String> onFailure) {
        JuteBuffer.prepare();
        EnsembleProperties.prepareProcess();
        ServiceUtils.setSystemExitProcedure(EmbeddedEnsemble::wouldExit);
        QuorumPeerConfig config = new QuorumPeerConfig();
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve("myid"), self.id() + "\n");
            Properties properties = EnsembleProperties.of(settings, self, folder);
            config.parseProperties(properties);
            FirstSnapshot.ensure(config.getDataDir(), config.getDataLogDir());
        } catch (IOException | QuorumPeerConfig.ConfigException e) {
            throw failure(self, folder, e);
        }
        EmbeddedEnsemble ensemble = new EmbeddedEnsemble(self, onFailure, config);
        RUNNING.add(ensemble);
        ensemble.thread.start();
        try {
            ensemble.started.get();
        } catch (ExecutionException | InterruptedException e) {
            ensemble.close();
            throw failure(self, folder, e.getCause() == null ? e : e.getCause());
        }
        ensemble.cleanup =
                new DatadirCleanupManager(
                        config.getDataDir(),
                        config.getDataLogDir(),
                        config.getSnapRetainCount(),
                        config.getPurgeInterval());
        ensemble.cleanup.start();
        return ensemble;
    }

    private static StoreUnreachable failure(Member self, Path folder, Throwable cause) {
        return new StoreUnreachable(
                "The ZooKeeper server of this broker (member "
                        + self.id()
                        + " on "
                        + self.host()
                        + ", ports "
                        + self.quorumPort()
                        + ", "
                        + self.electionPort()
                        + " and "
                        + self.clientPort()
                        + ", data in "
                        + folder
                        + ") does not start: "
                        + cause
                        + ". Check that the host of this member in cluster.ensemble is an address of"
                        + " this machine, that the ports are free, and that the folder is writable.",
                cause);
    }

    /// The life of the server, on its own thread.
    private void live(QuorumPeerConfig config) {
        Body body = new Body();
        try {
            body.runFromConfig(config);
            failed("it has stopped");
        } catch (Throwable e) {
            if (!started.completeExceptionally(e)) {
                failed(e.toString());
            }
        }
    }

    private void failed(String why) {
        if (!closing) {
            String sentence =
                    "The ZooKeeper server of this broker (member "
                            + self.id()
                            + ") has stopped: "
                            + why
                            + ". The broker goes on with the other members; restart it to start the"
                            + " server again.";
            LOG.error(sentence);
            onFailure.accept(sentence);
        }
    }

    /// What ZooKeeper calls instead of ending the process. Whose call it is cannot be told; outside of tests there is but one.
    private static void wouldExit(int code) {
        for (EmbeddedEnsemble member : RUNNING) {
            if (!member.started.completeExceptionally(
                    new IOException("ZooKeeper ends with code " + code))) {
                member.failed("ZooKeeper wanted to end the process with code " + code);
                // Not here: this is a thread of the server that is to be stopped.
                Thread.ofVirtual().start(member::close);
            }
        }
    }

    /// `LEADING`, `FOLLOWING`, `LOOKING` while there is no majority; for people and metrics.
    public String role() {
        QuorumPeer peer =
                started.isDone() && !started.isCompletedExceptionally() ? started.join() : null;
        return peer == null || !peer.isAlive() ? "STOPPED" : peer.getPeerState().name();
    }

    /// Ends a session as if its time had run out; for tests.
    void expire(long session) {
        started.join().getActiveServer().closeSession(session);
    }

    @Override
    public void close() {
        closing = true;
        RUNNING.remove(this);
        if (cleanup != null) {
            cleanup.shutdown();
        }
        if (started.isDone() && !started.isCompletedExceptionally()) {
            started.join().shutdown();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// ZooKeeper's own way to run a member, which tells when it has started.
    private final class Body extends QuorumPeerMain {
        @Override
        protected QuorumPeer getQuorumPeer() throws SaslException {
            return new QuorumPeer() {
                @Override
                public synchronized void start() {
                    super.start();
                    started.complete(this);
                }
            };
        }
    }
}
