package io.sluice.examples.transfer;

import java.time.Instant;

/// Money that has moved, as the topic carries it.
///
/// Immutable.
public record Transfer(long id, String from, String to, long amount, Instant at) {}
