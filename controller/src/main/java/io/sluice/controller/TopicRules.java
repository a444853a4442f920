package io.sluice.controller;

import java.util.Map;

/// Settings of a topic by which leaders are chosen, and by which they commit. Immutable.
///
/// Both must go by the same: a controller that counts on two in-sync replicas would make somebody leader who lacks what a leader has committed alone. So they are noted in the topic's plan, with the brokers'
/// defaults for what the topic does not set, and nobody goes by defaults of its own.
///
/// @param minInSync with fewer in-sync replicas nothing is committed
/// @param uncleanElection a replica without all committed data may lead when nobody else can
/// @param losesUnflushed what is committed may be in the page cache alone: a replica that crashed may lack it
public record TopicRules(int minInSync, boolean uncleanElection, boolean losesUnflushed) {
    /// Also of topics whose settings cannot be read: the careful choice.
    public static final TopicRules DEFAULT = new TopicRules(1, false, false);

    static final String MIN_IN_SYNC = "min.insync.replicas";
    static final String UNCLEAN_ELECTION = "unclean.leader.election.enable";
    static final String FLUSH = "flush";
    private static final String PAGE_CACHE = "page-cache";

    int minInSync(PartitionPlan plan) {
        return Math.min(minInSync, plan.replicas().size() - plan.removing().size());
    }

    /// In the words of the topic's settings.
    public Map<String, String> settings() {
        return Map.of(
                MIN_IN_SYNC, String.valueOf(minInSync),
                UNCLEAN_ELECTION, String.valueOf(uncleanElection),
                FLUSH, losesUnflushed ? PAGE_CACHE : "fsync");
    }

    /// What [#settings] says; what is not there is as in [#DEFAULT].
    static TopicRules of(Map<String, String> settings) {
        return new TopicRules(
                Integer.parseInt(
                        settings.getOrDefault(MIN_IN_SYNC, String.valueOf(DEFAULT.minInSync()))),
                Boolean.parseBoolean(settings.get(UNCLEAN_ELECTION)),
                PAGE_CACHE.equals(settings.get(FLUSH)));
    }
}
