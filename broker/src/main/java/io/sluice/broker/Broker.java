package io.sluice.broker;

import io.sluice.controller.Controller;
import io.sluice.controller.ControllerDoors;
import io.sluice.controller.ControllerSettings;
import io.sluice.controller.Probe;
import io.sluice.controller.ProducerIds;
import io.sluice.controller.Registration;
import io.sluice.controller.TopicPlanner;
import io.sluice.controller.TopicRules;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.os.DataDirectory;
import io.sluice.env.os.DataFormat;
import io.sluice.env.os.LocalCoordination;
import io.sluice.env.os.OsClock;
import io.sluice.env.os.OsEntropy;
import io.sluice.gateway.GatewayCounters;
import io.sluice.gateway.Listener;
import io.sluice.kafka.api.Dispatcher;
import io.sluice.kafka.api.RequestTimes;
import io.sluice.kafka.api.groups.ClusterOffsetsTopic;
import io.sluice.kafka.api.groups.GroupCoordinators;
import io.sluice.kafka.api.groups.OffsetsTopic;
import io.sluice.kafka.api.topics.TopicConfigView;
import io.sluice.log.TopicSettings;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// A running broker: everything is made here, in start order, and closed in the opposite one.
///
/// Thread-safe: started and closed by one thread, the rest is fixed.
public final class Broker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

    private final Lifecycle parts;
    private final BrokerConfig config;
    private final DataDirectory data;
    private final Listener listener;
    private final Address advertised;
    private final AdminServer admin;

    private Broker(Lifecycle parts, BrokerSettings settings) {
        this.parts = parts;
        config = settings.broker();
        OsClock clock = new OsClock();
        OsEntropy entropy = new OsEntropy();
        data = parts.own("data directory", openData(settings.data(), entropy, clock));
        BrokerThreads threads = BrokerThreads.start(parts, config);
        LocalCoordination store = openStore(threads);
        BrokerStorage storage = BrokerStorage.open(parts, data, threads, clock, config);

        // The door, still shut: the plan must name the port that clients can reach.
        GatewayCounters gateway = new GatewayCounters();
        listener = listen(threads, gateway, clock);
        advertised = advertised();

        // The plan: what there is.
        TopicConfigView topicConfigs = new TopicConfigView(settings.topicDefaults());
        TopicStorage topics = new TopicStorage(storage, topicConfigs, threads);
        Controller controller =
                new Controller(
                        new ControllerDoors(
                                store, clock, entropy, threads.controller(), Probe.ofNobody()),
                        planner(topicConfigs),
                        topics,
                        ControllerSettings.defaults());
        controller.onChange(topics::follow);
        Registration registration = registration(entropy);
        await(threads.controller(), () -> controller.start(registration));
        threads.controller().post(topics::begin);

        // The handlers, and the door opens.
        ProducerIds producerIds = new ProducerIds(store, threads.controller());
        GroupCoordinators coordinators =
                coordinators(controller, storage, settings, clock, threads.controller());
        topics.offsets(topic -> coordinators.forgetTopic(topic, threads.controller()));
        threads.controller().post(controller::finishDeletions);
        KafkaWiring wiring =
                new KafkaWiring(
                        controller,
                        storage,
                        producerIds,
                        topicConfigs,
                        settings,
                        data.path(),
                        coordinators,
                        entropy);
        RequestTimes times = new RequestTimes();
        listener.serve(new Dispatcher(wiring.handlers(), clock, times));
        admin = openAdmin(new BrokerMetrics(gateway, times, storage, controller), storage);
        logReady();
    }

    private void logReady() {
        LOG.info(
                "Ready: Kafka protocol on {}, clients are told {}, admin on {}, data in {}",
                new Address(config.kafkaListen().host(), listener.port()),
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
        Lifecycle parts = new Lifecycle();
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

    private LocalCoordination openStore(BrokerThreads threads) {
        return parts.own(
                "metadata store",
                LocalCoordination.open(data.disk(), DataDirectory.META, threads.metadata()));
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

    private AdminServer openAdmin(BrokerMetrics metrics, BrokerStorage storage) {
        return parts.own(
                "admin server", new AdminServer(config.adminListen(), metrics, storage.counters()));
    }

    private TopicPlanner planner(TopicConfigView topicConfigs) {
        return new TopicPlanner(
                new TopicPlanner.Defaults(config.topics().defaultPartitions(), 1),
                given -> rules(topicConfigs.effective(given)));
    }

    private static TopicRules rules(TopicSettings settings) {
        return new TopicRules(
                settings.minInSyncReplicas(),
                settings.uncleanLeaderElection(),
                settings.flush() == TopicSettings.FlushPolicy.PAGE_CACHE);
    }

    private GroupCoordinators coordinators(
            Controller controller,
            BrokerStorage storage,
            BrokerSettings settings,
            OsClock clock,
            Mailbox home) {
        OffsetsTopic topic =
                new ClusterOffsetsTopic(
                        controller, storage.partitions(), config.topics().offsetsPartitions());
        GroupCoordinators coordinators = new GroupCoordinators(topic, settings.groups(), clock);
        // Groups that nobody asks for have to be loaded once, so that their offsets can expire.
        home.schedule(settings.groups().expiryInterval(), coordinators::openAll);
        return coordinators;
    }

    private Registration registration(OsEntropy entropy) {
        DataFormat format = data.format();
        String directory = format.clusterId() + "/" + format.nodeId() + "/" + format.created();
        return new Registration(
                config.nodeId(),
                advertised.host(),
                advertised.port(),
                null,
                entropy.nextUuid(),
                UUID.nameUUIDFromBytes(directory.getBytes(StandardCharsets.UTF_8)),
                format.clusterId(),
                Registration.UNCLEAN);
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

    /// Stops in order: no new requests, then everything flushed, then the threads, then the lock.
    @Override
    public void close() {
        parts.close();
    }

    private static <T> T await(Mailbox owner, Supplier<Reply<T>> ask) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        owner.post(() -> ask.get().then(answer::complete, answer::completeExceptionally));
        return answer.join();
    }
}
