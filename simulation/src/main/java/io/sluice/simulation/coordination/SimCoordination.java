package io.sluice.simulation.coordination;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One process's door to the [SimStore].
///
/// ```
///               signs of life unanswered, or the world breaks it
///   connected ───────────────────────────────────────────────────▶ suspended: whoever waits is told that nothing is known
///       ▲                                                              │ tries again
///       └──────── loaded, after "expired" when the session is over ◀───┘
/// ```
/// Answers and news come in the order in which the store gave them. Owned by its world; dies with its process.
public final class SimCoordination implements Coordination {
    private static final long BEAT_NANOS = 1_000_000_000L;
    private static final long RETRY_NANOS = 300_000_000L;
    private static final long LONGEST_LOOK_NANOS = 2_000_000L;

    private final SimStore store;
    private final SimWorld world;
    private final String machine;
    private final SimProcess process;
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private @Nullable Mailbox watcherHome;
    private @Nullable Watcher watcher;
    private boolean watching;
    private boolean loadedTold;
    private boolean connected;
    private boolean doomed;
    private boolean connecting;
    private boolean left;
    private int connection;
    private long session = -1;
    private boolean hadSession;
    private long answeredAtNanos;
    private long lastArrivalNanos;
    private long lastSentNanos;
    private long lastLookNanos;
    private long slowNanos;

    SimCoordination(SimStore store, String machine, SimProcess process) {
        this.store = store;
        this.world = store.world();
        this.machine = machine;
        this.process = process;
    }

    public String machine() {
        return machine;
    }

    /// Whose door it is.
    public SimProcess process() {
        return process;
    }

    boolean isAlive() {
        return process.isAlive() && !left;
    }

    void slow(Duration longest) {
        slowNanos = longest.toNanos();
    }

    /// What it sends arrives in the order in which it was sent.
    long arrivalNanos(long earliest) {
        lastSentNanos = Math.max(lastSentNanos, earliest);
        return lastSentNanos;
    }

    /// The session is there before the first question, if the store is; a real client waits for it.
    void begin() {
        if (store.isReachable(machine)) {
            connection++;
            session = store.connect(this, session, connection);
            hadSession = true;
            connected = true;
            answeredAtNanos = world.clock().monotonicNanos();
        }
        world.schedule(process, "store beat", connected ? BEAT_NANOS : RETRY_NANOS, this::beat);
    }

    /// Something on the present connection did not arrive, so that nothing behind it may.
    void somethingLost() {
        doomed = true;
    }

    /// The process says that it stops.
    public void leave() {
        left = true;
        connected = false;
        store.leave(this, session);
    }

    @Override
    public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
        Reply<SortedMap<String, Node>> reply = new Reply<>();
        ask(
                home,
                answer ->
                        answer.accept(
                                () -> {
                                    SortedMap<String, Node> found = store.load(path);
                                    return () -> reply.complete(found);
                                }),
                () ->
                        reply.fail(
                                new IllegalStateException(
                                        "The metadata store cannot be reached.")));
        return reply;
    }

    @Override
    public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
        Reply<Outcome> reply = new Reply<>();
        List<Change> asked = List.copyOf(changes);
        ask(
                home,
                answer -> {
                    String conflict = store.commit(this, session, asked);
                    Outcome outcome =
                            conflict == null
                                    ? new Outcome.Committed()
                                    : new Outcome.Conflict(conflict);
                    answer.accept(() -> () -> reply.complete(outcome));
                },
                () -> reply.complete(new Outcome.Unknown("The connection to the store broke.")));
        return reply;
    }

    @Override
    public void watch(Mailbox home, Watcher told) {
        watcherHome = home;
        watcher = told;
        if (connected) {
            beginToWatch();
        }
    }

    private void beginToWatch() {
        int on = connection;
        store.receive(
                this,
                () -> {
                    if (on == connection && store.hear(session, on)) {
                        watching = true;
                        tellWatcher(on, this::loaded);
                    }
                });
    }

    private Consumer<Watcher> loaded() {
        SortedMap<String, Node> all = store.all();
        return present -> {
            loadedTold = true;
            present.loaded(all);
        };
    }

    /// Something is asked of the store, and whoever asks hears of it exactly once.
    private void ask(
            Mailbox home, Consumer<Consumer<Supplier<Runnable>>> atStore, Runnable unanswered) {
        if (!connected) {
            world.schedule(process, "store", 0, () -> home.run(unanswered));
            return;
        }
        int on = connection;
        boolean[] told = {false};
        Runnable giveUp =
                () -> {
                    if (!told[0]) {
                        told[0] = true;
                        home.run(unanswered);
                    }
                };
        waiting.add(giveUp);
        store.receive(
                this,
                () -> {
                    if (!store.hear(session, on)) {
                        return; // The client will find out that the session is over.
                    }
                    atStore.accept(
                            look ->
                                    leave(
                                            on,
                                            () -> {
                                                Runnable answer = look.get();
                                                return () -> {
                                                    waiting.remove(giveUp);
                                                    if (!told[0]) {
                                                        told[0] = true;
                                                        home.run(answer);
                                                    }
                                                };
                                            }));
                });
    }

    /// What is told is looked at when it leaves, a little later: by then the store may have moved on, so that several changes are told as one.
    private void leave(int on, Supplier<Runnable> look) {
        long now = world.clock().monotonicNanos();
        lastLookNanos = Math.max(lastLookNanos, now + store.entropy().below(LONGEST_LOOK_NANOS));
        world.schedule(store.process(), "look", lastLookNanos - now, () -> send(on, look.get()));
    }

    /// From the store to the process, in order.
    private void send(int on, Runnable work) {
        if (on != connection || !connected) {
            return;
        }
        if (doomed || !store.canAnswer(machine)) {
            doomed = true;
            return;
        }
        long now = world.clock().monotonicNanos();
        long slow = slowNanos == 0 ? 0 : store.entropy().below(slowNanos);
        long arrival = Math.max(lastArrivalNanos, now + store.answerDelayNanos(machine) + slow);
        lastArrivalNanos = arrival;
        world.schedule(
                process,
                "from store",
                arrival - now,
                () -> {
                    if (on == connection && connected) {
                        answeredAtNanos = world.clock().monotonicNanos();
                        work.run();
                    }
                });
    }

    /// Something is different in the store; each node is told by itself, in any order.
    void news(List<String> changed) {
        if (!watching || !connected) {
            return;
        }
        List<String> paths = new ArrayList<>(changed);
        while (!paths.isEmpty()) {
            String path = paths.remove(store.entropy().below(paths.size()));
            tellWatcher(
                    connection,
                    () -> {
                        Node node = store.all().get(path);
                        return present -> present.changed(path, node);
                    });
        }
    }

    private void tellWatcher(int on, Supplier<Consumer<Watcher>> look) {
        Watcher present = watcher;
        Mailbox home = watcherHome;
        if (present != null && home != null) {
            leave(
                    on,
                    () -> {
                        Consumer<Watcher> news = look.get();
                        return () -> home.run(() -> news.accept(present));
                    });
        }
    }

    private void beat() {
        if (left) {
            return;
        }
        world.schedule(process, "store beat", connected ? BEAT_NANOS : RETRY_NANOS, this::beat);
        if (!connected) {
            connectAgain();
            return;
        }
        long silence = world.clock().monotonicNanos() - answeredAtNanos;
        if (doomed || silence > store.sessionTimeout().toNanos() * 2 / 3) {
            connectionLost();
            return;
        }
        int on = connection;
        store.receive(
                this,
                () -> {
                    if (store.hear(session, on)) {
                        send(on, () -> {});
                    } else if (on == connection) {
                        // Only closed: what the session's end means is told on the next connection.
                        world.schedule(process, "store hung up", 0, () -> hungUp(on));
                    }
                });
    }

    private void hungUp(int on) {
        if (on == connection && connected) {
            connectionLost();
        }
    }

    /// Whoever waits is told; the process itself hears of it in its own time.
    void connectionLost() {
        if (!connected || !isAlive()) {
            return;
        }
        connected = false;
        watching = false;
        boolean tellWatcher = loadedTold;
        loadedTold = false;
        List<Runnable> told = List.copyOf(waiting);
        waiting.clear();
        Watcher present = watcher;
        Mailbox home = watcherHome;
        world.schedule(
                process,
                "store lost",
                0,
                () -> {
                    if (tellWatcher && present != null && home != null) {
                        home.run(present::suspended);
                    }
                    told.forEach(Runnable::run);
                });
    }

    private void connectAgain() {
        if (connecting || !store.isReachable(machine)) {
            return;
        }
        connecting = true;
        int next = connection + 1;
        store.receive(
                this,
                () -> {
                    long before = session;
                    session = store.connect(this, before, next);
                    connection = next;
                    long delay = store.answerDelayNanos(machine);
                    world.schedule(process, "store back", delay, () -> back(before));
                });
        world.schedule(process, "store slow", RETRY_NANOS * 3, () -> connecting = false);
    }

    private void back(long sessionBefore) {
        if (connected) {
            return;
        }
        connecting = false;
        connected = true;
        doomed = false;
        lastArrivalNanos = world.clock().monotonicNanos();
        answeredAtNanos = lastArrivalNanos;
        Watcher present = watcher;
        Mailbox home = watcherHome;
        if (present == null || home == null) {
            hadSession = true;
            return;
        }
        if (hadSession && session != sessionBefore) {
            home.run(present::expired);
        }
        hadSession = true;
        beginToWatch();
    }
}
