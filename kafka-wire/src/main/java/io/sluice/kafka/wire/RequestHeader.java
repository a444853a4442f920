package io.sluice.kafka.wire;

import org.jspecify.annotations.Nullable;

/// Who asks for what: the header in front of every request. Immutable.
///
/// API, version and correlation id stand at the same place in every version of the header, and the client id has the
/// old two-byte length even where all other lengths are compact. So a request in a version from the future can
/// still be refused by name instead of by closing the connection (KIP-511).
public record RequestHeader(
        ApiKey api, short version, int correlationId, @Nullable String clientId) {

    /// Reads the header and leaves the reader at the first byte of the request.
    ///
    /// Throws [UnsupportedVersion] for an API that nobody knows. A version that the API does not know is the
    /// caller's to refuse: see [#isKnownVersion].
    public static RequestHeader read(WireReader in) {
        short id = in.readShort();
        short version = in.readShort();
        ApiKey api = ApiKey.find(id);
        if (api == null) {
            throw new UnsupportedVersion(
                    "there is no API number " + id + " (asked for in version " + version + ")");
        }
        int correlationId = in.readInt();
        String clientId = in.readNullableString(false, "RequestHeader.clientId");
        if (api.requestHeaderVersion(version) >= 2) {
            in.skipTaggedFields();
        }
        return new RequestHeader(api, version, correlationId, clientId);
    }

    public void write(WireWriter out) {
        out.writeShort(api.id());
        out.writeShort(version);
        out.writeInt(correlationId);
        out.writeNullableString(clientId, false);
        if (api.requestHeaderVersion(version) >= 2) {
            out.writeUnsignedVarint(0);
        }
    }

    /// Whether the request that follows can be read at all.
    public boolean isKnownVersion() {
        return api.knows(version);
    }
}
