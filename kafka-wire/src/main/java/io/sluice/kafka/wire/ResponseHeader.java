package io.sluice.kafka.wire;

/// Which request a response answers: the header in front of every response. Immutable.
public record ResponseHeader(int correlationId) {

    /// Reads the header in front of a response of that API and version.
    public static ResponseHeader read(WireReader in, ApiKey api, short version) {
        int correlationId = in.readInt();
        if (api.responseHeaderVersion(version) >= 1) {
            in.skipTaggedFields();
        }
        return new ResponseHeader(correlationId);
    }

    public void write(WireWriter out, ApiKey api, short version) {
        out.writeInt(correlationId);
        if (api.responseHeaderVersion(version) >= 1) {
            out.writeUnsignedVarint(0);
        }
    }
}
