package io.sluice.broker;

import io.sluice.controller.Controller;
import io.sluice.controller.ProducerIds;
import io.sluice.env.Entropy;
import io.sluice.kafka.api.KafkaHandlers;
import io.sluice.kafka.api.cluster.ApiVersionsHandler;
import io.sluice.kafka.api.cluster.DescribeClusterHandler;
import io.sluice.kafka.api.cluster.DescribeTopicPartitionsHandler;
import io.sluice.kafka.api.cluster.LeaderEpochSource;
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
import io.sluice.kafka.api.groups.SyncGroupHandler;
import io.sluice.kafka.api.topics.AlterConfigsHandler;
import io.sluice.kafka.api.topics.CreatePartitionsHandler;
import io.sluice.kafka.api.topics.CreateTopicsHandler;
import io.sluice.kafka.api.topics.DeleteRecordsHandler;
import io.sluice.kafka.api.topics.DeleteTopicsHandler;
import io.sluice.kafka.api.topics.DescribeConfigsHandler;
import io.sluice.kafka.api.topics.DescribeLogDirsHandler;
import io.sluice.kafka.api.topics.DescribeProducersHandler;
import io.sluice.kafka.api.topics.DescribeTransactionsHandler;
import io.sluice.kafka.api.topics.IncrementalAlterConfigsHandler;
import io.sluice.kafka.api.topics.ListTransactionsHandler;
import io.sluice.kafka.api.topics.TopicConfigView;
import io.sluice.partition.PartitionDirectory;

import java.nio.file.Path;

/// The handlers of the Kafka protocol, wired by hand: each gets what it needs and nothing else. Immutable.
record KafkaWiring(
        Controller controller,
        BrokerStorage storage,
        ProducerIds producerIds,
        TopicConfigView topicConfigs,
        BrokerSettings settings,
        Path dataPath,
        GroupCoordinators coordinators,
        Entropy entropy) {

    KafkaHandlers handlers() {
        PartitionDirectory partitions = storage.partitions();
        LeaderEpochSource epochs = (plan, index) -> plan.partitions().get(index).leaderEpoch();
        return new KafkaHandlers(
                new ProduceHandler(partitions, controller),
                new FetchHandler(partitions, controller),
                new ListOffsetsHandler(partitions),
                new OffsetForLeaderEpochHandler(partitions),
                new InitProducerIdHandler(producerIds),
                new ApiVersionsHandler(),
                new MetadataHandler(controller, epochs, settings.broker().topics().autoCreate()),
                new DescribeClusterHandler(controller),
                new DescribeTopicPartitionsHandler(controller, epochs),
                new CreateTopicsHandler(controller, topicConfigs),
                new DeleteTopicsHandler(controller),
                new CreatePartitionsHandler(controller),
                new DeleteRecordsHandler(partitions),
                new DescribeConfigsHandler(
                        controller,
                        topicConfigs,
                        settings.broker().nodeId(),
                        settings.definitions()),
                new AlterConfigsHandler(controller),
                new IncrementalAlterConfigsHandler(controller, topicConfigs),
                new DescribeLogDirsHandler(
                        controller, partitions, storage.disk(), dataPath.toString()),
                new DescribeProducersHandler(partitions),
                new DescribeTransactionsHandler(),
                new ListTransactionsHandler(),
                groupHandlers());
    }

    private GroupHandlers groupHandlers() {
        return new GroupHandlers(
                new FindCoordinatorHandler(controller::view),
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
