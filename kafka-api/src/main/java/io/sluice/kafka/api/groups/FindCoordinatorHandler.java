package io.sluice.kafka.api.groups;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.OwnPlace;
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

    private final OffsetsTopic topic;
    private final Supplier<ClusterView> cluster;
    private final OwnPlace place;

    public FindCoordinatorHandler(
            OffsetsTopic topic, Supplier<ClusterView> cluster, OwnPlace place) {
        this.topic = topic;
        this.cluster = cluster;
        this.place = place;
    }

    @Override
    public Reply<FindCoordinatorResponse> handle(
            FindCoordinatorRequest request, RequestContext context) {
        return topic.require(context.home()).map(count -> respond(request, count, context));
    }

    private FindCoordinatorResponse respond(
            FindCoordinatorRequest request, int count, RequestContext context) {
        if (context.version() >= SEVERAL_KEYS) {
            List<Coordinator> found =
                    request.coordinatorKeys().stream()
                            .distinct()
                            .map(key -> find(key, request.keyType(), count, context))
                            .toList();
            return FindCoordinatorResponse.builder().coordinators(found).build();
        }
        Coordinator only = find(request.key(), request.keyType(), count, context);
        return FindCoordinatorResponse.builder()
                .errorCode(only.errorCode())
                .errorMessage(only.errorMessage())
                .nodeId(only.nodeId())
                .host(only.host())
                .port(only.port())
                .build();
    }

    private Coordinator find(String key, byte type, int count, RequestContext context) {
        if (type != GROUP) {
            return failed(
                    key,
                    ErrorCode.INVALID_REQUEST,
                    "This broker coordinates consumer groups only; transactions are not offered.");
        }
        BrokerView broker =
                count == 0
                        ? null
                        : cluster.get()
                                .findBroker(
                                        topic.leader(GroupCoordinators.partitionOf(key, count)));
        if (broker == null) {
            return failed(
                    key,
                    ErrorCode.COORDINATOR_NOT_AVAILABLE,
                    "The partition that remembers this group has no leader at the moment.");
        }
        if (!place.mayName(broker.id(), context)) {
            return failed(
                    key,
                    ErrorCode.COORDINATOR_NOT_AVAILABLE,
                    "Broker "
                            + broker.id()
                            + " is out of touch with the cluster, and another one may keep this group by now: ask another one.");
        }
        return new Coordinator(
                key, broker.id(), broker.host(), broker.port(), ErrorCode.NONE.id(), null);
    }

    private static Coordinator failed(String key, ErrorCode code, String sentence) {
        return new Coordinator(key, -1, "", -1, code.id(), sentence);
    }
}
