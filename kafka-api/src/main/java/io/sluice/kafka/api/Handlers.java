package io.sluice.kafka.api;

import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;

/// From a decoded request to the one handler of its API: a switch and nothing else.
public interface Handlers {
    Reply<? extends ApiResponse> handle(ApiRequest request, RequestContext context);
}
