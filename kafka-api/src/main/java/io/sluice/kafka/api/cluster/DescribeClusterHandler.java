package io.sluice.kafka.api.cluster;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.controller.Controller;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DescribeClusterRequest;
import io.sluice.kafka.wire.message.DescribeClusterResponse;
import io.sluice.kafka.wire.message.DescribeClusterResponse.DescribeClusterBroker;
import java.util.ArrayList;
import java.util.List;

/// DescribeCluster: the brokers and the controller.
public final class DescribeClusterHandler implements Handler<DescribeClusterRequest> {
    private static final byte BROKERS = 1;

    private final Controller controller;

    public DescribeClusterHandler(Controller controller) {
        this.controller = controller;
    }

    @Override
    public Reply<DescribeClusterResponse> handle(
            DescribeClusterRequest request, RequestContext context) {
        ClusterView view = controller.view();
        if (request.endpointType() != BROKERS) {
            return Reply.of(
                    DescribeClusterResponse.builder()
                            .errorCode(ErrorCode.MISMATCHED_ENDPOINT_TYPE.id())
                            .errorMessage(
                                    "This listener serves brokers only; ask with bootstrap.servers.")
                            .clusterId(view.clusterId())
                            .build());
        }
        List<DescribeClusterBroker> brokers = new ArrayList<>();
        for (BrokerView broker : view.brokers()) {
            brokers.add(describe(broker, false));
        }
        if (request.includeFencedBrokers()) {
            for (int member : view.members().keySet()) {
                BrokerView registered = view.findRegistered(member);
                if (registered != null && !view.isLive(member)) {
                    brokers.add(describe(registered, true));
                }
            }
        }
        return Reply.of(
                DescribeClusterResponse.builder()
                        .clusterId(view.clusterId())
                        .controllerId(view.controllerId())
                        .brokers(brokers)
                        .build());
    }

    private static DescribeClusterBroker describe(BrokerView broker, boolean fenced) {
        return DescribeClusterBroker.builder()
                .brokerId(broker.id())
                .host(broker.host())
                .port(broker.port())
                .rack(broker.rack())
                .isFenced(fenced)
                .build();
    }
}
