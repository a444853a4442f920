package io.sluice.kafka.api;

import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;

/// One Kafka API. Never blocks; the reply completes on the connection's own thread.
///
/// A failed reply closes the connection: it is for the world failing or a bug. What a client can cause is an error code in the response.
public interface Handler<Q extends ApiRequest> {
    Reply<? extends ApiResponse> handle(Q request, RequestContext context);
}
