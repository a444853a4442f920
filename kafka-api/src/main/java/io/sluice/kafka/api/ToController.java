package io.sluice.kafka.api;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;

/// The way to the active controller for what a client may ask of every broker and only the controller can do. Thread-safe.
public interface ToController {
    /// How a broker that passes a request on introduces itself.
    String CLIENT_ID = "sluice-forward";

    /// Completes on the home mailbox; fails when the controller cannot be reached.
    Reply<ApiResponse> ask(ApiRequest request, short version, Mailbox home);

    /// Whether another broker has passed this request on. It is not passed on again: two brokers that each take the other for the controller would never end.
    static boolean passedOn(RequestContext context) {
        return context.clientId().equals(CLIENT_ID);
    }

    /// For a broker that has no others.
    static ToController nobody() {
        return (_, _, _) -> Reply.failed(new IllegalStateException("There is no other broker."));
    }
}
