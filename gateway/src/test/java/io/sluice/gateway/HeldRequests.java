package io.sluice.gateway;

import io.sluice.env.Reply;
import io.sluice.kafka.api.Handlers;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.message.ApiVersionsResponse;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Handlers that answer nothing by themselves: the test takes each request and decides. Thread-safe: a queue.
final class HeldRequests implements Handlers {
    /// A client of this name is answered at once.
    static final String PULSE = "pulse";

    /// What this client asks makes the handler throw.
    static final String POISON = "poison";

    private final LinkedBlockingQueue<Held> arrived = new LinkedBlockingQueue<>();

    record Held(ApiRequest request, RequestContext context, Reply<ApiResponse> reply) {
        String clientId() {
            return context.clientId();
        }

        void answer() {
            answer(ApiVersionsResponse.builder().build());
        }

        void answer(ApiResponse response) {
            context.home().run(() -> reply.complete(response));
        }

        void fail(Throwable failure) {
            context.home().run(() -> reply.fail(failure));
        }
    }

    @Override
    public Reply<? extends ApiResponse> handle(ApiRequest request, RequestContext context) {
        if (context.clientId().equals(PULSE)) {
            return Reply.of(ApiVersionsResponse.builder().build());
        }
        if (context.clientId().startsWith(POISON)) {
            throw new IllegalStateException("a bug in a handler");
        }
        Held held = new Held(request, context, new Reply<>());
        arrived.add(held);
        return held.reply();
    }

    /// The next request; waits for it.
    Held take() throws InterruptedException {
        Held next = arrived.poll(Gateway.PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no request has arrived");
        }
        return next;
    }

    int waiting() {
        return arrived.size();
    }
}
