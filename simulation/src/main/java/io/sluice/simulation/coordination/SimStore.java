package io.sluice.simulation.coordination;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The metadata store of a simulated cluster, as strict as an ensemble that has a majority.
///
/// ```
///   session: live ── line broken for the time-out (or longer), or ended at will ──▶ over: its nodes go in one commit
/// ```
/// Owned by its world.
public final class SimStore {
    private final SimWorld world;
    private final SimEntropy entropy;
    private final SimProcess ensemble = new SimProcess("ensemble");
    private final StoreTree tree = new StoreTree();
    private final TreeMap<Long, Session> sessions = new TreeMap<>();
    private final List<SimCoordination> clients = new ArrayList<>();
    private Duration sessionTimeout = Duration.ofSeconds(6);
    private StoreFaults faults = StoreFaults.NONE;
    private Consumer<Made> witness = _ -> {};
    private long lastSession;
    private boolean away;

    /// What the store knows of a process.
    static final class Session {
        final long id;
        private @Nullable Line line;

        /// What is under way on it still arrives, until there is another.
        private @Nullable Line brokenLine;

        private SimWorld.@Nullable Event end;

        Session(long id) {
            this.id = id;
        }
    }

    /// A commit that was made: for invariants.
    ///
    /// @param by the process, or none when the store ended a session
    public record Made(String by, List<Change> changes, SortedMap<String, Node> after) {}

    public SimStore(SimWorld world) {
        this.world = world;
        this.entropy = world.entropy("coordination");
    }

    public void sessionTimeout(Duration timeout) {
        sessionTimeout = timeout;
    }

    public void faults(StoreFaults some) {
        faults = some;
    }

    /// Told of every commit at the moment it is made.
    public void onCommit(Consumer<Made> observer) {
        witness = observer;
    }

    /// What is in the store at this moment, whoever knows it.
    public SortedMap<String, Node> tree() {
        return tree.below("");
    }

    /// The door for one life of a process, with a session of its own.
    public SimCoordination join(SimProcess process) {
        SimCoordination client = new SimCoordination(this, world, process);
        clients.add(client);
        client.connect();
        return client;
    }

    // Faults.

    /// The process is dead. The store does not know; the session ends when its time has run out.
    public void killed(SimProcess process) {
        for (SimCoordination client : List.copyOf(clients)) {
            if (client.process().equals(process)) {
                clients.remove(client);
                breakLine(client.session());
            }
        }
    }

    /// The connection breaks once; the process may connect again.
    public void reset(SimCoordination client) {
        breakLine(client.session());
        client.lineBroke(entropy.between(0, 100));
    }

    /// Nothing passes any more, which the process notices after a while.
    public void cutOff(SimCoordination client) {
        client.cutOff(true);
        breakLine(client.session());
        client.lineBroke(entropy.between(0, (int) (sessionTimeout.toMillis() * 2 / 3)));
    }

    public void reconnect(SimCoordination client) {
        client.cutOff(false);
    }

    /// The store ends the session before the process notices.
    public void expire(SimCoordination client) {
        Session session = client.session();
        if (!away && session != null && sessions.containsKey(session.id)) {
            end(session);
            client.lineBroke(entropy.between(0, 2_000));
        }
    }

    /// Nobody reaches the ensemble, which has no majority. Sessions wait for its return.
    public void goAway() {
        away = true;
        sessions.values().forEach(SimStore::keep);
        for (SimCoordination client : clients) {
            breakLine(client.session());
            client.lineBroke(entropy.between(0, 1_000));
        }
    }

    public void comeBack() {
        if (!away) {
            return;
        }
        away = false;
        for (Session session : sessions.values()) {
            if (session.line == null) {
                awaitEnd(session);
            }
        }
    }

    private static void keep(Session session) {
        SimWorld.Event end = session.end;
        if (end != null) {
            end.cancel();
            session.end = null;
        }
    }

    // Sessions.

    boolean isReachable() {
        return !away;
    }

    /// A line for the process: to its session if that is still live, otherwise to a new one.
    Session connect(SimCoordination client, Line line) {
        Session before = client.session();
        Session session =
                before != null && sessions.containsKey(before.id)
                        ? before
                        : new Session(++lastSession);
        sessions.put(session.id, session);
        drop(session);
        keep(session);
        session.line = line;
        return session;
    }

    private static void drop(Session session) {
        Line present = session.line;
        Line broken = session.brokenLine;
        if (present != null) {
            present.drop();
        }
        if (broken != null) {
            broken.drop();
        }
        session.line = null;
        session.brokenLine = null;
    }

    Line newLine(SimProcess process) {
        return new Line(world, entropy, ensemble, process, faults.slowPercent());
    }

    private void breakLine(@Nullable Session session) {
        Line line = session == null ? null : session.line;
        if (session != null && line != null) {
            line.breakNow();
            session.line = null;
            session.brokenLine = line;
            awaitEnd(session);
        }
    }

    /// Never early here; late by up to half of the time-out, because the store looks now and then only.
    private void awaitEnd(Session session) {
        keep(session);
        if (away) {
            return;
        }
        long millis = sessionTimeout.toMillis();
        session.end =
                world.schedule(
                        ensemble,
                        "session over",
                        (millis + entropy.below(millis / 2 + 1)) * 1_000_000,
                        () -> end(session));
    }

    /// The process says that it stops; also when the session was over before.
    void leave(SimCoordination client) {
        clients.remove(client);
        Session session = client.session();
        if (away || client.isCutOff()) {
            breakLine(session);
        } else if (session != null && sessions.containsKey(session.id)) {
            end(session);
        }
    }

    private void end(Session session) {
        keep(session);
        sessions.remove(session.id);
        drop(session);
        List<String> gone = tree.endSession(session.id);
        if (!gone.isEmpty()) {
            witness.accept(new Made("", List.of(), tree()));
            announce(gone);
        }
    }

    // The tree, at the store.

    boolean drawsLostCommit() {
        return entropy.chance(faults.lostCommitPercent());
    }

    long retryMillis() {
        return entropy.between(50, 1_500);
    }

    /// The commit has arrived. Refused without a word when the session is over: the line is, too.
    @Nullable Outcome commit(SimCoordination client, Session session, List<Change> changes) {
        if (away || !sessions.containsKey(session.id)) {
            return null;
        }
        List<String> changed = new ArrayList<>();
        Outcome outcome = tree.commit(changes, session.id, changed);
        if (outcome instanceof Outcome.Committed) {
            witness.accept(new Made(client.process().name(), changes, tree()));
            announce(changed);
        }
        return outcome;
    }

    StoreTree treeAtStore() {
        return tree;
    }

    private void announce(List<String> changed) {
        for (SimCoordination client : clients) {
            Session session = client.session();
            Line line = session == null ? null : session.line;
            if (line != null) {
                for (String path : changed) {
                    client.announce(line, path);
                }
            }
        }
    }
}
