package io.sluice.kafka.wire;

/// What the broker answers. Implemented by generated records only. Immutable.
public interface ApiResponse extends ApiMessage {}
