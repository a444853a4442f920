package io.sluice.kafka.api;

import io.sluice.env.Clock;
import io.sluice.env.Reply;
import io.sluice.kafka.api.cluster.ApiVersionsHandler;
import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.MalformedRequest;
import io.sluice.kafka.wire.Messages;
import io.sluice.kafka.wire.RequestHeader;
import io.sluice.kafka.wire.UnsupportedVersion;
import io.sluice.kafka.wire.WireReader;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.kafka.wire.message.ProduceResponse;

/// Decodes a request and hands it to its handler. Decides nothing else.
///
/// Thread-safe: handlers hold no state of a request.
public final class Dispatcher {
    private final Handlers handlers;
    private final Clock clock;
    private final RequestTimes times;

    public Dispatcher(Handlers handlers, Clock clock, RequestTimes times) {
        this.handlers = handlers;
        this.clock = clock;
        this.times = times;
    }

    /// Reads the whole frame. Throws [MalformedRequest] when it cannot be understood; the connection is beyond help then.
    public Reply<Answer> dispatch(WireReader in, Peer peer) {
        long arrived = clock.monotonicNanos();
        RequestHeader header;
        try {
            header = RequestHeader.read(in);
        } catch (UnsupportedVersion e) {
            throw new MalformedRequest(String.valueOf(e.getMessage()));
        }
        ApiKey key = header.api();
        short version = header.version();
        SupportedApis.Range range = SupportedApis.find(key);
        if (range == null || !range.holds(version)) {
            return refuseVersion(header);
        }
        ApiRequest request = Messages.readRequest(key, version, in);
        String clientId = header.clientId() == null ? "" : header.clientId();
        RequestContext context = new RequestContext(version, clientId, peer);
        Reply<? extends ApiResponse> reply = handlers.handle(request, context);
        boolean silent = request instanceof ProduceRequest produce && produce.acks() == 0;
        return reply.map(
                response -> {
                    times.add(key, clock.monotonicNanos() - arrived);
                    return silent
                            ? withoutAnswer(response)
                            : Answer.of(key, version, header.correlationId(), response);
                });
    }

    private static Answer withoutAnswer(ApiResponse response) {
        boolean failed =
                response instanceof ProduceResponse produce
                        && produce.responses().stream()
                                .flatMap(topic -> topic.partitionResponses().stream())
                                .anyMatch(partition -> partition.errorCode() != 0);
        return failed ? Answer.hangUp() : Answer.silent();
    }

    /// Only ApiVersions may be asked in a version that we do not know: the client is about to learn which ones we do.
    private static Reply<Answer> refuseVersion(RequestHeader header) {
        if (header.api() == ApiKey.API_VERSIONS) {
            return Reply.of(
                    Answer.of(
                            ApiKey.API_VERSIONS,
                            (short) 0,
                            header.correlationId(),
                            ApiVersionsHandler.unsupported()));
        }
        throw new MalformedRequest(
                header.api()
                        + " version "
                        + header.version()
                        + " is not offered by this broker; clients learn what is from ApiVersions");
    }
}
