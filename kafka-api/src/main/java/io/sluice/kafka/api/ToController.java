package io.sluice.kafka.api;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import java.util.function.Function;

/// The way to the active controller for what a client may ask of every broker and only the controller can do. Thread-safe.
public interface ToController {
    /// How a broker that passes a request on introduces itself.
    String CLIENT_ID = "sluice-forward";

    /// Completes on the home mailbox; fails when the controller cannot be reached.
    Reply<ApiResponse> ask(ApiRequest request, short version, Mailbox home);

    /// Passes on what a client has asked of this broker. A controller that cannot be reached is no bug, and not the client's: it gets an answer that says so.
    ///
    /// @param unreached makes that answer of a sentence
    default <T extends ApiResponse> Reply<T> passOn(
            ApiRequest request,
            RequestContext context,
            Class<T> type,
            Function<String, T> unreached) {
        Reply<T> result = new Reply<>();
        ask(request, context.version(), context.home())
                .then(
                        answer -> result.complete(type.cast(answer)),
                        failure ->
                                result.complete(
                                        unreached.apply(
                                                "The controller did not answer ("
                                                        + failure.getMessage()
                                                        + "), so it is not known whether this was done. Look, and ask again.")));
        return result;
    }

    /// Whether another broker has passed this request on. It is not passed on again: two brokers that each take the other for the controller would never end.
    static boolean passedOn(RequestContext context) {
        return context.clientId().equals(CLIENT_ID);
    }

    /// For a broker that has no others.
    static ToController nobody() {
        return (_, _, _) -> Reply.failed(new IllegalStateException("There is no other broker."));
    }
}
