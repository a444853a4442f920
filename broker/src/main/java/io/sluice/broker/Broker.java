package io.sluice.broker;

import io.sluice.controller.CannotJoin;
import io.sluice.controller.Registration;
import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.os.BootId;
import io.sluice.env.os.DataDirectory;
import io.sluice.env.os.DataFormat;
import io.sluice.env.os.OsClock;
import io.sluice.env.os.OsDisk;
import io.sluice.env.os.OsEntropy;
import io.sluice.gateway.GatewayCounters;
import io.sluice.gateway.Listener;
import io.sluice.gateway.PeerNetwork;
import io.sluice.kafka.api.Dispatcher;
import io.sluice.kafka.api.RequestTimes;
import io.sluice.node.Node;
import io.sluice.node.NodeDoors;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A running broker: everything is made here, in start order, and closed in the opposite one.
///
/// Thread-safe: started and closed by one thread, the rest is fixed.
public final class Broker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

    /// How long a stopping broker waits for others to take over what it leads.
    private static final Duration LEAVE_LIMIT = Duration.ofSeconds(30);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);
    private static final int PEER_FRAME_ROOM_BYTES = 32 << 20;

    private final Lifecycle parts;
    private final BrokerConfig config;
    private final ClusterConfig cluster;
    private final DataDirectory data;
    private final BrokerThreads threads;
    private final Node node;
    private final Listener listener;
    private final Address advertised;
    private final AdminServer admin;
    private final CompletableFuture<Ending> mustStop = new CompletableFuture<>();
    private volatile boolean removed;

    private Broker(Lifecycle parts, BrokerSettings settings) {
        this.parts = parts;
        config = settings.broker();
        OsClock clock = new OsClock();
        OsEntropy entropy = new OsEntropy();
        data = parts.own("data directory", openData(settings.data(), entropy, clock));
        admin = parts.own("admin server", new AdminServer(config.adminListen()));
        threads = BrokerThreads.start(parts, config);
        cluster = settings.cluster();
        Coordination store = MetadataStore.open(parts, cluster, config.nodeId(), data, threads);
        OsDisk disk = new OsDisk(data.path().resolve(DataDirectory.LOG));
        node = node(new NodeWorld(disk, clock, entropy, store), settings);
        parts.own("partitions", this::closeNode);
        threads.controller().post(() -> node.dataFailure().whenDone(this::dataFailed));
        threads.controller().post(() -> node.controller().removed().whenDone(this::removed));

        // The door, still shut: the plan must name the port that clients can reach.
        GatewayCounters gateway = new GatewayCounters();
        listener = listen(threads, gateway, clock);
        advertised = advertised();

        // Part of the cluster; and the door opens.
        Registration registration = registration(entropy);
        data.adopt(await(threads.controller(), () -> node.join(registration)).clusterId());
        RequestTimes times = new RequestTimes();
        listener.serve(new Dispatcher(node.handlers(), clock, times));
        await(threads.controller(), node::admitted);
        admin.serve(new BrokerMetrics(gateway, times, node, disk), node);
        logReady();
    }

    /// The real doors that are made here.
    private record NodeWorld(OsDisk disk, OsClock clock, OsEntropy entropy, Coordination store) {}

    private Node node(NodeWorld world, BrokerSettings settings) {
        return new Node(
                new NodeDoors(
                        BootId.find(),
                        world.disk(),
                        world.clock(),
                        world.entropy(),
                        threads.workers(),
                        threads.loops().mailboxes(),
                        threads.controller(),
                        world.store(),
                        new PeerNetwork(threads.loops(), peerFrameBytesMax(), CONNECT_TIMEOUT)),
                settings.node(data.path().toString()));
    }

    /// What other brokers answer: as much as a follower asks for at a time, or one batch that is larger and came as a request, and what stands around it.
    private int peerFrameBytesMax() {
        return (int)
                Math.min(
                        Integer.MAX_VALUE,
                        (long) config.gateway().requestBytesMax() + PEER_FRAME_ROOM_BYTES);
    }

    /// Alone, a broker with a bad disk is still better than none: it serves what it can read. One of several does nobody a service: what it leads takes nothing, until others lead it.
    private void dataFailed(Reply<String> failure) {
        String sentence = failure.value();
        if (!cluster.isSingleNode()) {
            LOG.error(
                    "The data directory has failed; this broker hands over and stops. {}",
                    sentence);
            mustStop.complete(
                    new Ending(
                            ExitStatus.FAILED,
                            "Broker "
                                    + config.nodeId()
                                    + " has stopped, and others lead what it has led: "
                                    + sentence));
        }
    }

    /// Another broker has its id, or it belongs to another cluster: nothing here is anybody's, and nobody can be asked to take it over.
    private void removed(Reply<String> why) {
        removed = true;
        mustStop.complete(
                new Ending(
                        ExitStatus.REFUSED,
                        "Broker "
                                + config.nodeId()
                                + " has stopped, since it is not part of the cluster any more: "
                                + why.value()));
    }

    /// Why a broker that has served cannot go on.
    record Ending(ExitStatus status, String sentence) {}

    /// Completes when this broker should be closed because it cannot go on: its data directory has failed, or it cannot be part of the cluster any more.
    CompletableFuture<Ending> mustStop() {
        return mustStop;
    }

    private void closeNode() {
        await(threads.controller(), node::close);
    }

    private void logReady() {
        LOG.info(
                "Ready: Kafka protocol on {} ({}), clients are told {}, admin on {}, data in {}",
                new Address(config.kafkaListen().host(), listener.port()),
                threads.loops().transport(),
                advertised,
                adminUrl(),
                data.path());
    }

    /// Starts a broker and returns when it serves. Throws with a sentence for people when it cannot.
    ///
    /// @param settings by the names of `sluice up`: `data`, `ephemeral`, `kafka.listen` and so on
    public static Broker start(Map<String, String> settings) {
        return start(BrokerSettings.read(settings));
    }

    static Broker start(BrokerSettings settings) {
        return start(settings, new Lifecycle());
    }

    /// @param parts what is closed with the broker
    static Broker start(BrokerSettings settings, Lifecycle parts) {
        boolean started = false;
        try {
            Broker broker = new Broker(parts, settings);
            started = true;
            return broker;
        } finally {
            if (!started) {
                parts.close();
            }
        }
    }

    private DataDirectory openData(DataPlace place, OsEntropy entropy, OsClock clock) {
        return place.ephemeral()
                ? DataDirectory.ephemeral(config.nodeId(), entropy, clock)
                : DataDirectory.open(place.folder(), config.nodeId(), entropy, clock);
    }

    private Listener listen(BrokerThreads threads, GatewayCounters counters, OsClock clock) {
        InetSocketAddress address = config.kafkaListen().resolve("kafka.listen");
        try {
            return parts.own(
                    "Kafka listener",
                    new Listener(
                            "kafka", address, threads.loops(), config.gateway(), counters, clock));
        } catch (IllegalStateException e) {
            // The listener knows what went wrong, and not which setting it got its address from.
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException(
                    "Cannot listen on "
                            + config.kafkaListen()
                            + " for Kafka clients ("
                            + cause.getMessage()
                            + "). Stop what uses the port, or choose another with --kafka.listen.",
                    e);
        }
    }

    private Registration registration(OsEntropy entropy) {
        DataFormat format = data.format();
        UUID incarnation = entropy.nextUuid();
        // For the life of the directory: a broker that comes back without its data has another.
        String directory = format.nodeId() + "/" + format.created();
        return new Registration(
                config.nodeId(),
                advertised.host(),
                advertised.port(),
                config.rack().isEmpty() ? null : config.rack(),
                incarnation,
                UUID.nameUUIDFromBytes(directory.getBytes(StandardCharsets.UTF_8)),
                cluster.isSingleNode() || !data.isUnused() ? format.clusterId() : null,
                node.takeCleanStop(),
                node.takeVouchingBoot(),
                node.takeFormerIncarnations(incarnation));
    }

    private Address advertised() {
        return Advertised.of(
                config.kafkaListen(),
                config.kafkaAdvertise(),
                listener.port(),
                Advertised.thisMachine());
    }

    /// `host:port` for `bootstrap.servers`: what clients are told as well.
    public String bootstrap() {
        return advertised.toString();
    }

    /// Where a client on this machine finds the Kafka protocol, whatever the others are told.
    Address kafkaFromHere() {
        return config.kafkaListen().fromHere(listener.port());
    }

    /// Where health and metrics are, for somebody on this machine; without a slash at its end.
    public String adminUrl() {
        return "http://" + config.adminListen().fromHere(admin.port());
    }

    public Path data() {
        return data.path();
    }

    public BrokerConfig config() {
        return config;
    }

    /// Stops in order: what is led here is handed over, no new requests, then everything flushed, then the threads, then the lock.
    @Override
    public void close() {
        admin.stopping();
        if (!removed && node.controller().view().brokers().size() > 1) {
            boolean handedOver = await(threads.controller(), () -> node.leave(LEAVE_LIMIT));
            if (!handedOver) {
                LOG.warn("Not everything that this broker leads could be handed over");
            }
        }
        parts.close();
    }

    private static <T> T await(Mailbox owner, Supplier<Reply<T>> ask) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        owner.post(() -> ask.get().then(answer::complete, answer::completeExceptionally));
        try {
            return answer.join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof CannotJoin refused) {
                throw new RefusedSetup(String.valueOf(refused.getMessage()), failure);
            }
            throw failure;
        }
    }
}
