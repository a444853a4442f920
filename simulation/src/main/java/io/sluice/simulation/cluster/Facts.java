package io.sluice.simulation.cluster;

/// What is known of a run from outside of it. Immutable.
public record Facts(
        Cluster cluster, History history, StoredPlans plans, ReplicaLogs logs, OpenedLogs opened) {
    /// Whether a replica on this broker may lack what is committed, because its disk lost it and the controller has not been told yet.
    public boolean mayLack(SimBroker broker, StoredPlan plan) {
        return broker.isMissingData(plan.id(), isPageCache(plan));
    }

    /// The offsets topic is always safe.
    public boolean isPageCache(StoredPlan plan) {
        TopicShape topic = cluster.shape().topic();
        return topic.pageCache() && topic.name().equals(plan.id().topic());
    }
}
