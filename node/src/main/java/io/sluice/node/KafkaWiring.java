package io.sluice.node;

import io.sluice.controller.Controller;
import io.sluice.controller.ProducerIds;
import io.sluice.env.Disk;
import io.sluice.env.Entropy;
import io.sluice.kafka.api.KafkaHandlers;
import io.sluice.kafka.api.OwnPlace;
import io.sluice.kafka.api.ToController;
import io.sluice.kafka.api.cluster.AlterPartitionHandler;
import io.sluice.kafka.api.cluster.ApiVersionsHandler;
import io.sluice.kafka.api.cluster.BrokerHeartbeatHandler;
import io.sluice.kafka.api.cluster.ClusterHandlers;
import io.sluice.kafka.api.cluster.DescribeClusterHandler;
import io.sluice.kafka.api.cluster.DescribeTopicPartitionsHandler;
import io.sluice.kafka.api.cluster.MetadataHandler;
import io.sluice.kafka.api.data.FetchHandler;
import io.sluice.kafka.api.data.InitProducerIdHandler;
import io.sluice.kafka.api.data.ListOffsetsHandler;
import io.sluice.kafka.api.data.OffsetForLeaderEpochHandler;
import io.sluice.kafka.api.data.ProduceHandler;
import io.sluice.kafka.api.groups.ConsumerGroupDescribeHandler;
import io.sluice.kafka.api.groups.DeleteGroupsHandler;
import io.sluice.kafka.api.groups.DescribeGroupsHandler;
import io.sluice.kafka.api.groups.FindCoordinatorHandler;
import io.sluice.kafka.api.groups.GroupCoordinators;
import io.sluice.kafka.api.groups.GroupHandlers;
import io.sluice.kafka.api.groups.HeartbeatHandler;
import io.sluice.kafka.api.groups.JoinGroupHandler;
import io.sluice.kafka.api.groups.LeaveGroupHandler;
import io.sluice.kafka.api.groups.ListGroupsHandler;
import io.sluice.kafka.api.groups.OffsetCommitHandler;
import io.sluice.kafka.api.groups.OffsetDeleteHandler;
import io.sluice.kafka.api.groups.OffsetFetchHandler;
import io.sluice.kafka.api.groups.OffsetsTopic;
import io.sluice.kafka.api.groups.SyncGroupHandler;
import io.sluice.kafka.api.topics.AlterConfigsHandler;
import io.sluice.kafka.api.topics.AlterPartitionReassignmentsHandler;
import io.sluice.kafka.api.topics.CreatePartitionsHandler;
import io.sluice.kafka.api.topics.CreateTopicsHandler;
import io.sluice.kafka.api.topics.DeleteRecordsHandler;
import io.sluice.kafka.api.topics.DeleteTopicsHandler;
import io.sluice.kafka.api.topics.DescribeConfigsHandler;
import io.sluice.kafka.api.topics.DescribeLogDirsHandler;
import io.sluice.kafka.api.topics.DescribeProducersHandler;
import io.sluice.kafka.api.topics.DescribeTransactionsHandler;
import io.sluice.kafka.api.topics.ElectLeadersHandler;
import io.sluice.kafka.api.topics.IncrementalAlterConfigsHandler;
import io.sluice.kafka.api.topics.ListPartitionReassignmentsHandler;
import io.sluice.kafka.api.topics.ListTransactionsHandler;
import io.sluice.kafka.api.topics.TopicConfigView;
import io.sluice.kafka.api.topics.TopicCreation;
import io.sluice.kafka.api.topics.UnregisterBrokerHandler;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.ShardCounters;

/// The handlers of the Kafka protocol, wired by hand: each gets what it needs and nothing else. Immutable.
record KafkaWiring(
        Controller controller,
        PartitionDirectory partitions,
        Disk disk,
        Entropy entropy,
        ProducerIds producerIds,
        TopicConfigView topicConfigs,
        NodeSettings settings,
        GroupCoordinators coordinators,
        OffsetsTopic offsets,
        TopicCreation creation,
        ToController elsewhere,
        ShardCounters shardCounters) {

    KafkaHandlers handlers() {
        int self = settings.nodeId();
        return new KafkaHandlers(
                new ProduceHandler(partitions, controller, self),
                new FetchHandler(partitions, controller::view, self),
                new ListOffsetsHandler(partitions),
                new OffsetForLeaderEpochHandler(partitions),
                new InitProducerIdHandler(producerIds),
                new ApiVersionsHandler(),
                new MetadataHandler(controller, place(), creation, settings.topics().autoCreate()),
                new DescribeClusterHandler(controller),
                new DescribeTopicPartitionsHandler(controller, place()),
                new CreateTopicsHandler(
                        controller, topicConfigs, settings.topics().offsetsPartitions()),
                new DeleteTopicsHandler(controller),
                new CreatePartitionsHandler(controller),
                new DeleteRecordsHandler(partitions),
                new DescribeConfigsHandler(
                        controller,
                        topicConfigs,
                        self,
                        settings.definitions(),
                        shardCounters.damagesPresent::sum),
                new AlterConfigsHandler(controller, elsewhere),
                new IncrementalAlterConfigsHandler(controller, elsewhere, topicConfigs),
                new DescribeLogDirsHandler(controller, partitions, disk, settings.dataPath()),
                new DescribeProducersHandler(partitions),
                new DescribeTransactionsHandler(),
                new ListTransactionsHandler(),
                clusterHandlers());
    }

    private OwnPlace place() {
        return new OwnPlace(settings.nodeId(), controller.standing()::isCertain);
    }

    private ClusterHandlers clusterHandlers() {
        return new ClusterHandlers(
                new BrokerHeartbeatHandler(controller),
                new AlterPartitionHandler(controller),
                new AlterPartitionReassignmentsHandler(controller),
                new ListPartitionReassignmentsHandler(controller),
                new ElectLeadersHandler(controller),
                new UnregisterBrokerHandler(controller, elsewhere),
                groupHandlers());
    }

    private GroupHandlers groupHandlers() {
        return new GroupHandlers(
                new FindCoordinatorHandler(offsets, controller::view, place()),
                new JoinGroupHandler(coordinators, entropy),
                new SyncGroupHandler(coordinators),
                new HeartbeatHandler(coordinators),
                new LeaveGroupHandler(coordinators),
                new OffsetCommitHandler(coordinators, controller::view),
                new OffsetFetchHandler(coordinators, controller::view),
                new OffsetDeleteHandler(coordinators),
                new DescribeGroupsHandler(coordinators),
                new ListGroupsHandler(coordinators),
                new DeleteGroupsHandler(coordinators),
                new ConsumerGroupDescribeHandler());
    }
}
