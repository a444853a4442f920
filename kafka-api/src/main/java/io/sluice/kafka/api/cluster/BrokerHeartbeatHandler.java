package io.sluice.kafka.api.cluster;

import io.sluice.controller.Controller;
import io.sluice.controller.HeartbeatAnswer;
import io.sluice.controller.SignOfLife;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.BrokerHeartbeatRequest;
import io.sluice.kafka.wire.message.BrokerHeartbeatResponse;

/// BrokerHeartbeat, from broker to controller: a sign of life. The end of the connection on which they came is a sign of the contrary.
public final class BrokerHeartbeatHandler implements Handler<BrokerHeartbeatRequest> {
    private final Controller controller;

    public BrokerHeartbeatHandler(Controller controller) {
        this.controller = controller;
    }

    /// Equal for one broker, so that a connection is watched once however many heartbeats come over it.
    private record Loss(Controller controller, int broker) implements Runnable {
        @Override
        public void run() {
            controller.connectionLost(broker);
        }
    }

    @Override
    public Reply<BrokerHeartbeatResponse> handle(
            BrokerHeartbeatRequest request, RequestContext context) {
        return controller
                .heartbeat(
                        new SignOfLife(
                                request.brokerId(),
                                request.brokerEpoch(),
                                request.wantShutDown(),
                                request.currentMetadataOffset() >= 0,
                                request.wantFence()),
                        context.home())
                .map(
                        answer -> {
                            if (answer.known()) {
                                context.peer().waiting(new Loss(controller, request.brokerId()));
                            }
                            return response(answer);
                        });
    }

    private static BrokerHeartbeatResponse response(HeartbeatAnswer answer) {
        ErrorCode code = ErrorCode.NONE;
        if (!answer.active()) {
            code = ErrorCode.NOT_CONTROLLER;
        } else if (!answer.known()) {
            code = ErrorCode.STALE_BROKER_EPOCH;
        }
        return BrokerHeartbeatResponse.builder()
                .errorCode(code.id())
                .isCaughtUp(true)
                .isFenced(answer.fenced())
                .shouldShutDown(answer.mayStop())
                .build();
    }
}
