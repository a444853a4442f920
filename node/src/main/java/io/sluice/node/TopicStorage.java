package io.sluice.node;

import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicData;
import io.sluice.controller.TopicNames;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.api.topics.TopicConfigView;
import io.sluice.log.TopicSettings;
import io.sluice.partition.Assignment;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.record.PartitionId;
import io.sluice.replication.ReplicaFetchers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the plan: a partition object for every replica that belongs here, told who leads; data of deleted topics and of replicas that have
/// moved away out of the way.
///
/// Owned by the controller's mailbox.
final class TopicStorage implements TopicData {
    private static final Logger LOG = LoggerFactory.getLogger(TopicStorage.class);

    private final int self;
    private final PartitionDirectory partitions;
    private final TopicConfigView configs;
    private final ReplicaFetchers fetchers;
    private final PartitionFolders folders;
    private final Mailbox owner;
    private final Supplier<ClusterView> view;
    private final BooleanSupplier isReplaced;

    /// On their way out: nothing new may begin under these names before their files are gone.
    private final Set<PartitionId> leaving = new HashSet<>();

    private @Nullable Groups groups;

    /// Another process has this broker's id: nothing here is led, copied or removed because of what the plan says of it.
    private boolean replaced;

    TopicStorage(
            int self,
            PartitionDirectory partitions,
            TopicConfigView configs,
            ReplicaFetchers fetchers,
            PartitionFolders folders,
            Mailbox owner,
            Supplier<ClusterView> view,
            BooleanSupplier isReplaced) {
        this.self = self;
        this.partitions = partitions;
        this.configs = configs;
        this.fetchers = fetchers;
        this.folders = folders;
        this.owner = owner;
        this.view = view;
        this.isReplaced = isReplaced;
    }

    /// What groups remember, and where.
    interface Groups {
        /// Fails when some of it could not be forgotten now.
        Reply<Boolean> forget(String topic, UUID id);

        /// A partition that remembers groups is in another leader's term.
        void resign(int partition, Mailbox owner);
    }

    /// Set once, when the groups are served.
    void groups(Groups served) {
        groups = served;
    }

    /// New replicas appear, leaders change, settings are passed on, replicas move away. Deletions come through [#retire].
    void follow(ClusterView before, ClusterView after) {
        if (!before.brokers().equals(after.brokers())) {
            fetchers.brokersChanged();
        }
        boolean wasReplaced = replaced;
        replaced = isReplaced.getAsBoolean();
        if (replaced) {
            if (!wasReplaced) {
                partitions.all().forEach(this::standDown);
            }
            return;
        }
        if (wasReplaced) {
            removeDeleted(after);
        }
        for (TopicPlan plan : after.topics()) {
            TopicPlan old = before.findTopic(plan.id());
            if (old != null && old.version() == plan.version() && !wasReplaced) {
                continue;
            }
            TopicSettings settings = configs.effective(plan);
            for (int index = 0; index < plan.partitions().size(); index++) {
                follow(plan, index, settings);
            }
        }
    }

    /// Of topics that were deleted while another process had this broker's id: that one has confirmed it in its name, and nobody asks this one again. Only what was in the plan when it came here, and is not now that
    /// the plans have been read once more, as they are before a broker is part of the cluster again; a folder that was there before is left, since a plan from a backup may know less than the disk.
    private void removeDeleted(ClusterView after) {
        for (Partition partition : List.copyOf(partitions.all())) {
            UUID topic = partition.topicId();
            if (after.findTopic(topic) == null && !after.isToRetire(self, topic)) {
                moveAway(partition);
            }
        }
    }

    private void follow(TopicPlan topic, int index, TopicSettings settings) {
        PartitionId id = new PartitionId(topic.name(), index);
        PartitionPlan plan = topic.partitions().get(index);
        Partition present = partitions.find(id);
        if (replaced || leaving.contains(id)) {
            return; // Looked at again when it is back, or the partition has left.
        }
        if (present != null
                && (!present.topicId().equals(topic.id()) || !plan.replicas().contains(self))) {
            moveAway(present);
            return;
        }
        if (!plan.replicas().contains(self)) {
            return;
        }
        Partition partition = present;
        if (partition == null) {
            partition = partitions.add(id, topic.id(), settings);
        } else {
            partition.changeSettings(settings);
        }
        assign(partition, plan);
    }

    private void standDown(Partition partition) {
        fetchers.drop(partition);
        partition.standDown();
        resign(partition);
    }

    private void resign(Partition partition) {
        if (groups != null && partition.id().topic().equals(TopicNames.OFFSETS)) {
            groups.resign(partition.id().index(), partition.owner());
        }
    }

    /// Leads here, is copied from its leader, or waits for one.
    private void assign(Partition partition, PartitionPlan plan) {
        boolean newTerm = partition.leaderEpoch() != plan.leaderEpoch();
        partition.assign(
                new Assignment(
                        plan.leader(),
                        plan.leaderEpoch(),
                        plan.replicas(),
                        plan.inSync(),
                        plan.change(),
                        self));
        if (plan.leader() == self || !plan.hasLeader()) {
            fetchers.drop(partition);
        } else {
            fetchers.follow(partition, plan.leader(), plan.leaderEpoch());
        }
        if (newTerm) {
            resign(partition);
        }
    }

    /// The replica is elsewhere now, or belongs to an earlier topic of the same name.
    private void moveAway(Partition partition) {
        PartitionId id = partition.id();
        LOG.info("{} does not belong to this broker any more; its data is removed", id);
        leaving.add(id);
        takeOut(partition)
                .flatMap(_ -> folders.moveAway(id))
                .flatMap(_ -> folders.deleteMoved())
                .whenDone(
                        done -> {
                            if (done.isFailed()) {
                                LOG.error("The data of {} is still there", id, done.failure());
                            }
                            leaving.remove(id);
                            lookAgain(id);
                        });
    }

    private void lookAgain(PartitionId id) {
        TopicPlan plan = view.get().findTopic(id.topic());
        if (plan != null && id.index() < plan.partitions().size()) {
            follow(plan, id.index(), configs.effective(plan));
        }
    }

    private Reply<Boolean> takeOut(Partition partition) {
        fetchers.drop(partition);
        partitions.remove(partition.id());
        folders.forget(partition.id());
        return partition.retire(owner);
    }

    @Override
    public Reply<Integer> retire(String topic, UUID id, int count) {
        List<Reply<Boolean>> retired = new ArrayList<>();
        List<PartitionId> gone = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            PartitionId partitionId = new PartitionId(topic, index);
            Partition partition = partitions.find(partitionId);
            if (partition != null && !partition.topicId().equals(id)) {
                continue; // A newer topic of the same name: what is there is its own.
            }
            gone.add(partitionId);
            if (partition != null) {
                retired.add(takeOut(partition));
            }
        }
        // First the files, which makes room on a full disk. Then the checkpoint, which must not
        // speak of these folders any more when new ones of the same name appear: also of those
        // that this process has never opened.
        return Reply.all(retired)
                .flatMap(_ -> folders.moveAway(gone, id))
                .flatMap(
                        away -> {
                            away.forEach(folders::forget);
                            return folders.deleteMoved();
                        })
                .flatMap(_ -> folders.writeCheckpoint())
                .flatMap(_ -> groups == null ? Reply.of(true) : groups.forget(topic, id))
                .map(_ -> count);
    }

    /// On the owner's thread, once, when the plan is known: what was left over when this broker was away.
    void begin() {
        folders.deleteMoved()
                .then(_ -> {}, failure -> LOG.error("Deleted data cannot be removed", failure));
        folders.moveAwayStrangers(this::isElsewhere)
                .then(
                        count -> {
                            if (count > 0) {
                                LOG.info(
                                        "{} replicas have moved to other brokers while this one was away; their data is removed",
                                        count);
                            }
                        },
                        failure -> LOG.error("Data of moved replicas cannot be removed", failure));
        folders.visitAll(partitions);
    }

    /// The topic is there, and this broker is none of the partition's replicas.
    private boolean isElsewhere(PartitionId id) {
        PartitionPlan plan = view.get().findPartition(id);
        return plan != null && !plan.replicas().contains(self);
    }
}
