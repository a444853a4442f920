package io.sluice.kafka.api.cluster;

import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.SupportedApis;
import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.ApiVersionsRequest;
import io.sluice.kafka.wire.message.ApiVersionsResponse;
import io.sluice.kafka.wire.message.ApiVersionsResponse.ApiVersion;
import java.util.ArrayList;
import java.util.List;

/// ApiVersions: what this broker can do. The first thing every client asks.
public final class ApiVersionsHandler implements Handler<ApiVersionsRequest> {
    private static final List<ApiVersion> OFFERED = offered();

    @Override
    public Reply<ApiVersionsResponse> handle(ApiVersionsRequest request, RequestContext context) {
        return Reply.of(ApiVersionsResponse.builder().apiKeys(OFFERED).build());
    }

    /// The answer to a version of ApiVersions itself that we do not know, in version 0, so that any client can read it (KIP-511).
    public static ApiVersionsResponse unsupported() {
        return ApiVersionsResponse.builder()
                .errorCode(ErrorCode.UNSUPPORTED_VERSION.id())
                .apiKeys(OFFERED)
                .build();
    }

    private static List<ApiVersion> offered() {
        List<ApiVersion> versions = new ArrayList<>();
        for (SupportedApis.Range range : SupportedApis.offered()) {
            // librdkafka decides by Produce 0 whether it may compress at all, and never sends it
            // (KAFKA-18659).
            short lowest = range.key() == ApiKey.PRODUCE ? 0 : range.lowest();
            versions.add(new ApiVersion(range.key().id(), lowest, range.highest()));
        }
        return versions;
    }
}
