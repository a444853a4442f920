package io.sluice.controller;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says in the log what an operator should know of a change of the plan.
final class PlanNews {
    private static final Logger LOG = LoggerFactory.getLogger(PlanNews.class);

    private PlanNews() {}

    /// By a default, or with fewer replicas than before: the topic takes no `acks=all` until it has more replicas. Whoever sets it for a topic is refused.
    static void tellOfMinInSync(String topic, @Nullable TopicRules rules, int replicas) {
        if (rules != null && rules.minInSync() > replicas) {
            LOG.warn(
                    "Topic '{}' wants min.insync.replicas={} and has {} replica(s): nothing can be acknowledged by all. Lower the setting, or add replicas",
                    topic,
                    rules.minInSync(),
                    replicas);
        }
    }

    /// Of a draft that is durable.
    static void tell(List<Draft.Difference> differences, ControllerCounters counters) {
        int elected = 0;
        for (Draft.Difference one : differences) {
            PartitionPlan before = one.before();
            PartitionPlan after = one.after();
            elected += after.leaderEpoch() == before.leaderEpoch() ? 0 : 1;
            if (Elections.losesData(before, after)) {
                counters.uncleanElections.increment();
                LOG.error(
                        "Unclean election: broker {} leads partition {} though it may lack committed messages; those that had them were {}",
                        after.leader(),
                        one.partition(),
                        before.inSync());
            } else if (after.inSync().isEmpty() && !before.inSync().isEmpty()) {
                counters.partitionsLost.increment();
                LOG.error(
                        "Partition {} is lost: its last in-sync replica {} has come back without its data. Bring the old disk back, or accept the loss by an unclean election",
                        one.partition(),
                        before.inSync());
            } else if (!after.hasLeader() && before.hasLeader()) {
                LOG.warn(
                        "Partition {} has no leader: none of {} is live",
                        one.partition(),
                        after.inSync());
            }
        }
        counters.elections.add(elected);
        if (elected > 0) {
            LOG.info("{} partition(s) have a new term of office", elected);
        }
    }
}
