package io.sluice.kafka.api.topics;

import io.sluice.controller.BrokerCommand;
import io.sluice.controller.Controller;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.ToController;
import io.sluice.kafka.api.topics.ConfigChange.Result;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.UnregisterBrokerRequest;
import io.sluice.kafka.wire.message.UnregisterBrokerResponse;

/// UnregisterBroker: forgets a broker that is away and has no replicas.
public final class UnregisterBrokerHandler implements Handler<UnregisterBrokerRequest> {
    private final Controller controller;
    private final ToController elsewhere;

    public UnregisterBrokerHandler(Controller controller, ToController elsewhere) {
        this.controller = controller;
        this.elsewhere = elsewhere;
    }

    @Override
    public Reply<UnregisterBrokerResponse> handle(
            UnregisterBrokerRequest request, RequestContext context) {
        if (!controller.isActive() && !ToController.passedOn(context)) {
            // Clients send this to any broker.
            return elsewhere.passOn(
                    request,
                    context,
                    UnregisterBrokerResponse.class,
                    sentence -> response(Result.refused(ErrorCode.REQUEST_TIMED_OUT, sentence)));
        }
        return controller
                .execute(new BrokerCommand.Remove(request.brokerId()), context.home())
                .map(BrokerStates::meaning)
                .map(UnregisterBrokerHandler::response);
    }

    private static UnregisterBrokerResponse response(Result result) {
        return UnregisterBrokerResponse.builder()
                .errorCode(result.code().id())
                .errorMessage(result.sentence())
                .build();
    }
}
