package io.sluice.kafka.wire;

/// A length, a header, a message: what goes over the socket, in either direction.
///
/// No state of its own; the frame grows in the writer it is given.
public final class Frame {
    private Frame() {}

    /// Appends the answer to a request, in the version in which it was asked.
    public static void writeResponse(WireWriter out, RequestHeader asked, ApiResponse response) {
        writeResponse(out, asked.api(), asked.version(), asked.correlationId(), response);
    }

    /// Appends an answer in a version other than the one asked for: what ApiVersions does with version 0 when it
    /// does not know the client's (KIP-511).
    public static void writeResponse(
            WireWriter out, ApiKey api, short version, int correlationId, ApiResponse response) {
        out.beginFrame();
        new ResponseHeader(correlationId).write(out, api, version);
        response.write(out, version);
        out.endFrame();
    }

    /// Appends a request.
    public static void writeRequest(WireWriter out, RequestHeader header, ApiRequest request) {
        out.beginFrame();
        header.write(out);
        request.write(out, header.version());
        out.endFrame();
    }
}
