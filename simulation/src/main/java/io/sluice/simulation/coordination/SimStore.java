package io.sluice.simulation.coordination;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import io.sluice.simulation.network.Ways;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The store that all processes of a world share: it never forgets and never contradicts itself, but its sessions end, and it can be out of reach.
///
/// As with ZooKeeper, a commit that was under way when a connection broke may be made until its session is back on another connection. Owned by its world.
public final class SimStore {
    /// Where it is, for the [Ways] to it.
    public static final String MACHINE = "store";

    private static final long SESSION_CHECK_NANOS = 250_000_000L;

    private final SimWorld world;
    private final Ways ways;
    private final SimEntropy entropy;
    private final SimProcess process = new SimProcess(MACHINE);
    private final StoreTree tree = new StoreTree();
    private final SortedMap<Long, Session> sessions = new TreeMap<>();
    private final List<SimCoordination> clients = new ArrayList<>();
    private StoreObserver observer = (_, _, _, _) -> {};
    private Duration sessionTimeout;
    private boolean available = true;
    private long lastSession;

    /// What the store knows of a client.
    private static final class Session {
        private final SimCoordination client;
        private int connection;
        private long heardAtNanos;

        Session(SimCoordination client) {
            this.client = client;
        }
    }

    public SimStore(SimWorld world, Ways ways, Duration sessionTimeout) {
        this.world = world;
        this.ways = ways;
        this.entropy = world.entropy("store");
        this.sessionTimeout = sessionTimeout;
        world.schedule(process, "sessions", SESSION_CHECK_NANOS, this::endSilentSessions);
    }

    public void observer(StoreObserver all) {
        observer = all;
    }

    /// A new process with a session of its own.
    public SimCoordination join(String machine, SimProcess client) {
        SimCoordination door = new SimCoordination(this, machine, client);
        clients.add(door);
        door.begin();
        return door;
    }

    /// All there is at this moment, which nobody in the world can know.
    public SortedMap<String, Node> all() {
        return tree.all();
    }

    // What the world does to it.

    /// The ensemble has lost its majority.
    public void down() {
        available = false;
    }

    /// It has it again. Sessions begin their time-outs anew, as after every election of its own.
    public void up() {
        available = true;
        touchAll();
    }

    public boolean isAvailable() {
        return available;
    }

    private void touchAll() {
        sessions.values().forEach(this::touch);
    }

    /// Sessions live longer or shorter from now on.
    public void sessionTimeout(Duration timeout) {
        sessionTimeout = timeout;
    }

    /// Ends the session of whoever runs on the machine; the process finds out afterwards.
    public void expire(String machine) {
        for (long id : List.copyOf(sessions.keySet())) {
            Session session = sessions.get(id);
            if (session != null && session.client.machine().equals(machine)) {
                end(id);
            }
        }
    }

    /// Breaks the connection of whoever runs on the machine: what is under way may be done or not.
    public void disconnect(String machine) {
        for (SimCoordination client : List.copyOf(clients)) {
            if (client.machine().equals(machine)) {
                client.connectionLost();
            }
        }
    }

    /// News and answers take up to this long on their way to the machine.
    public void slowNews(String machine, Duration longest) {
        for (SimCoordination client : clients) {
            if (client.machine().equals(machine)) {
                client.slow(longest);
            }
        }
    }

    public void heal() {
        up();
        clients.forEach(client -> client.slow(Duration.ZERO));
    }

    // What clients do.

    SimWorld world() {
        return world;
    }

    SimProcess process() {
        return process;
    }

    SimEntropy entropy() {
        return entropy;
    }

    Duration sessionTimeout() {
        return sessionTimeout;
    }

    boolean isReachable(String machine) {
        return available && ways.isOpen(machine, MACHINE) && ways.isOpen(MACHINE, machine);
    }

    boolean canAnswer(String machine) {
        return available && ways.isOpen(MACHINE, machine);
    }

    long answerDelayNanos(String machine) {
        return ways.delayNanos(MACHINE, machine);
    }

    /// Something arrives from a client, if it does.
    void receive(SimCoordination client, Runnable work) {
        if (!available || !ways.isOpen(client.machine(), MACHINE)) {
            client.somethingLost();
            return;
        }
        long now = world.clock().monotonicNanos();
        long arrival = client.arrivalNanos(now + ways.delayNanos(client.machine(), MACHINE));
        world.schedule(
                process,
                "store",
                arrival - now,
                () -> {
                    if (available) {
                        work.run();
                    } else {
                        client.somethingLost();
                    }
                });
    }

    /// A sign of life. False when the session is over.
    boolean hear(long id, int connection) {
        Session session = sessions.get(id);
        if (session == null || session.connection != connection) {
            return false;
        }
        touch(session);
        return true;
    }

    private void touch(Session session) {
        session.heardAtNanos = world.clock().monotonicNanos();
    }

    /// The client is back on another connection. The session's number: another when the old one is over.
    long connect(SimCoordination client, long id, int connection) {
        Session session = sessions.get(id);
        long number = id;
        if (session == null) {
            session = new Session(client);
            lastSession++;
            number = lastSession;
            sessions.put(number, session);
        }
        session.connection = connection;
        touch(session);
        return number;
    }

    @Nullable String commit(SimCoordination client, long session, List<Change> changes) {
        SortedMap<String, Node> before = tree.all();
        String conflict = tree.apply(changes, session);
        if (conflict == null) {
            tell(client, changes, before);
        }
        return conflict;
    }

    SortedMap<String, Node> load(String path) {
        return tree.below(path);
    }

    void leave(SimCoordination client, long session) {
        clients.remove(client);
        end(session);
    }

    private void endSilentSessions() {
        world.schedule(process, "sessions", SESSION_CHECK_NANOS, this::endSilentSessions);
        if (!available) {
            return;
        }
        long limit = world.clock().monotonicNanos() - sessionTimeout.toNanos();
        for (long id : List.copyOf(sessions.keySet())) {
            Session session = sessions.get(id);
            if (session != null && session.heardAtNanos < limit) {
                end(id);
            }
        }
    }

    private void end(long id) {
        Session session = sessions.remove(id);
        if (session == null) {
            return;
        }
        if (!session.client.isAlive()) {
            clients.remove(session.client);
        }
        List<Change> deletions = tree.end(id);
        if (!deletions.isEmpty()) {
            SortedMap<String, Node> before = tree.all();
            tree.apply(deletions, id);
            tell(null, deletions, before);
        }
    }

    private void tell(
            @Nullable SimCoordination by, List<Change> changes, SortedMap<String, Node> before) {
        SortedMap<String, Node> after = tree.all();
        List<String> changed = new ArrayList<>();
        for (Change change : changes) {
            String path = change.path();
            Node now = after.get(path);
            if (!changed.contains(path) && (now == null || !now.equals(before.get(path)))) {
                changed.add(path);
            }
        }
        observer.changed(by, changes, before, after);
        for (SimCoordination client : List.copyOf(clients)) {
            client.news(changed);
        }
    }
}
