package io.sluice.kafka.wire;

/// The kinds of listener on which an API may be offered, according to its schema.
public enum ApiListener {
    BROKER,
    CONTROLLER
}
