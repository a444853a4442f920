package io.sluice.simulation.coordination;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One process's door to the simulated store.
///
/// ```
///   CONNECTED ── the line has broken, and that is noticed ──▶ AWAY ── a new line ──▶ CONNECTED
/// ```
/// Between the break and its notice everything that is asked goes nowhere. Owned by its world.
public final class SimCoordination implements Coordination {
    private static final long MILLISECOND_NANOS = 1_000_000L;

    private final SimStore store;
    private final SimWorld world;
    private final SimProcess process;
    private final List<Runnable> open = new ArrayList<>();
    private SimStore.@Nullable Session session;
    private @Nullable Line line;
    private @Nullable Watching watching;
    private SortedMap<String, Long> told = new TreeMap<>();
    private boolean following;
    private boolean isCutOff;
    private boolean hasLeft;

    private record Watching(Mailbox home, Watcher watcher) {}

    SimCoordination(SimStore store, SimWorld world, SimProcess process) {
        this.store = store;
        this.world = world;
        this.process = process;
    }

    SimProcess process() {
        return process;
    }

    SimStore.@Nullable Session session() {
        return session;
    }

    void cutOff(boolean cut) {
        isCutOff = cut;
    }

    boolean isCutOff() {
        return isCutOff;
    }

    // The line.

    void connect() {
        if (hasLeft || line != null) {
            return;
        }
        if (isCutOff || !store.isReachable()) {
            tryLater();
            return;
        }
        Line fresh = store.newLine(process);
        SimStore.Session before = session;
        session = store.connect(this, fresh);
        line = fresh;
        if (before != null && !before.equals(session)) {
            tell(Watcher::expired);
        }
        if (watching != null) {
            askForAll(fresh);
        }
    }

    private void tryLater() {
        schedule("connect to the store", store.retryMillis(), this::connect);
    }

    /// Noticed after so many milliseconds.
    void lineBroke(long millis) {
        Line broken = line;
        if (broken != null) {
            schedule(
                    "line is broken",
                    millis,
                    () -> {
                        if (broken.equals(line)) {
                            lost();
                        }
                    });
        }
    }

    private void lost() {
        boolean followed = following;
        line = null;
        following = false;
        List<Runnable> waiting = List.copyOf(open);
        open.clear();
        waiting.forEach(Runnable::run);
        if (followed) {
            tell(Watcher::suspended);
        }
        tryLater();
    }

    private void schedule(String name, long millis, Runnable work) {
        world.schedule(process, name, millis * MILLISECOND_NANOS, work);
    }

    // The door.

    @Override
    public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
        Reply<SortedMap<String, Node>> reply = new Reply<>();
        Line present = line;
        Runnable fail =
                () ->
                        home.post(
                                () ->
                                        reply.fail(
                                                new IllegalStateException(
                                                        "the store cannot be reached")));
        if (present == null) {
            fail.run();
            return reply;
        }
        open.add(fail);
        present.ask(
                () ->
                        present.tell(
                                () -> {
                                    SortedMap<String, Node> found = store.treeAtStore().below(path);
                                    return () -> {
                                        if (open.remove(fail)) {
                                            home.post(() -> reply.complete(found));
                                        }
                                    };
                                }));
        return reply;
    }

    @Override
    public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
        Reply<Outcome> reply = new Reply<>();
        Line present = line;
        SimStore.Session mine = session;
        Runnable unknown =
                () ->
                        home.post(
                                () ->
                                        reply.complete(
                                                new Outcome.Unknown(
                                                        "the store cannot be reached")));
        if (present == null || mine == null) {
            unknown.run();
            return reply;
        }
        List<Change> all = List.copyOf(changes);
        open.add(unknown);
        present.ask(
                () -> {
                    Outcome outcome = store.commit(this, mine, all);
                    if (outcome != null) {
                        present.tell(() -> () -> answer(home, reply, unknown, outcome));
                    }
                });
        if (store.drawsLostCommit()) {
            schedule("line breaks", 0, () -> store.reset(this));
        }
        return reply;
    }

    private void answer(Mailbox home, Reply<Outcome> reply, Runnable unknown, Outcome outcome) {
        if (open.remove(unknown)) {
            home.post(() -> reply.complete(outcome));
        }
    }

    @Override
    public void watch(Mailbox home, Watcher watcher) {
        watching = new Watching(home, watcher);
        Line present = line;
        if (present != null) {
            askForAll(present);
        }
    }

    // What is told.

    private void askForAll(Line present) {
        present.ask(
                () ->
                        present.tell(
                                () -> {
                                    SortedMap<String, Node> all = store.treeAtStore().below("");
                                    SortedMap<String, Long> numbers =
                                            store.treeAtStore().lastChanges();
                                    return () -> {
                                        following = true;
                                        told = numbers;
                                        tell(watcher -> watcher.loaded(all));
                                    };
                                }));
    }

    /// At the store: something has changed. What it is like is looked at when the news leave.
    void announce(Line present, String path) {
        if (watching == null) {
            return;
        }
        present.tell(
                () -> {
                    StoreTree.State state = store.treeAtStore().state(path);
                    return () -> changed(state);
                });
    }

    private void changed(StoreTree.State state) {
        long before = told.getOrDefault(state.path(), 0L);
        if (following && state.number() > before) {
            told.put(state.path(), state.number());
            tell(watcher -> watcher.changed(state.path(), state.node()));
        }
    }

    private void tell(Consumer<Watcher> news) {
        Watching present = watching;
        if (present != null) {
            present.home().post(() -> news.accept(present.watcher()));
        }
    }

    /// The process stops in order: its session ends now.
    public void leave() {
        hasLeft = true;
        line = null;
        following = false;
        store.leave(this);
    }
}
