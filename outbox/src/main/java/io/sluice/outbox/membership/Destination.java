package io.sluice.outbox.membership;

/// Where a relay publishes to, and how often an event arrives there: the same for all relays of a table.
///
/// Immutable.
///
/// @param guarantee a word; one that this version does not know may come from a later one
public record Destination(String topic, String guarantee) {
    @Override
    public String toString() {
        return "topic %s with %s".formatted(topic, guarantee);
    }
}
