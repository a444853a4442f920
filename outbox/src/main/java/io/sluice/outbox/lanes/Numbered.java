package io.sluice.outbox.lanes;

/// An event with the number that it has in its lane, whoever publishes it and however often.
///
/// Immutable.
public record Numbered(Event event, long sequence) {}
