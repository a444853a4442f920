package io.sluice.kafka.api.data;

import io.sluice.controller.ProducerIds;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.InitProducerIdRequest;
import io.sluice.kafka.wire.message.InitProducerIdResponse;

/// InitProducerId: a fresh id for an idempotent producer.
public final class InitProducerIdHandler implements Handler<InitProducerIdRequest> {
    private final ProducerIds ids;

    public InitProducerIdHandler(ProducerIds ids) {
        this.ids = ids;
    }

    @Override
    public Reply<InitProducerIdResponse> handle(
            InitProducerIdRequest request, RequestContext context) {
        if (request.transactionalId() != null) {
            // Transactions are not offered; a producer that asks for them must fail now and for
            // good, not retry for ever.
            return Reply.of(
                    InitProducerIdResponse.builder()
                            .errorCode(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.id())
                            .build());
        }
        return ids.next(context.home())
                .map(
                        id ->
                                InitProducerIdResponse.builder()
                                        .producerId(id)
                                        .producerEpoch((short) 0)
                                        .build());
    }
}
