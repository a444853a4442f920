package io.sluice.kafka.wire;

/// What a client asks. Implemented by generated records only. Immutable.
public interface ApiRequest extends ApiMessage {}
