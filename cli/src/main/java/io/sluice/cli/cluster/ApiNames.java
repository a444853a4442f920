package io.sluice.cli.cluster;

/// The names of Kafka's APIs by their keys. kafka-clients has them, but not in its public API.
///
/// Stateless.
final class ApiNames {
    private static final String[] NAMES = new String[95];

    static {
        name(0, "Produce", "Fetch", "ListOffsets", "Metadata");
        name(4, "LeaderAndIsr", "StopReplica", "UpdateMetadata", "ControlledShutdown");
        name(8, "OffsetCommit", "OffsetFetch", "FindCoordinator", "JoinGroup", "Heartbeat");
        name(13, "LeaveGroup", "SyncGroup", "DescribeGroups", "ListGroups", "SaslHandshake");
        name(18, "ApiVersions", "CreateTopics", "DeleteTopics", "DeleteRecords", "InitProducerId");
        name(23, "OffsetForLeaderEpoch", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn");
        name(27, "WriteTxnMarkers", "TxnOffsetCommit", "DescribeAcls", "CreateAcls", "DeleteAcls");
        name(32, "DescribeConfigs", "AlterConfigs", "AlterReplicaLogDirs", "DescribeLogDirs");
        name(36, "SaslAuthenticate", "CreatePartitions", "CreateDelegationToken");
        name(39, "RenewDelegationToken", "ExpireDelegationToken", "DescribeDelegationToken");
        name(42, "DeleteGroups", "ElectLeaders", "IncrementalAlterConfigs");
        name(45, "AlterPartitionReassignments", "ListPartitionReassignments", "OffsetDelete");
        name(48, "DescribeClientQuotas", "AlterClientQuotas", "DescribeUserScramCredentials");
        name(51, "AlterUserScramCredentials", "Vote", "BeginQuorumEpoch", "EndQuorumEpoch");
        name(55, "DescribeQuorum", "AlterPartition", "UpdateFeatures", "Envelope", "FetchSnapshot");
        name(60, "DescribeCluster", "DescribeProducers", "BrokerRegistration", "BrokerHeartbeat");
        name(64, "UnregisterBroker", "DescribeTransactions", "ListTransactions");
        name(67, "AllocateProducerIds", "ConsumerGroupHeartbeat", "ConsumerGroupDescribe");
        name(70, "ControllerRegistration", "GetTelemetrySubscriptions", "PushTelemetry");
        name(73, "AssignReplicasToDirs", "ListConfigResources", "DescribeTopicPartitions");
        name(76, "ShareGroupHeartbeat", "ShareGroupDescribe", "ShareFetch", "ShareAcknowledge");
        name(80, "AddRaftVoter", "RemoveRaftVoter", "UpdateRaftVoter");
        name(83, "InitializeShareGroupState", "ReadShareGroupState", "WriteShareGroupState");
        name(86, "DeleteShareGroupState", "ReadShareGroupStateSummary");
        name(88, "StreamsGroupHeartbeat", "StreamsGroupDescribe");
        name(90, "DescribeShareGroupOffsets", "AlterShareGroupOffsets", "DeleteShareGroupOffsets");
        name(93, "StreamsGroupTopologyDescriptionUpdate", "UnregisterController");
    }

    private ApiNames() {}

    private static void name(int first, String... names) {
        System.arraycopy(names, 0, NAMES, first, names.length);
    }

    /// The API's name; for one that is newer than this list, its key.
    static String of(short key) {
        return key >= 0 && key < NAMES.length && NAMES[key] != null ? NAMES[key] : "Api" + key;
    }
}
