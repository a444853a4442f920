package io.sluice.conformance.raw;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;

/// One sensible request for each API, in the shape that each of its versions has; all are about partition 0 of one topic, and about a group that has nobody in it.
///
/// Immutable.
public record Requests(String topic, Uuid topicId, String group) {
    private static final byte TOPIC_RESOURCE = 2;

    /// Fails for an API that this list does not know yet: whoever offers a new one says here how it is asked.
    public ApiMessage of(ApiKeys api, int version) {
        return switch (api) {
            case PRODUCE -> produce();
            case FETCH -> fetch();
            case LIST_OFFSETS -> listOffsets();
            case OFFSET_FOR_LEADER_EPOCH -> offsetForLeaderEpoch();
            case INIT_PRODUCER_ID ->
                    new InitProducerIdRequestData()
                            .setTransactionalId(null)
                            .setTransactionTimeoutMs(60_000);
            case DESCRIBE_PRODUCERS -> describeProducers();
            case DESCRIBE_TRANSACTIONS ->
                    new DescribeTransactionsRequestData().setTransactionalIds(List.of());
            case LIST_TRANSACTIONS -> new ListTransactionsRequestData();
            case API_VERSIONS ->
                    new ApiVersionsRequestData()
                            .setClientSoftwareName("raw")
                            .setClientSoftwareVersion("1");
            case METADATA -> metadata();
            case DESCRIBE_CLUSTER -> new DescribeClusterRequestData();
            case DESCRIBE_TOPIC_PARTITIONS ->
                    new DescribeTopicPartitionsRequestData()
                            .setTopics(
                                    List.of(
                                            new DescribeTopicPartitionsRequestData.TopicRequest()
                                                    .setName(topic)));
            case CREATE_TOPICS, DELETE_TOPICS, CREATE_PARTITIONS, DELETE_RECORDS ->
                    ofTopics(api, version);
            case DESCRIBE_LOG_DIRS -> new DescribeLogDirsRequestData().setTopics(null);
            case DESCRIBE_CONFIGS, ALTER_CONFIGS, INCREMENTAL_ALTER_CONFIGS -> ofConfigs(api);
            case ELECT_LEADERS,
                    ALTER_PARTITION_REASSIGNMENTS,
                    LIST_PARTITION_REASSIGNMENTS,
                    UNREGISTER_BROKER ->
                    ofCluster(api);
            default -> ofGroups(api, version);
        };
    }

    /// On one node there is nothing to elect, to move or to cancel, and nobody else to forget.
    private ApiMessage ofCluster(ApiKeys api) {
        return switch (api) {
            case ELECT_LEADERS -> {
                ElectLeadersRequestData.TopicPartitionsCollection topics =
                        new ElectLeadersRequestData.TopicPartitionsCollection();
                topics.add(
                        new ElectLeadersRequestData.TopicPartitions()
                                .setTopic(topic)
                                .setPartitions(List.of(0)));
                yield new ElectLeadersRequestData().setTopicPartitions(topics).setTimeoutMs(30_000);
            }
            case ALTER_PARTITION_REASSIGNMENTS ->
                    new AlterPartitionReassignmentsRequestData()
                            .setTimeoutMs(30_000)
                            .setTopics(
                                    List.of(
                                            new AlterPartitionReassignmentsRequestData
                                                            .ReassignableTopic()
                                                    .setName(topic)
                                                    .setPartitions(
                                                            List.of(
                                                                    new AlterPartitionReassignmentsRequestData
                                                                                    .ReassignablePartition()
                                                                            .setPartitionIndex(0)
                                                                            .setReplicas(null)))));
            case LIST_PARTITION_REASSIGNMENTS ->
                    new ListPartitionReassignmentsRequestData().setTopics(null);
            default -> new UnregisterBrokerRequestData().setBrokerId(77);
        };
    }

    private ApiMessage produce() {
        ProduceRequestData.PartitionProduceData partition =
                new ProduceRequestData.PartitionProduceData()
                        .setRecords(
                                MemoryRecords.readableRecords(ByteBuffer.wrap(Batches.valid())));
        ProduceRequestData.TopicProduceDataCollection topics =
                new ProduceRequestData.TopicProduceDataCollection();
        topics.add(
                new ProduceRequestData.TopicProduceData()
                        .setName(topic)
                        .setTopicId(topicId)
                        .setPartitionData(List.of(partition)));
        return new ProduceRequestData()
                .setAcks((short) -1)
                .setTimeoutMs(30_000)
                .setTopicData(topics);
    }

    private ApiMessage fetch() {
        FetchRequestData.FetchTopic one =
                new FetchRequestData.FetchTopic()
                        .setTopic(topic)
                        .setTopicId(topicId)
                        .setPartitions(
                                List.of(
                                        new FetchRequestData.FetchPartition()
                                                .setPartitionMaxBytes(1_000)));
        return new FetchRequestData()
                .setMaxWaitMs(0)
                .setMinBytes(0)
                .setMaxBytes(1_000)
                .setTopics(List.of(one));
    }

    private ApiMessage listOffsets() {
        return new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(
                        List.of(
                                new ListOffsetsRequestData.ListOffsetsTopic()
                                        .setName(topic)
                                        .setPartitions(
                                                List.of(
                                                        new ListOffsetsRequestData
                                                                        .ListOffsetsPartition()
                                                                .setTimestamp(-1)))));
    }

    private ApiMessage offsetForLeaderEpoch() {
        OffsetForLeaderEpochRequestData.OffsetForLeaderTopicCollection topics =
                new OffsetForLeaderEpochRequestData.OffsetForLeaderTopicCollection();
        topics.add(
                new OffsetForLeaderEpochRequestData.OffsetForLeaderTopic()
                        .setTopic(topic)
                        .setPartitions(
                                List.of(
                                        new OffsetForLeaderEpochRequestData
                                                .OffsetForLeaderPartition())));
        return new OffsetForLeaderEpochRequestData().setReplicaId(-1).setTopics(topics);
    }

    private ApiMessage describeProducers() {
        DescribeProducersRequestData.TopicRequestCollection topics =
                new DescribeProducersRequestData.TopicRequestCollection();
        topics.add(
                new DescribeProducersRequestData.TopicRequest()
                        .setName(topic)
                        .setPartitionIndexes(List.of(0)));
        return new DescribeProducersRequestData().setTopics(topics);
    }

    private ApiMessage metadata() {
        return new MetadataRequestData()
                .setTopics(List.of(new MetadataRequestData.MetadataRequestTopic().setName(topic)));
    }

    private ApiMessage ofTopics(ApiKeys api, int version) {
        return switch (api) {
            case CREATE_TOPICS -> {
                CreateTopicsRequestData.CreatableTopicCollection topics =
                        new CreateTopicsRequestData.CreatableTopicCollection();
                topics.add(
                        new CreateTopicsRequestData.CreatableTopic()
                                .setName(topic + "-new-" + version)
                                .setNumPartitions(1)
                                .setReplicationFactor((short) 1));
                yield new CreateTopicsRequestData().setTopics(topics).setTimeoutMs(30_000);
            }
            case DELETE_TOPICS -> {
                // CreateTopics begins with version 2, and DeleteTopics with version 1.
                String doomed = topic + "-new-" + (version + 1);
                DeleteTopicsRequestData delete = new DeleteTopicsRequestData().setTimeoutMs(30_000);
                yield version < 6
                        ? delete.setTopicNames(List.of(doomed))
                        : delete.setTopics(
                                List.of(
                                        new DeleteTopicsRequestData.DeleteTopicState()
                                                .setName(doomed)));
            }
            case CREATE_PARTITIONS -> {
                CreatePartitionsRequestData.CreatePartitionsTopicCollection topics =
                        new CreatePartitionsRequestData.CreatePartitionsTopicCollection();
                topics.add(
                        new CreatePartitionsRequestData.CreatePartitionsTopic()
                                .setName(topic)
                                .setCount(version + 2)
                                .setAssignments(null));
                yield new CreatePartitionsRequestData().setTopics(topics).setTimeoutMs(30_000);
            }
            default ->
                    new DeleteRecordsRequestData()
                            .setTimeoutMs(30_000)
                            .setTopics(
                                    List.of(
                                            new DeleteRecordsRequestData.DeleteRecordsTopic()
                                                    .setName(topic)
                                                    .setPartitions(
                                                            List.of(
                                                                    new DeleteRecordsRequestData
                                                                            .DeleteRecordsPartition()))));
        };
    }

    private ApiMessage ofConfigs(ApiKeys api) {
        return switch (api) {
            case DESCRIBE_CONFIGS ->
                    new DescribeConfigsRequestData()
                            .setResources(
                                    List.of(
                                            new DescribeConfigsRequestData.DescribeConfigsResource()
                                                    .setResourceType(TOPIC_RESOURCE)
                                                    .setResourceName(topic)
                                                    .setConfigurationKeys(null)));
            case ALTER_CONFIGS -> {
                AlterConfigsRequestData.AlterConfigsResourceCollection resources =
                        new AlterConfigsRequestData.AlterConfigsResourceCollection();
                resources.add(
                        new AlterConfigsRequestData.AlterConfigsResource()
                                .setResourceType(TOPIC_RESOURCE)
                                .setResourceName(topic));
                yield new AlterConfigsRequestData().setResources(resources);
            }
            default -> {
                IncrementalAlterConfigsRequestData.AlterConfigsResourceCollection resources =
                        new IncrementalAlterConfigsRequestData.AlterConfigsResourceCollection();
                resources.add(
                        new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                                .setResourceType(TOPIC_RESOURCE)
                                .setResourceName(topic));
                yield new IncrementalAlterConfigsRequestData().setResources(resources);
            }
        };
    }

    private ApiMessage ofGroups(ApiKeys api, int version) {
        return switch (api) {
            case FIND_COORDINATOR ->
                    version < 4
                            ? new FindCoordinatorRequestData().setKey(group)
                            : new FindCoordinatorRequestData().setCoordinatorKeys(List.of(group));
            case JOIN_GROUP -> joinGroup();
            case SYNC_GROUP ->
                    new SyncGroupRequestData()
                            .setGroupId(group)
                            .setMemberId("nobody")
                            .setProtocolType("consumer")
                            .setProtocolName("range");
            case HEARTBEAT -> new HeartbeatRequestData().setGroupId(group).setMemberId("nobody");
            case LEAVE_GROUP -> {
                LeaveGroupRequestData leave = new LeaveGroupRequestData().setGroupId(group);
                yield version < 3
                        ? leave.setMemberId("nobody")
                        : leave.setMembers(
                                List.of(
                                        new LeaveGroupRequestData.MemberIdentity()
                                                .setMemberId("nobody")));
            }
            case DESCRIBE_GROUPS -> new DescribeGroupsRequestData().setGroups(List.of(group));
            case CONSUMER_GROUP_DESCRIBE ->
                    new ConsumerGroupDescribeRequestData().setGroupIds(List.of(group));
            case LIST_GROUPS -> new ListGroupsRequestData();
            case DELETE_GROUPS -> new DeleteGroupsRequestData().setGroupsNames(List.of(group));
            case OFFSET_COMMIT -> offsetCommit();
            case OFFSET_FETCH -> offsetFetch(version);
            case OFFSET_DELETE -> offsetDelete();
            default -> throw new AssertionError("How is " + api + " asked?");
        };
    }

    /// With a session of no time at all, which is refused at once: a good one would wait for others.
    private ApiMessage joinGroup() {
        JoinGroupRequestData.JoinGroupRequestProtocolCollection protocols =
                new JoinGroupRequestData.JoinGroupRequestProtocolCollection();
        protocols.add(
                new JoinGroupRequestData.JoinGroupRequestProtocol()
                        .setName("range")
                        .setMetadata(new byte[0]));
        return new JoinGroupRequestData()
                .setGroupId(group)
                .setSessionTimeoutMs(0)
                .setProtocolType("consumer")
                .setProtocols(protocols);
    }

    private ApiMessage offsetCommit() {
        OffsetCommitRequestData.OffsetCommitRequestTopic one =
                new OffsetCommitRequestData.OffsetCommitRequestTopic()
                        .setName(topic)
                        .setTopicId(topicId)
                        .setPartitions(
                                List.of(
                                        new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                                .setCommittedOffset(1)));
        return new OffsetCommitRequestData().setGroupId(group).setTopics(List.of(one));
    }

    private ApiMessage offsetDelete() {
        OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection topics =
                new OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection();
        topics.add(
                new OffsetDeleteRequestData.OffsetDeleteRequestTopic()
                        .setName(topic)
                        .setPartitions(
                                List.of(
                                        new OffsetDeleteRequestData
                                                .OffsetDeleteRequestPartition())));
        return new OffsetDeleteRequestData().setGroupId(group).setTopics(topics);
    }

    private ApiMessage offsetFetch(int version) {
        if (version < 8) {
            return new OffsetFetchRequestData()
                    .setGroupId(group)
                    .setTopics(
                            List.of(
                                    new OffsetFetchRequestData.OffsetFetchRequestTopic()
                                            .setName(topic)
                                            .setPartitionIndexes(List.of(0))));
        }
        return new OffsetFetchRequestData()
                .setGroups(
                        List.of(
                                new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                        .setGroupId(group)
                                        .setTopics(
                                                List.of(
                                                        new OffsetFetchRequestData
                                                                        .OffsetFetchRequestTopics()
                                                                .setName(topic)
                                                                .setTopicId(topicId)
                                                                .setPartitionIndexes(
                                                                        List.of(0))))));
    }
}
