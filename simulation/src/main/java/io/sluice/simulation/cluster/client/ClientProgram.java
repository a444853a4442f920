package io.sluice.simulation.cluster.client;

import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimMailbox;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.cluster.Cluster;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;

/// A program on a machine of its own that talks to brokers. Owned by its run.
final class ClientProgram {
    private final Cluster cluster;
    private final String name;
    private final SimMailbox home;
    private final Network network;
    private final SimEntropy entropy;
    private final SortedMap<Integer, ClientConnection> connections = new TreeMap<>();

    ClientProgram(Cluster cluster, String name) {
        this.cluster = cluster;
        this.name = name;
        SimProcess process = new SimProcess(name);
        this.home = new SimMailbox(cluster.world(), process, name, ClientProgram::rethrow);
        this.network = cluster.network().door(name, process, Duration.ofSeconds(3));
        this.entropy = cluster.world().entropy(name);
        cluster.addClient(name);
    }

    private static void rethrow(Throwable thrown) {
        if (thrown instanceof InvariantBroken broken) {
            throw broken;
        }
        throw new IllegalStateException("a bug in a client", thrown);
    }

    Cluster cluster() {
        return cluster;
    }

    String name() {
        return name;
    }

    SimEntropy entropy() {
        return entropy;
    }

    void after(Duration delay, Runnable work) {
        Mailbox.Timer _ = home.schedule(delay, work);
    }

    void run(Runnable work) {
        home.run(work);
    }

    long wallMillis() {
        return cluster.world().clock().wallMillis();
    }

    int anyBroker() {
        return entropy.between(1, cluster.brokers().size());
    }

    Reply<ApiResponse> ask(int broker, ApiRequest request, short version, Duration timeout) {
        return connections
                .computeIfAbsent(
                        broker,
                        id ->
                                new ClientConnection(
                                        network,
                                        cluster.broker(id).machine(),
                                        Cluster.PORT,
                                        name,
                                        home))
                .ask(request, version, timeout);
    }
}
