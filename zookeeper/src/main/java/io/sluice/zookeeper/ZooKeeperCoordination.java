package io.sluice.zookeeper;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The metadata store of a cluster, kept by a ZooKeeper ensemble.
///
/// ```
///               ┌──────────────── connection lost ────────────────┐
///               ▼                                                  │
///   (start) ─▶ AWAY ── connected: read all ──▶ READING ── read ──▶ FOLLOWING
///                                                 │   told: expired if the session is another, then loaded
///                                                 └── connection lost ──▶ AWAY
/// ```
/// The tree is mirrored here by one recursive watch, so that loading is a `sync` and a look at the mirror. A session is kept through any outage
/// of the ensemble: only ZooKeeper ends it. `sync` alone does not help against a deposed leader that has not noticed; it need not, because
/// whatever is decided on what was read is committed by compare-and-set.
///
/// Everything happens on the store's own thread, where callers only post. Thread-safe.
public final class ZooKeeperCoordination implements Coordination, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperCoordination.class);
    private static final Duration SAY_THAT_WE_WAIT = Duration.ofSeconds(5);
    private static final Duration READ_AGAIN = Duration.ofMillis(500);
    private static final Duration TRY_AGAIN = Duration.ofSeconds(1);
    private static final Duration LOOK_HOME = Duration.ofSeconds(1);

    private final ZooKeeperSettings settings;
    private final ZnodePaths paths;
    private final ScheduledThreadPoolExecutor own;
    private final EnsembleConnection connection;
    private final WayHome wayHome;
    private final CompletableFuture<Boolean> started = new CompletableFuture<>();
    private State state = State.AWAY;
    private @Nullable ZooKeeper keeper;
    private @Nullable TreeReader reader;
    private Mirror mirror = new Mirror();
    private @Nullable Watching watching;
    private int commitsUnderWay;
    private volatile long session;

    private enum State {
        AWAY,
        READING,
        FOLLOWING,
        CLOSED
    }

    private record Watching(Mailbox home, Watcher watcher) {}

    private ZooKeeperCoordination(ZooKeeperSettings settings, BooleanSupplier ownServes) {
        this.settings = settings;
        this.paths = new ZnodePaths(settings.root());
        this.own =
                new ScheduledThreadPoolExecutor(
                        1,
                        work ->
                                Thread.ofPlatform()
                                        .name("sluice-zookeeper")
                                        .daemon()
                                        .unstarted(work));
        own.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.connection = new EnsembleConnection(settings, this::heardOfConnection);
        this.wayHome = new WayHome(connection, ownServes);
    }

    /// Of an ensemble of which this process runs no member.
    public static ZooKeeperCoordination open(ZooKeeperSettings settings) {
        return open(settings, () -> false);
    }

    /// Connects, and waits until the whole tree is read. Throws [StoreUnreachable] with a sentence when that takes too long or is refused.
    ///
    /// @param ownServes whether the member of the ensemble that this process runs answers clients
    public static ZooKeeperCoordination open(
            ZooKeeperSettings settings, BooleanSupplier ownServes) {
        JuteBuffer.prepare();
        ZooKeeperCoordination store = new ZooKeeperCoordination(settings, ownServes);
        boolean open = false;
        try {
            store.connection.start();
            store.awaitStart();
            store.later(LOOK_HOME, store::lookHome);
            open = true;
            return store;
        } finally {
            if (!open) {
                store.close();
            }
        }
    }

    private void awaitStart() {
        long deadline = System.nanoTime() + settings.startTimeout().toNanos();
        while (true) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new StoreUnreachable(Sentences.unreachable(settings));
            }
            try {
                started.get(Math.min(left, SAY_THAT_WE_WAIT.toNanos()), TimeUnit.NANOSECONDS);
                return;
            } catch (TimeoutException _) {
                LOG.info("Waiting for ZooKeeper at {}", settings.where());
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                throw cause instanceof StoreUnreachable known
                        ? known
                        : new StoreUnreachable("ZooKeeper's client fails: " + cause, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoreUnreachable("Interrupted while waiting for ZooKeeper", e);
            }
        }
    }

    // The connection's turns.

    /// On ZooKeeper's thread.
    private void heardOfConnection(WatchedEvent event) {
        if (event.getType() != EventType.None) {
            return;
        }
        switch (event.getState()) {
            case SyncConnected -> run(this::connected);
            case Disconnected, Expired, Closed -> run(this::lost);
            case AuthFailed ->
                    run(() -> refused(Sentences.notLetIn(settings, settings.root(), "AUTHFAILED")));
            default -> {} // Read-only and SASL connections are never asked for.
        }
    }

    private void connected() {
        if (state != State.AWAY) {
            return;
        }
        ZooKeeper present;
        try {
            present = connection.keeper();
        } catch (Exception e) {
            LOG.warn("The new connection to ZooKeeper is gone again: {}", e.toString());
            return;
        }
        keeper = present;
        long before = session;
        session = present.getSessionId();
        if (before != 0 && before != session) {
            LOG.warn("ZooKeeper has ended the session of this broker; a new one has begun");
            tell(Watcher::expired);
        }
        state = State.READING;
        readAll(present);
    }

    private void readAll(ZooKeeper present) {
        TreeReader fresh =
                new TreeReader(present, paths, connection.access(), this::run, new Told());
        reader = fresh;
        fresh.begin(this::heardOfTree);
        fresh.whenSettled(
                read -> {
                    if (fresh.equals(reader) && !fresh.isBroken()) {
                        take(present, read);
                    }
                });
    }

    private void take(ZooKeeper present, Mirror read) {
        String older = read.findOlderThan(mirror);
        if (older != null) {
            LOG.warn(
                    "ZooKeeper shows an older state of {} than before; reading again. If the"
                            + " ensemble was restored from a backup, restart the brokers.",
                    older);
            later(
                    READ_AGAIN,
                    () -> {
                        if (state == State.READING && present.equals(keeper)) {
                            readAll(present);
                        }
                    });
            return;
        }
        if (started.isDone()) {
            LOG.info("The connection to ZooKeeper is back");
        }
        mirror = read;
        state = State.FOLLOWING;
        tellAll();
        started.complete(true);
    }

    /// On ZooKeeper's thread.
    private void heardOfTree(WatchedEvent event) {
        if (event.getType() != EventType.None) {
            run(
                    () -> {
                        TreeReader present = reader;
                        if (present != null) {
                            present.changed(event);
                        }
                    });
        }
    }

    private void lost() {
        State before = state;
        if (before == State.AWAY || before == State.CLOSED) {
            return;
        }
        state = State.AWAY;
        TreeReader last = reader;
        reader = null;
        if (last != null) {
            last.giveUp();
        }
        if (before == State.FOLLOWING) {
            LOG.warn("The connection to ZooKeeper is lost");
            tell(Watcher::suspended);
        }
    }

    private void lookHome() {
        if (state == State.FOLLOWING && commitsUnderWay == 0) {
            wayHome.look();
        }
        if (state != State.CLOSED) {
            later(LOOK_HOME, this::lookHome);
        }
    }

    private void refused(String sentence) {
        LOG.error(sentence);
        started.completeExceptionally(new StoreUnreachable(sentence));
    }

    // The door.

    @Override
    public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
        Reply<SortedMap<String, Node>> reply = new Reply<>();
        runOr(() -> load(home, path, reply), () -> fail(home, reply));
        return reply;
    }

    private void load(Mailbox home, String path, Reply<SortedMap<String, Node>> reply) {
        ZooKeeper present = keeper;
        TreeReader following = reader;
        if (state != State.FOLLOWING || present == null || following == null) {
            fail(home, reply);
            return;
        }
        Consumer<Mirror> loaded =
                read -> {
                    if (following.isBroken()) {
                        fail(home, reply);
                    } else {
                        SortedMap<String, Node> found = read.copyBelow(path);
                        answer(home, () -> reply.complete(found));
                    }
                };
        present.sync(
                paths.root(),
                (code, _, _) ->
                        run(
                                () -> {
                                    if (code == Code.OK.intValue()) {
                                        following.whenSettled(loaded);
                                    } else {
                                        fail(home, reply);
                                    }
                                }),
                null);
    }

    private void fail(Mailbox home, Reply<SortedMap<String, Node>> reply) {
        answer(home, () -> reply.fail(new StoreUnreachable(Sentences.away(settings))));
    }

    @Override
    public long largestCommitBytes() {
        return settings.largestRequest();
    }

    @Override
    public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
        Reply<Outcome> reply = new Reply<>();
        if (changes.isEmpty()) {
            answer(home, () -> reply.complete(new Outcome.Committed()));
            return reply;
        }
        Transaction transaction = Transaction.of(changes, paths, connection.access());
        runOr(() -> commit(home, transaction, reply), () -> notSent(home, reply));
        return reply;
    }

    private void commit(Mailbox home, Transaction transaction, Reply<Outcome> reply) {
        ZooKeeper present = keeper;
        TreeReader following = reader;
        if (state != State.FOLLOWING || present == null || following == null) {
            notSent(home, reply);
            return;
        }
        if (transaction.bytes() > settings.largestRequest()) {
            String sentence = Sentences.tooLarge(settings, transaction);
            answer(home, () -> reply.fail(new CommitRefused(sentence)));
            return;
        }
        // Sent before the commit on the same connection, and so done before it.
        transaction.foldersAbove(paths).stream()
                .filter(folder -> !following.mirror().hasFolder(folder))
                .forEach(following::makeFolder);
        AsyncCallback.MultiCallback answered =
                (number, _, _, results) -> {
                    Code code = TreeReader.code(number);
                    Outcome outcome = transaction.outcome(code, results);
                    run(
                            () -> {
                                commitsUnderWay--;
                                following.whenCaughtUp(() -> answer(home, reply, outcome, code));
                            });
                };
        try {
            present.multi(transaction.operations(), answered, null);
            commitsUnderWay++; // Its answer is taken on this thread, later.
        } catch (RuntimeException e) {
            // A path that ZooKeeper does not take.
            answer(home, () -> reply.fail(e));
        }
    }

    private void notSent(Mailbox home, Reply<Outcome> reply) {
        Outcome away = new Outcome.Unknown(Sentences.away(settings));
        answer(home, () -> reply.complete(away));
    }

    private void answer(Mailbox home, Reply<Outcome> reply, @Nullable Outcome outcome, Code code) {
        if (outcome != null) {
            answer(home, () -> reply.complete(outcome));
        } else {
            String sentence =
                    code == Code.NOAUTH
                            ? Sentences.notLetIn(settings, settings.root(), code.toString())
                            : "ZooKeeper refuses the commit: " + code;
            answer(home, () -> reply.fail(new CommitRefused(sentence)));
        }
    }

    @Override
    public void watch(Mailbox home, Watcher watcher) {
        run(
                () -> {
                    watching = new Watching(home, watcher);
                    if (state == State.FOLLOWING) {
                        tellAll();
                    }
                });
    }

    // What is told.

    private void tellAll() {
        SortedMap<String, Node> all = mirror.copyBelow("");
        tell(watcher -> watcher.loaded(all));
    }

    private void tell(Consumer<Watcher> news) {
        Watching told = watching;
        if (told != null) {
            answer(told.home(), () -> news.accept(told.watcher()));
        }
    }

    private final class Told implements TreeReader.Listener {
        @Override
        public void changed(String path, @Nullable Node node) {
            // While all is read for the first time, only the whole is told.
            if (state == State.FOLLOWING) {
                tell(watcher -> watcher.changed(path, node));
            }
        }

        @Override
        public void failed(Code code, String znode) {
            refused(Sentences.notLetIn(settings, znode, code.toString()));
            // Somebody may put it right while the connection lasts.
            lost();
            later(TRY_AGAIN, ZooKeeperCoordination.this::connected);
        }
    }

    /// An owner that has stopped no longer wants its answer, and must not keep the others from theirs.
    private static void answer(Mailbox home, Runnable completion) {
        try {
            home.post(completion);
        } catch (RuntimeException e) {
            LOG.warn("An answer of ZooKeeper found nobody", e);
        }
    }

    // The store's thread.

    private void run(Runnable work) {
        runOr(work, () -> {});
    }

    private void runOr(Runnable work, Runnable afterClose) {
        try {
            own.execute(guarded(work));
        } catch (RejectedExecutionException _) {
            afterClose.run();
        }
    }

    private void later(Duration delay, Runnable work) {
        var _ = own.schedule(guarded(work), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Runnable guarded(Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable e) {
                LOG.error("A bug in the metadata store", e);
            }
        };
    }

    /// Whether it is connected with the own member; for tests.
    boolean isHome() {
        return connection.isHome();
    }

    /// Of ZooKeeper; for tests, which end it from elsewhere.
    long session() {
        return session;
    }

    /// Ends the session: all that was created for it is gone when this returns, if the ensemble can be reached.
    @Override
    public void close() {
        run(this::lostForGood);
        connection.close();
        own.shutdown();
    }

    private void lostForGood() {
        TreeReader last = reader;
        reader = null;
        state = State.CLOSED;
        if (last != null) {
            last.giveUp();
        }
    }
}
