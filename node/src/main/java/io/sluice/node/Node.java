package io.sluice.node;

import io.sluice.controller.ClusterView;
import io.sluice.controller.Controller;
import io.sluice.controller.ControllerDoors;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.ProducerIds;
import io.sluice.controller.Registration;
import io.sluice.controller.TopicData;
import io.sluice.controller.TopicPlanner;
import io.sluice.controller.TopicRules;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handlers;
import io.sluice.kafka.api.ToController;
import io.sluice.kafka.api.groups.ClusterOffsetsTopic;
import io.sluice.kafka.api.groups.GroupCoordinators;
import io.sluice.kafka.api.groups.OffsetsTopic;
import io.sluice.kafka.api.topics.TopicConfigView;
import io.sluice.kafka.api.topics.TopicCreation;
import io.sluice.log.TopicSettings;
import io.sluice.partition.Ending;
import io.sluice.partition.InSyncDoor;
import io.sluice.partition.InSyncProposal;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.RecoveryPoints;
import io.sluice.partition.ReplicationDoors;
import io.sluice.partition.Shard;
import io.sluice.partition.ShardCounters;
import io.sluice.partition.ShardDoors;
import io.sluice.record.PartitionId;
import io.sluice.replication.Heartbeats;
import io.sluice.replication.InSyncSender;
import io.sluice.replication.MovePace;
import io.sluice.replication.Peers;
import io.sluice.replication.Probing;
import io.sluice.replication.RepairFetches;
import io.sluice.replication.ReplicaFetchers;
import io.sluice.replication.ReplicationCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A broker without its shell: everything is made here, in start order, out of doors and settings.
///
/// ```
///   new ──▶ join ──▶ admitted: serves ──▶ leave: what it leads is handed over ──▶ close: all on disk
/// ```
/// Thread-safe where it says so; the rest belongs to the controller's mailbox.
public final class Node {
    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final Duration FORWARD_PATIENCE = Duration.ofSeconds(15);

    /// Without a controller that admits it, a broker serves all the same: clients learn from it who is there.
    private static final Duration ADMISSION_PATIENCE = Duration.ofSeconds(10);

    private final NodeDoors doors;
    private final NodeSettings settings;
    private final Mailbox owner;
    private final Controller controller;
    private final AddressBook addresses;
    private final TopicConfigView topicConfigs;
    private final PartitionDirectory partitions;
    private final PartitionKeeper keeper;
    private final TopicStorage topics;
    private final GroupCoordinators coordinators;
    private final ReplicaFetchers fetchers;
    private final Heartbeats heartbeats;
    private final Peers proposals;
    private final Peers forwards;
    private final Peers repairs;
    private final Scrubber scrubber;
    private final ShardCounters shardCounters = new ShardCounters();
    private final ReplicationCounters replicationCounters = new ReplicationCounters();
    private final StopNotes notes;
    private final Handlers handlers;

    /// What has happened to the data of this broker, when something has; completed on the controller's mailbox.
    private final Reply<String> dataFailure = new Reply<>();

    private boolean joined;

    /// May block on the disk for as long as it takes to read a small file.
    public Node(NodeDoors doors, NodeSettings settings) {
        this.doors = doors;
        this.settings = settings;
        this.owner = doors.controller();
        this.topicConfigs = new TopicConfigView(settings.topicDefaults());

        // Who decides.
        Later later = new Later();
        controller = controller(later);
        addresses = new AddressBook(controller);
        proposals = peers("in-sync");
        forwards = peers("forward");
        repairs = peers("repair");
        heartbeats = heartbeats();

        // What is stored here, and copied from others.
        notes = new StopNotes(doors.disk(), doors.workers(), owner, doors.boot());
        RecoveryPoints points = PartitionKeeper.read(doors.disk());
        keeper = keeper(points);
        partitions = new PartitionDirectory(shards(points, later));
        scrubber = new Scrubber(partitions, doors, shardCounters, settings.storage().scrubbing());
        fetchers = fetchers();
        topics = topicStorage();
        later.inSync =
                new InSyncSender(
                        controller, proposals, settings.nodeId(), owner, replicationCounters);
        later.topics = topics;
        controller.onChange(topics::follow);
        OffsetsReplication offsetsReplication = new OffsetsReplication(controller, owner);
        controller.onChange((_, after) -> offsetsReplication.look(after));

        // Who answers.
        ToController elsewhere = forwarding();
        TopicCreation creation = new TopicCreation(controller, elsewhere);
        ClusterOffsetsTopic offsets =
                new ClusterOffsetsTopic(
                        controller, creation, partitions, settings.topics().offsetsPartitions());
        coordinators =
                new GroupCoordinators(
                        offsets,
                        settings.groups(),
                        doors.clock(),
                        controller.standing()::isCertain,
                        keeper::isDateTrusted);
        topics.groups(groups());
        handlers = handlers(offsets, creation, elsewhere);
    }

    private Controller controller(TopicData data) {
        return new Controller(
                new ControllerDoors(
                        doors.coordination(),
                        doors.clock(),
                        doors.entropy(),
                        owner,
                        List.copyOf(doors.shards()),
                        new Probing(doors.network(), doors.clock())),
                planner(),
                data,
                settings.controller());
    }

    private Heartbeats heartbeats() {
        DiskRoom room =
                new DiskRoom(
                        doors.disk(),
                        doors.workers(),
                        doors.clock(),
                        owner,
                        shardCounters.appendsWithoutRoom);
        return new Heartbeats(
                controller,
                new Peers(
                        "heartbeat",
                        doors.network(),
                        doors.clock(),
                        owner,
                        addresses::findRegistered,
                        (broker, _) -> controller.controllerLost(broker)),
                new Heartbeats.Setup(
                        settings.nodeId(),
                        settings.controller().heartbeatInterval(),
                        settings.controller().heartbeatTimeout(),
                        room::isFull,
                        doors.clock(),
                        replicationCounters),
                owner);
    }

    private ReplicaFetchers fetchers() {
        return new ReplicaFetchers(
                new ReplicaFetchers.Setup(
                        doors.network(),
                        doors.clock(),
                        addresses::find,
                        settings.nodeId(),
                        controller::ownEpoch,
                        replicationCounters,
                        new MovePace(this::isMovingHere, this::moveBytesPerSecond)),
                doors.shards());
    }

    private TopicStorage topicStorage() {
        return new TopicStorage(
                settings.nodeId(),
                partitions,
                topicConfigs,
                fetchers,
                new PartitionFolders(doors, keeper),
                owner,
                controller::view,
                controller::isReplaced);
    }

    private boolean isMovingHere(PartitionId id) {
        PartitionPlan plan = controller.view().findPartition(id);
        return plan != null
                && plan.adding().contains(settings.nodeId())
                && !plan.inSync().contains(settings.nodeId());
    }

    private long moveBytesPerSecond() {
        return controller.view().moveLimit().orElse(settings.controller().moveBytesPerSecond());
    }

    private Handlers handlers(
            OffsetsTopic offsets, TopicCreation creation, ToController elsewhere) {
        return new KafkaWiring(
                        controller,
                        partitions,
                        doors.disk(),
                        doors.entropy(),
                        new ProducerIds(doors.coordination(), owner),
                        topicConfigs,
                        settings,
                        coordinators,
                        offsets,
                        creation,
                        elsewhere,
                        shardCounters)
                .handlers();
    }

    /// What is made later and needed earlier: partitions ask the controller, and the controller has partitions removed.
    private static final class Later implements TopicData, InSyncDoor {
        private @Nullable TopicStorage topics;
        private @Nullable InSyncSender inSync;

        @Override
        public Reply<Integer> retire(String topic, UUID id, int partitions) {
            return topics == null
                    ? Reply.failed(new IllegalStateException("still starting"))
                    : topics.retire(topic, id, partitions);
        }

        @Override
        public Reply<Answer> propose(InSyncProposal proposal, Mailbox home) {
            return inSync == null
                    ? Reply.of(new Answer.Refused("still starting", true))
                    : inSync.propose(proposal, home);
        }
    }

    private TopicPlanner planner() {
        NodeSettings.Topics defaults = settings.topics();
        return new TopicPlanner(
                new TopicPlanner.Defaults(
                        defaults.defaultPartitions(),
                        defaults.defaultReplicationFactor(),
                        settings.brokersNamed()),
                given -> rules(topicConfigs.effective(given)),
                doors.coordination().largestCommitBytes());
    }

    private static TopicRules rules(TopicSettings topic) {
        return new TopicRules(
                topic.minInSyncReplicas(),
                topic.uncleanLeaderElection(),
                topic.flush() == TopicSettings.FlushPolicy.PAGE_CACHE);
    }

    private Peers peers(String purpose) {
        return new Peers(
                purpose, doors.network(), doors.clock(), owner, addresses::find, (_, _) -> {});
    }

    private PartitionKeeper keeper(RecoveryPoints points) {
        return new PartitionKeeper(
                doors.disk(),
                doors.workers(),
                doors.controller(),
                points,
                settings.storage(),
                doors.clock());
    }

    private List<Shard> shards(RecoveryPoints points, InSyncDoor inSync) {
        ReplicationDoors replication =
                new ReplicationDoors(
                        inSync,
                        addresses::liveEpochOf,
                        keeper,
                        new RepairFetches(repairs),
                        controller.standing()::isCertain,
                        settings.storage().replicaLagMax());
        ShardDoors shardDoors =
                new ShardDoors(
                        doors.disk(),
                        doors.clock(),
                        doors.workers(),
                        points,
                        shardCounters,
                        replication);
        List<Shard> shards = new ArrayList<>();
        for (Mailbox loop : doors.shards()) {
            Shard shard = new Shard(loop, shardDoors, settings.storage().flushInterval());
            shard.onDiskFailure(sentence -> owner.run(() -> dataFailed(sentence)));
            shards.add(shard);
        }
        return shards;
    }

    private void dataFailed(String sentence) {
        if (!dataFailure.isDone()) {
            notes.distrustPageCache();
            dataFailure.complete(sentence);
        }
    }

    /// Completes when a log has failed on its disk: what has happened. The partition takes nothing any more, and one of several brokers should [#leave], so that others lead what it leads. Once, on the
    /// controller's mailbox.
    public Reply<String> dataFailure() {
        return dataFailure;
    }

    private ToController forwarding() {
        return (request, version, home) ->
                forwards.ask(
                        controller.view().controllerId(), request, version, FORWARD_PATIENCE, home);
    }

    private TopicStorage.Groups groups() {
        return new TopicStorage.Groups() {
            @Override
            public Reply<Boolean> forget(String topic, UUID id) {
                return coordinators.forgetTopic(topic, id, owner);
            }

            @Override
            public void resign(int partition, Mailbox partitionOwner) {
                coordinators.resign(partition, partitionOwner);
            }
        };
    }

    /// In which broker epoch the last run ended in order, for the [Registration]. Once, before [#join]; may block on the disk.
    public long takeCleanStop() {
        return notes.takeCleanStop();
    }

    /// The machine's run as it may be named in the [Registration]: null when it is not known, or does not vouch for the page cache. Once, before [#join]; may block on the disk.
    public @Nullable UUID takeVouchingBoot() {
        return notes.takeBoot();
    }

    /// Notes this process in the data directory, and names those that were noted there before, for the [Registration]. Once, before [#join]; may block on the disk.
    public @Nullable Set<UUID> takeFormerIncarnations(UUID own) {
        return Incarnations.take(doors.disk(), own);
    }

    /// Joins the cluster. Completes on the controller's mailbox when this broker is registered and its [#handlers] may be asked; fails when it cannot be.
    /// Called there, once.
    public Reply<ClusterView> join(Registration registration) {
        heartbeats.start(); // The first goes out with the registration: others count from there.
        return controller
                .start(registration)
                .map(
                        view -> {
                            joined = true;
                            topics.begin();
                            keeper.start(partitions);
                            scrubber.start();
                            controller.finishDeletions();
                            openCoordinatorsLater();
                            return view;
                        });
    }

    /// Completes on the controller's mailbox when a controller has let this broker take part, or does not for too long. Called there.
    public Reply<ClusterView> admitted() {
        Reply<ClusterView> admitted = new Reply<>();
        if (controller.view().isLive(settings.nodeId())) {
            admitted.complete(controller.view());
            return admitted;
        }
        Mailbox.Timer patience =
                owner.schedule(
                        ADMISSION_PATIENCE,
                        () -> {
                            if (!admitted.isDone()) {
                                LOG.warn(
                                        "No controller has admitted this broker yet; it serves what it can");
                                admitted.complete(controller.view());
                            }
                        });
        controller.onChange(
                (_, after) -> {
                    if (!admitted.isDone() && after.isLive(settings.nodeId())) {
                        patience.cancel();
                        admitted.complete(after);
                    }
                });
        return admitted;
    }

    /// Groups that nobody asks for have to be loaded once, so that their offsets can expire; also those that have come here since.
    private void openCoordinatorsLater() {
        owner.schedule(
                settings.groups().expiryInterval(),
                () -> {
                    coordinators.openAll();
                    openCoordinatorsLater();
                });
    }

    /// Hands over what this broker leads. Completes on the controller's mailbox, soon after the limit at the latest: true when all that others can lead is led by them, and clients have had a moment to hear of it.
    public Reply<Boolean> leave(Duration limit) {
        HandOver handOver =
                new HandOver(settings.nodeId(), controller.view(), owner, doors.shards());
        // Behind those who tell the partitions: what it hears of, the shards have been sent.
        controller.onChange((_, after) -> handOver.look(after));
        heartbeats
                .leave(limit)
                .then(
                        handedOver -> handOver.answered(handedOver, controller.view()),
                        handOver::failed);
        return handOver.done();
    }

    /// The clean end: everything on disk, and a note of it, unless the disk has failed. On the controller's mailbox, when no more requests come. A broker that never was part of a cluster has written nothing, and
    /// leaves the data directory as it found it.
    public Reply<Boolean> close() {
        long epoch = controller.ownEpoch();
        heartbeats.close();
        fetchers.close();
        proposals.close();
        forwards.close();
        repairs.close();
        scrubber.close();
        if (!joined) {
            return notes.putBack();
        }
        return keeper.close(partitions)
                .flatMap(
                        ending ->
                                switch (dataFailure.isDone() ? Ending.FAILED : ending) {
                                    case FLUSHED ->
                                            notes.leave(epoch, keeper.isEverythingVisited());
                                    case PARTLY -> Reply.of(false);
                                    case FAILED -> notes.distrustPageCache();
                                });
    }

    /// Thread-safe.
    public Handlers handlers() {
        return handlers;
    }

    /// Thread-safe, as far as the controller is.
    public Controller controller() {
        return controller;
    }

    /// Thread-safe.
    public PartitionDirectory partitions() {
        return partitions;
    }

    /// Thread-safe.
    public ClusterHealth health() {
        return ClusterHealth.of(
                controller.view(),
                settings.nodeId(),
                topic -> topicConfigs.effective(topic).minInSyncReplicas(),
                shardCounters.damagesPresent.sum(),
                controller.isDirected());
    }

    public ShardCounters shardCounters() {
        return shardCounters;
    }

    public ReplicationCounters replicationCounters() {
        return replicationCounters;
    }
}
