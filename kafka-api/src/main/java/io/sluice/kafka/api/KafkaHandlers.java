package io.sluice.kafka.api;

import io.sluice.env.Reply;
import io.sluice.kafka.api.cluster.ApiVersionsHandler;
import io.sluice.kafka.api.cluster.DescribeClusterHandler;
import io.sluice.kafka.api.cluster.DescribeTopicPartitionsHandler;
import io.sluice.kafka.api.cluster.MetadataHandler;
import io.sluice.kafka.api.data.FetchHandler;
import io.sluice.kafka.api.data.InitProducerIdHandler;
import io.sluice.kafka.api.data.ListOffsetsHandler;
import io.sluice.kafka.api.data.OffsetForLeaderEpochHandler;
import io.sluice.kafka.api.data.ProduceHandler;
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
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.message.AlterConfigsRequest;
import io.sluice.kafka.wire.message.ApiVersionsRequest;
import io.sluice.kafka.wire.message.CreatePartitionsRequest;
import io.sluice.kafka.wire.message.CreateTopicsRequest;
import io.sluice.kafka.wire.message.DeleteRecordsRequest;
import io.sluice.kafka.wire.message.DeleteTopicsRequest;
import io.sluice.kafka.wire.message.DescribeClusterRequest;
import io.sluice.kafka.wire.message.DescribeConfigsRequest;
import io.sluice.kafka.wire.message.DescribeLogDirsRequest;
import io.sluice.kafka.wire.message.DescribeProducersRequest;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsRequest;
import io.sluice.kafka.wire.message.DescribeTransactionsRequest;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest;
import io.sluice.kafka.wire.message.InitProducerIdRequest;
import io.sluice.kafka.wire.message.ListOffsetsRequest;
import io.sluice.kafka.wire.message.ListTransactionsRequest;
import io.sluice.kafka.wire.message.MetadataRequest;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochRequest;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.record.Invariant;

/// All handlers of this broker: those about data and topics here, the rest with the next in line ([ClusterHandlers][io.sluice.kafka.api.cluster.ClusterHandlers],
/// then [GroupHandlers][io.sluice.kafka.api.groups.GroupHandlers]). The `default` of each switch leads to the next, that of the last one to [#nobodyHandles].
/// Immutable; wired once, in the broker's start.
public record KafkaHandlers(
        ProduceHandler produce,
        FetchHandler fetch,
        ListOffsetsHandler listOffsets,
        OffsetForLeaderEpochHandler offsetForLeaderEpoch,
        InitProducerIdHandler initProducerId,
        ApiVersionsHandler apiVersions,
        MetadataHandler metadata,
        DescribeClusterHandler describeCluster,
        DescribeTopicPartitionsHandler describeTopicPartitions,
        CreateTopicsHandler createTopics,
        DeleteTopicsHandler deleteTopics,
        CreatePartitionsHandler createPartitions,
        DeleteRecordsHandler deleteRecords,
        DescribeConfigsHandler describeConfigs,
        AlterConfigsHandler alterConfigs,
        IncrementalAlterConfigsHandler incrementalAlterConfigs,
        DescribeLogDirsHandler describeLogDirs,
        DescribeProducersHandler describeProducers,
        DescribeTransactionsHandler describeTransactions,
        ListTransactionsHandler listTransactions,
        Handlers others)
        implements Handlers {

    @Override
    public Reply<? extends ApiResponse> handle(ApiRequest request, RequestContext context) {
        return switch (request) {
            case ProduceRequest produced -> produce.handle(produced, context);
            case FetchRequest fetched -> fetch.handle(fetched, context);
            case ListOffsetsRequest asked -> listOffsets.handle(asked, context);
            case OffsetForLeaderEpochRequest asked -> offsetForLeaderEpoch.handle(asked, context);
            case InitProducerIdRequest asked -> initProducerId.handle(asked, context);
            case ApiVersionsRequest asked -> apiVersions.handle(asked, context);
            case MetadataRequest asked -> metadata.handle(asked, context);
            case DescribeClusterRequest asked -> describeCluster.handle(asked, context);
            case DescribeTopicPartitionsRequest asked ->
                    describeTopicPartitions.handle(asked, context);
            case CreateTopicsRequest asked -> createTopics.handle(asked, context);
            case DeleteTopicsRequest asked -> deleteTopics.handle(asked, context);
            case CreatePartitionsRequest asked -> createPartitions.handle(asked, context);
            case DeleteRecordsRequest asked -> deleteRecords.handle(asked, context);
            case DescribeConfigsRequest asked -> describeConfigs.handle(asked, context);
            case AlterConfigsRequest asked -> alterConfigs.handle(asked, context);
            case IncrementalAlterConfigsRequest asked ->
                    incrementalAlterConfigs.handle(asked, context);
            case DescribeLogDirsRequest asked -> describeLogDirs.handle(asked, context);
            case DescribeProducersRequest asked -> describeProducers.handle(asked, context);
            case DescribeTransactionsRequest asked -> describeTransactions.handle(asked, context);
            case ListTransactionsRequest asked -> listTransactions.handle(asked, context);
            default -> others.handle(request, context);
        };
    }

    /// For requests that no group of handlers knows: [SupportedApis] promised something that nobody does. A bug of ours, and not the client's.
    public static Invariant.Violation nobodyHandles(ApiRequest request) {
        return new Invariant.Violation("no handler for " + request.getClass().getSimpleName());
    }
}
