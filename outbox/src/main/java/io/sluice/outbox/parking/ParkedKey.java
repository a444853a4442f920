package io.sluice.outbox.parking;

/// A key that has parked events.
///
/// Immutable.
///
/// @param first the place of its first parked event. What stands before it does not wait: it was sent, and if it is read again, after a crash, it
///     has to be sent with the number that it had
public record ParkedKey(int lane, long first) {
    /// With an event that is parked at this place.
    public ParkedKey with(long ord) {
        return new ParkedKey(lane, Math.min(first, ord));
    }
}
