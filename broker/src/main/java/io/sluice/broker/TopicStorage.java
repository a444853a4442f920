package io.sluice.broker;

import io.sluice.controller.ClusterView;
import io.sluice.controller.TopicData;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Disk;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.kafka.api.topics.TopicConfigView;
import io.sluice.log.PartitionFolder;
import io.sluice.log.TopicSettings;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.record.PartitionId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;

/// Follows the plan: a partition object for every planned partition, settings passed on, data of deleted topics moved out of the way.
///
/// Owned by the controller's mailbox.
final class TopicStorage implements TopicData {
    private static final Logger LOG = LoggerFactory.getLogger(TopicStorage.class);

    private final PartitionDirectory partitions;
    private final TopicConfigView configs;
    private final Disk disk;
    private final Workers workers;
    private final Mailbox owner;
    private final PartitionKeeper keeper;
    private Offsets offsets = _ -> Reply.of(true);

    TopicStorage(BrokerStorage storage, TopicConfigView configs, BrokerThreads threads) {
        this.partitions = storage.partitions();
        this.keeper = storage.keeper();
        this.configs = configs;
        this.disk = storage.disk();
        this.workers = threads.workers();
        this.owner = threads.controller();
    }

    /// New topics and partitions appear, changed settings are passed on. Deletions come through [#retire].
    void follow(ClusterView before, ClusterView after) {
        for (TopicPlan plan : after.topics()) {
            TopicPlan old = before.findTopic(plan.id());
            if (old != null && old.version() == plan.version()) {
                continue;
            }
            TopicSettings settings = configs.effective(plan.settings());
            for (int index = 0; index < plan.partitions().size(); index++) {
                PartitionId id = new PartitionId(plan.name(), index);
                Partition partition = partitions.find(id);
                if (partition == null) {
                    partitions.add(
                            id, plan.id(), settings, plan.partitions().get(index).leaderEpoch());
                } else {
                    partition.changeSettings(settings);
                }
            }
        }
    }

    @Override
    public Reply<Integer> retire(String topic, UUID id, int count) {
        List<Reply<Boolean>> retired = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            PartitionId partitionId = new PartitionId(topic, index);
            Partition partition = partitions.remove(partitionId);
            if (partition != null) {
                retired.add(partition.retire(owner));
            }
            keeper.forget(partitionId);
        }
        // First the files, which makes room on a full disk. Then the checkpoint, which must not
        // speak
        // of these folders any more when new ones of the same name appear.
        return Reply.all(retired)
                .flatMap(_ -> work(() -> moveAway(topic, id, count)))
                .flatMap(_ -> deleteMoved())
                .flatMap(_ -> keeper.write())
                .flatMap(_ -> offsets.forget(topic))
                .map(_ -> count);
    }

    private <T> Reply<T> work(Callable<T> job) {
        return workers.call(Workers.Kind.HOUSEKEEPING, owner, job);
    }

    /// What groups remember of a topic. The reply fails when some of it could not be forgotten now.
    interface Offsets {
        Reply<Boolean> forget(String topic);
    }

    /// Set once, when the groups are served.
    void offsets(Offsets groups) {
        offsets = groups;
    }

    private int moveAway(String topic, UUID id, int count) {
        for (int index = 0; index < count; index++) {
            PartitionFolder.markDeleted(
                    disk, new PartitionId(topic, index).toString(), id + "-" + index);
        }
        return count;
    }

    /// On the owner's thread, once, when the plan is known.
    void begin() {
        deleteMoved()
                .then(_ -> {}, failure -> LOG.error("Deleted data cannot be removed", failure));
        new FirstVisits(disk, partitions, workers, owner).begin();
    }

    /// Frees the space of what was moved away, now or before a crash.
    private Reply<Boolean> deleteMoved() {
        return work(
                () -> {
                    for (String name : disk.list("")) {
                        if (PartitionFolder.isDeleted(name)) {
                            PartitionFolder.remove(disk, name);
                        }
                    }
                    return true;
                });
    }
}
