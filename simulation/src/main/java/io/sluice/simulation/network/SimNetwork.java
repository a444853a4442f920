package io.sluice.simulation.network;

import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// All connections of a world. Machines are names; a process listens at ports of its machine.
///
/// As TCP does, a connection carries frames in order and each once, and breaks sooner or later when a way is cut. What is lost is what was under way
/// when it broke: whether the other side has had it is not known. Owned by its world.
public final class SimNetwork {
    /// How long a machine calls one that does not answer.
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final SimWorld world;
    private final SimEntropy entropy;
    private final Ways ways;
    private final Map<String, Service> services = new TreeMap<>();
    private final List<SimConnection> connections = new ArrayList<>();
    private int stragglers;

    /// What machines do without their processes. Never dies.
    private final SimProcess machines = new SimProcess("machines");

    public SimNetwork(SimWorld world) {
        this.world = world;
        this.entropy = world.entropy("network");
        this.ways = new Ways(entropy);
    }

    /// Takes connections, on its own mailbox.
    public interface Acceptor {
        /// Somebody has connected. The returned listener hears of what arrives.
        Network.Listener accept(Network.Link link);
    }

    record Service(String machine, SimProcess process, Mailbox home, Acceptor acceptor) {}

    /// Which ways are open, and how long they take.
    public Ways ways() {
        return ways;
    }

    SimWorld world() {
        return world;
    }

    SimProcess machines() {
        return machines;
    }

    /// How many connections the process has, at either end.
    public int connectionsOf(SimProcess process) {
        int count = 0;
        for (SimConnection connection : connections) {
            count += connection.isOf(process) ? 1 : 0;
        }
        return count;
    }

    void straggled(int frames) {
        stragglers += frames;
    }

    /// How many frames have arrived after their sender was told that they had not.
    public int stragglers() {
        return stragglers;
    }

    /// From now on the process takes connections there; until it dies or [#stopListening].
    public void listen(
            String machine, int port, SimProcess process, Mailbox home, Acceptor acceptor) {
        services.put(address(machine, port), new Service(machine, process, home, acceptor));
    }

    public void stopListening(String machine, int port) {
        services.remove(address(machine, port));
    }

    /// The door for a process on this machine.
    public Network door(String machine, SimProcess process) {
        return door(machine, process, PATIENCE);
    }

    /// @param patience after which it gives up to call a machine that does not answer
    public Network door(String machine, SimProcess process, Duration patience) {
        return (host, port, home, listener) ->
                connect(new Caller(machine, process, home, listener), host, port, patience);
    }

    /// One end of a connection: where it is, and who hears of it.
    record Caller(String machine, SimProcess process, Mailbox home, Network.Listener listener) {}

    private Network.Link connect(Caller caller, String host, int port, Duration patience) {
        SimConnection connection = new SimConnection(this, caller, host);
        connections.add(connection);
        if (ways.isOpen(caller.machine(), host) && ways.isOpen(host, caller.machine())) {
            world.schedule(
                    caller.process(),
                    "connect",
                    ways.delayNanos(caller.machine(), host),
                    () -> arrive(connection, caller, host, port));
        } else {
            world.schedule(
                    caller.process(),
                    "connect in vain",
                    patience.toNanos(),
                    () -> connection.breakNow(false, "no answer from " + host));
        }
        return connection.callerLink();
    }

    private void arrive(SimConnection connection, Caller caller, String host, int port) {
        Service service = services.get(address(host, port));
        if (service == null || !service.process().isAlive()) {
            // The machine answers for the process that is not there.
            world.schedule(
                    caller.process(),
                    "refused",
                    ways.delayNanos(host, caller.machine()),
                    () -> connection.breakNow(true, host + ":" + port + " refuses connections"));
            return;
        }
        connection.reached(service.process());
        world.schedule(service.process(), "accept", 0, () -> accept(connection, service));
    }

    private static void accept(SimConnection connection, Service service) {
        service.home().run(() -> connection.establish(service));
    }

    /// The process is dead: its machine resets its connections.
    public void killed(SimProcess process) {
        for (SimConnection connection : List.copyOf(connections)) {
            connection.killed(process);
        }
    }

    /// Breaks some connection between the two machines, if there is one.
    public void reset(String one, String other) {
        for (SimConnection connection : List.copyOf(connections)) {
            if (connection.isBetween(one, other)) {
                connection.breakNow(false, "connection reset");
                return;
            }
        }
    }

    /// Breaks all connections that one machine has made to the other.
    public void resetAll(String from, String to) {
        for (SimConnection connection : List.copyOf(connections)) {
            if (connection.isFrom(from, to)) {
                connection.breakNow(false, "connection reset");
            }
        }
    }

    void forget(SimConnection connection) {
        connections.remove(connection);
    }

    @Nullable Service serviceAt(String machine, int port) {
        return services.get(address(machine, port));
    }

    private static String address(String machine, int port) {
        return machine + ":" + port;
    }
}
