package io.sluice.kafka.api;

import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.Frame;
import io.sluice.kafka.wire.WireWriter;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.record.Records;
import org.jspecify.annotations.Nullable;

/// A response on its way out, with what is needed to encode it. Immutable; encoded or released exactly once.
public final class Answer {
    private static final Answer SILENT = new Answer(ApiKey.PRODUCE, (short) 0, 0, null);
    private static final Answer HANG_UP = new Answer(ApiKey.PRODUCE, (short) 0, 0, null);

    private final ApiKey key;
    private final short version;
    private final int correlationId;
    private final @Nullable ApiResponse response;

    private Answer(ApiKey key, short version, int correlationId, @Nullable ApiResponse response) {
        this.key = key;
        this.version = version;
        this.correlationId = correlationId;
        this.response = response;
    }

    static Answer of(ApiKey key, short version, int correlationId, ApiResponse response) {
        return new Answer(key, version, correlationId, response);
    }

    /// A produce request with `acks=0` gets no answer.
    static Answer silent() {
        return SILENT;
    }

    /// A produce request with `acks=0` failed: a closed connection is the only sign that its client would understand, and makes it ask for metadata again.
    static Answer hangUp() {
        return HANG_UP;
    }

    public boolean isHangUp() {
        return this == HANG_UP;
    }

    public boolean isSilent() {
        return response == null;
    }

    /// The whole frame. Stored records in it are released by whoever sends them.
    public void encode(WireWriter out) {
        ApiResponse body = response;
        if (body == null) {
            return;
        }
        Frame.writeResponse(out, key, version, correlationId, body);
    }

    /// The answer cannot be sent any more: gives back what it holds.
    public void release() {
        if (response instanceof FetchResponse fetch) {
            for (FetchResponse.FetchableTopicResponse topic : fetch.responses()) {
                for (FetchResponse.PartitionData partition : topic.partitions()) {
                    Records records = partition.records();
                    if (records != null) {
                        records.release();
                    }
                }
            }
        }
    }
}
