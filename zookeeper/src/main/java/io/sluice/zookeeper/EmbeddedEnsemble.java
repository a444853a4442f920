package io.sluice.zookeeper;

import io.sluice.zookeeper.EnsembleSettings.Member;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.security.sasl.SaslException;
import org.apache.zookeeper.server.ZooKeeperServer;
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

    private static final Duration END_LIMIT = Duration.ofSeconds(15);

    private final Member self;
    private final Consumer<String> onFailure;
    private final CompletableFuture<QuorumPeer> started = new CompletableFuture<>();

    /// Its ports are bound, be it by the server or by what stands in for it until it is known how to begin.
    private final CompletableFuture<Boolean> bound = new CompletableFuture<>();

    private final Thread thread;
    private volatile @Nullable OldSnapshots oldSnapshots;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean closing;

    /// For whom it waits before it begins, since it has no data.
    private volatile List<Member> missing = List.of();

    private EmbeddedEnsemble(
            EnsembleSettings settings,
            Member self,
            Consumer<String> onFailure,
            QuorumPeerConfig config) {
        this.self = self;
        this.onFailure = onFailure;
        this.thread =
                Thread.ofPlatform()
                        .name("sluice-ensemble-" + self.id())
                        .daemon()
                        .unstarted(() -> live(settings, config));
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
        } catch (IOException | QuorumPeerConfig.ConfigException e) {
            throw failure(self, folder, e);
        }
        EmbeddedEnsemble ensemble = new EmbeddedEnsemble(settings, self, onFailure, config);
        RUNNING.add(ensemble);
        ensemble.thread.start();
        try {
            ensemble.bound.get();
        } catch (ExecutionException | InterruptedException e) {
            ensemble.close();
            throw failure(self, folder, e.getCause() == null ? e : e.getCause());
        }
        ensemble.purge(config);
        return ensemble;
    }

    /// The server may have ended by itself since its ports were bound, and whoever closes it then has not found this thread: it would go on in a folder that nobody guards any more.
    void purge(QuorumPeerConfig config) {
        if (closed.get()) {
            return;
        }
        OldSnapshots made =
                new OldSnapshots(
                        config.getDataDir(),
                        config.getDataLogDir(),
                        config.getSnapRetainCount(),
                        Duration.ofHours(config.getPurgeInterval()));
        oldSnapshots = made;
        if (closed.get()) {
            made.close();
        }
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
                        + Sentences.remedy(cause),
                cause);
    }

    /// The life of the server, on its own thread.
    private void live(EnsembleSettings settings, QuorumPeerConfig config) {
        Body body = new Body();
        try {
            if (FirstSnapshot.isMissing(config.getDataDir(), config.getDataLogDir())) {
                begin(settings, config);
            }
            body.runFromConfig(config);
            failed("it has stopped");
        } catch (Throwable e) {
            started.completeExceptionally(e);
            if (!bound.completeExceptionally(e)) {
                failed(e.toString());
            }
        }
    }

    private void begin(EnsembleSettings settings, QuorumPeerConfig config)
            throws IOException, InterruptedException {
        FirstStart.Beginning beginning;
        try (FirstStart first = new FirstStart(settings, self)) {
            bound.complete(true);
            beginning = first.decide(this::waitFor);
        }
        missing = List.of();
        switch (beginning) {
            case ONE_OF_THE_FIRST ->
                    FirstSnapshot.ensure(config.getDataDir(), config.getDataLogDir());
            case WITHOUT_A_VOTE ->
                    LOG.warn(
                            "Member {} of the ensemble has no data, and others have: it does not vote until it has theirs",
                            self.id());
        }
    }

    private void waitFor(List<Member> silent) {
        missing = List.copyOf(silent);
        if (!silent.isEmpty()) {
            LOG.info(Sentences.missing(self, silent));
        }
    }

    /// A sentence on the members without which this one, that has no data, does not begin; empty when it waits for none.
    public String waitsFor() {
        List<Member> silent = missing;
        return silent.isEmpty() ? "" : Sentences.missing(self, silent);
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
            IOException end = new IOException("ZooKeeper ends with code " + code);
            member.started.completeExceptionally(end);
            if (!member.bound.completeExceptionally(end)) {
                member.failed("ZooKeeper wanted to end the process with code " + code);
                member.closing = true;
                // Not here: this is a thread of the server that is to be stopped.
                Thread.ofVirtual().start(member::close);
            }
        }
    }

    /// `LEADING`, `FOLLOWING`, `LOOKING` while there is no majority, `NEW` while it is not known whether it may vote; for people and metrics.
    public String role() {
        if (!started.isDone() && !closing) {
            return "NEW";
        }
        QuorumPeer peer =
                started.isDone() && !started.isCompletedExceptionally() ? started.join() : null;
        return peer == null || !peer.isAlive() ? "STOPPED" : peer.getPeerState().name();
    }

    /// Whether it has joined the others, has their data, and answers clients. Its role says so before: a follower follows while it still copies.
    public boolean serves() {
        if (!started.isDone() || started.isCompletedExceptionally()) {
            return false;
        }
        ZooKeeperServer server = started.join().getActiveServer();
        return server != null && server.isRunning();
    }

    /// Ends a session as if its time had run out; for tests.
    void expire(long session) {
        started.join().getActiveServer().closeSession(session);
    }

    /// Ends the server for good. Nothing happens when that has begun before.
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        closing = true;
        RUNNING.remove(this);
        OldSnapshots purging = oldSnapshots;
        if (purging != null) {
            purging.close();
        }
        if (started.isDone() && !started.isCompletedExceptionally()) {
            shutDown(started.join());
        } else {
            thread.interrupt(); // It may wait for the others.
        }
        awaitEnd();
    }

    /// One whose disk fails may not manage the whole of it; that it must not go on it knows by then.
    private static void shutDown(QuorumPeer peer) {
        try {
            peer.shutdown();
        } catch (RuntimeException e) {
            LOG.warn("The ZooKeeper server of this broker did not end in order: {}", e.toString());
        }
    }

    /// A server whose disk hangs must not keep its broker from ending.
    private void awaitEnd() {
        try {
            if (!thread.join(END_LIMIT)) {
                LOG.warn("The ZooKeeper server of this broker does not end; it is left behind");
            }
        } catch (InterruptedException _) {
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
                    if (closing) {
                        return; // It was to wait for the others, and does not need to any more.
                    }
                    super.start();
                    started.complete(this);
                    bound.complete(true);
                }
            };
        }
    }
}
