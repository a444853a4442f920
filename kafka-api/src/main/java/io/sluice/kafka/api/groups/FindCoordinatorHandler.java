package io.sluice.kafka.api.groups;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FindCoordinatorRequest;
import io.sluice.kafka.wire.message.FindCoordinatorResponse;
import io.sluice.kafka.wire.message.FindCoordinatorResponse.Coordinator;

import java.util.List;
import java.util.function.Supplier;

/// FindCoordinator: which broker keeps a group (Q18).
public final class FindCoordinatorHandler implements Handler<FindCoordinatorRequest> {
    private static final byte GROUP = 0;
    private static final short SEVERAL_KEYS = 4;

    private final Supplier<ClusterView> cluster;

    public FindCoordinatorHandler(Supplier<ClusterView> cluster) {
        this.cluster = cluster;
    }

    @Override
    public Reply<FindCoordinatorResponse> handle(
            FindCoordinatorRequest request, RequestContext context) {
        if (context.version() >= SEVERAL_KEYS) {
            List<Coordinator> found =
                    request.coordinatorKeys().stream()
                            .map(key -> find(key, request.keyType()))
                            .toList();
            return Reply.of(FindCoordinatorResponse.builder().coordinators(found).build());
        }
        Coordinator only = find(request.key(), request.keyType());
        return Reply.of(
                FindCoordinatorResponse.builder()
                        .errorCode(only.errorCode())
                        .errorMessage(only.errorMessage())
                        .nodeId(only.nodeId())
                        .host(only.host())
                        .port(only.port())
                        .build());
    }

    private Coordinator find(String key, byte type) {
        if (type != GROUP) {
            return failed(
                    key,
                    ErrorCode.INVALID_REQUEST,
                    "This broker coordinates consumer groups only; transactions are not offered.");
        }
        BrokerView broker = cluster.get().brokers().getFirst();
        return new Coordinator(
                key, broker.id(), broker.host(), broker.port(), ErrorCode.NONE.id(), null);
    }

    private static Coordinator failed(String key, ErrorCode code, String sentence) {
        return new Coordinator(key, -1, "", -1, code.id(), sentence);
    }
}
