package io.sluice.kafka.api.cluster;

import io.sluice.env.Reply;
import io.sluice.kafka.api.Handlers;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.topics.AlterPartitionReassignmentsHandler;
import io.sluice.kafka.api.topics.ElectLeadersHandler;
import io.sluice.kafka.api.topics.ListPartitionReassignmentsHandler;
import io.sluice.kafka.api.topics.UnregisterBrokerHandler;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsRequest;
import io.sluice.kafka.wire.message.AlterPartitionRequest;
import io.sluice.kafka.wire.message.BrokerHeartbeatRequest;
import io.sluice.kafka.wire.message.ElectLeadersRequest;
import io.sluice.kafka.wire.message.ListPartitionReassignmentsRequest;
import io.sluice.kafka.wire.message.UnregisterBrokerRequest;

/// What brokers say to each other, and what moves partitions among them. Immutable.
///
/// @param others for everything else
public record ClusterHandlers(
        BrokerHeartbeatHandler brokerHeartbeat,
        AlterPartitionHandler alterPartition,
        AlterPartitionReassignmentsHandler alterReassignments,
        ListPartitionReassignmentsHandler listReassignments,
        ElectLeadersHandler electLeaders,
        UnregisterBrokerHandler unregisterBroker,
        Handlers others)
        implements Handlers {

    @Override
    public Reply<? extends ApiResponse> handle(ApiRequest request, RequestContext context) {
        return switch (request) {
            case BrokerHeartbeatRequest told -> brokerHeartbeat.handle(told, context);
            case AlterPartitionRequest asked -> alterPartition.handle(asked, context);
            case AlterPartitionReassignmentsRequest asked ->
                    alterReassignments.handle(asked, context);
            case ListPartitionReassignmentsRequest asked ->
                    listReassignments.handle(asked, context);
            case ElectLeadersRequest asked -> electLeaders.handle(asked, context);
            case UnregisterBrokerRequest asked -> unregisterBroker.handle(asked, context);
            default -> others.handle(request, context);
        };
    }
}
