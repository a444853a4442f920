package io.sluice.controller;

/// Settings of a topic by which leaders are chosen. Immutable.
///
/// @param minInSync with fewer in-sync replicas nothing is committed
/// @param uncleanElection a replica without all committed data may lead when nobody else can
/// @param losesUnflushed what is committed may be in the page cache alone: a replica that crashed may lack it
public record TopicRules(int minInSync, boolean uncleanElection, boolean losesUnflushed) {
    /// Also of topics whose settings cannot be read: the careful choice.
    public static final TopicRules DEFAULT = new TopicRules(1, false, false);

    int minInSync(PartitionPlan plan) {
        return Math.min(minInSync, plan.replicas().size() - plan.removing().size());
    }
}
