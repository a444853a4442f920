package io.sluice.simulation.cluster;

import io.sluice.controller.ClusterView;
import io.sluice.controller.ControllerSettings;
import io.sluice.controller.Registration;
import io.sluice.coordinator.groups.GroupSettings;
import io.sluice.env.DiskException;
import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.kafka.api.Dispatcher;
import io.sluice.kafka.api.RequestTimes;
import io.sluice.node.Node;
import io.sluice.node.NodeDoors;
import io.sluice.node.NodeSettings;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimMailbox;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorkers;
import io.sluice.simulation.coordination.SimCoordination;
import io.sluice.simulation.disk.PowerCut;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// One process of a broker, from its start to its end: the doors of a [Node], and its listener. Does what `broker` does, without sockets and threads.
///
/// Owned by its broker.
final class BrokerLife {
    private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(1);
    private static final int COMMIT_BYTES = 512 * 1024;
    private static final long SCRUB_BYTES_PER_SECOND = 8 << 20;

    private final Cluster cluster;
    private final SimBroker broker;
    private final SimProcess process;
    private final SimEntropy entropy;
    private final SimMailbox controllerBox;
    private final List<SimMailbox> shards = new ArrayList<>();
    private final SimWorkers workers;
    private final SimCoordination store;
    private final List<EarlyConnection> early = new ArrayList<>();
    private @Nullable Node node;
    private @Nullable Dispatcher dispatcher;

    BrokerLife(Cluster cluster, SimBroker broker, int number) {
        this.cluster = cluster;
        this.broker = broker;
        String name = broker.machine() + " life " + number;
        this.process = new SimProcess(name);
        this.entropy = cluster.world().entropy(name);
        this.controllerBox = mailbox("controller");
        for (int shard = 0; shard < cluster.shape().shards(); shard++) {
            shards.add(mailbox("shard " + shard));
        }
        this.workers = new SimWorkers(cluster.world(), process, entropy.fork("workers"), this::met);
        this.store = cluster.store().join(broker.machine(), process);
    }

    private SimMailbox mailbox(String name) {
        return new SimMailbox(cluster.world(), process, name, this::met);
    }

    /// The power that goes off is looked after by the broker; anything else that reaches an owner's loop is a bug.
    private void met(Throwable thrown) {
        switch (thrown) {
            case PowerCut _ -> {}
            case InvariantBroken broken -> throw broken;
            default -> throw new IllegalStateException("a bug in " + process.name(), thrown);
        }
    }

    SimProcess process() {
        return process;
    }

    @Nullable Node findNode() {
        return node;
    }

    SimWorkers workers() {
        return workers;
    }

    void begin() {
        cluster.network()
                .listen(broker.machine(), Cluster.PORT, process, shards.getFirst(), this::accept);
        cluster.world().schedule(process, "start", 0, this::makeNode);
    }

    private void makeNode() {
        try {
            Node made = new Node(doors(), settings());
            node = made;
            Registration registration =
                    broker.habits().registration().apply(registration(made), broker.lastEpoch());
            controllerBox.post(() -> join(made, registration));
        } catch (DiskException e) {
            broker.failed(this, String.valueOf(e.getMessage()));
        } catch (PowerCut _) {
            // Looked after by the broker.
        }
    }

    private void join(Node joining, Registration registration) {
        joining.join(registration)
                .then(
                        view -> joined(joining, view),
                        failure -> broker.failed(this, String.valueOf(failure)));
    }

    private void joined(Node joined, ClusterView view) {
        broker.joined(view.clusterId(), view.brokerEpoch(broker.id()));
        joined.controller()
                .onChange(
                        (_, after) -> {
                            long epoch = after.brokerEpoch(broker.id());
                            if (epoch >= 0 && broker.isOf(process)) {
                                broker.joined(after.clusterId(), epoch);
                            }
                        });
        joined.controller().removed().whenDone(why -> broker.failed(this, why.value()));
        shards.getFirst().run(() -> serve(joined));
    }

    private NodeDoors doors() {
        Network network = cluster.network().door(broker.machine(), process, CONNECT_PATIENCE);
        ClusterHabits habits = broker.habits();
        return new NodeDoors(
                broker.boot(),
                habits.disk().apply(broker.disk()),
                broker.clock(),
                entropy.fork("node"),
                workers,
                shards,
                controllerBox,
                habits.coordination().apply(store, broker),
                habits.network().apply(network, broker));
    }

    private NodeSettings settings() {
        ClusterShape shape = cluster.shape();
        return new NodeSettings(
                broker.id(),
                "simulated",
                new NodeSettings.Topics(false, 1, 3, 1),
                new NodeSettings.Storage(
                        8,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(7),
                        shape.replicaLagMax(),
                        new NodeSettings.Scrubbing(
                                shape.care().scrubInterval(), SCRUB_BYTES_PER_SECOND)),
                new ControllerSettings(
                        Duration.ofMillis(500),
                        shape.heartbeatTimeout(),
                        shape.care().replaceAfter(),
                        Duration.ofSeconds(20),
                        20,
                        COMMIT_BYTES),
                GroupSettings.defaults(),
                Map.of("min.insync.replicas", "2"),
                List.of());
    }

    private Registration registration(Node made) {
        UUID incarnation = entropy.nextUuid();
        broker.registers(incarnation);
        return new Registration(
                broker.id(),
                broker.machine(),
                Cluster.PORT,
                broker.rack(),
                incarnation,
                broker.directory(),
                broker.clusterId(),
                made.takeCleanStop(),
                made.takeVouchingBoot(),
                made.takeFormerIncarnations(incarnation));
    }

    // The listener: bound from the start, served when the broker is part of the cluster.

    private Network.Listener accept(Network.Link link) {
        Dispatcher serving = dispatcher;
        if (serving != null) {
            return new ServerConnection(link, serving, shards.getFirst());
        }
        EarlyConnection waits = new EarlyConnection(link);
        early.add(waits);
        return waits;
    }

    private void serve(Node serving) {
        Dispatcher made =
                new Dispatcher(
                        broker.habits().handlers().apply(serving.handlers(), serving),
                        broker.clock(),
                        new RequestTimes());
        dispatcher = made;
        early.forEach(waiting -> waiting.serve(made, shards.getFirst()));
        early.clear();
    }

    /// Connected, and not looked at before the broker serves.
    private static final class EarlyConnection implements Network.Listener {
        private final Network.Link link;
        private final List<ByteBuffer> frames = new ArrayList<>();
        private @Nullable ServerConnection served;
        private boolean closed;

        EarlyConnection(Network.Link link) {
            this.link = link;
        }

        void serve(Dispatcher dispatcher, Mailbox home) {
            if (!closed) {
                ServerConnection connection = new ServerConnection(link, dispatcher, home);
                served = connection;
                frames.forEach(connection::received);
            }
        }

        @Override
        public void received(ByteBuffer frame) {
            if (served == null) {
                frames.add(frame);
            } else {
                served.received(frame);
            }
        }

        @Override
        public void closed(boolean refused, String why) {
            closed = true;
            if (served != null) {
                served.closed(refused, why);
            }
        }
    }

    /// Hands over, closes, and says so to the store.
    void stop(Duration limit, Runnable done) {
        Node stopping = node;
        if (stopping == null || dispatcher == null) {
            return;
        }
        controllerBox.run(() -> stopping.leave(limit).then(_ -> close(stopping, done), this::met));
    }

    private void close(Node closing, Runnable done) {
        cluster.network().stopListening(broker.machine(), Cluster.PORT);
        closing.close()
                .whenDone(
                        closed -> {
                            Throwable failure = closed.failure();
                            if (failure != null) {
                                cluster.tell(() -> process.name() + " did not close: " + failure);
                            }
                            store.leave();
                            done.run();
                        });
    }
}
