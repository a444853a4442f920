package io.sluice.outbox.lanes;

import org.jspecify.annotations.Nullable;

/// How far a lane is.
///
/// An event is due when its transaction is visible in a newer snapshot and not in [#seen]. Such a difference of two snapshots
/// misses nobody who commits late, waits for nobody who is still open, and is the same set in the same order whenever it is
/// read again. So the sequence number of an event, its place in the difference added to [#sequence], is the same
/// whoever publishes it: a successor repeats numbers, and a consumer can drop what it has.
///
/// ```
///            open(snapshot)                      advance(ord, count)
///  CLOSED ───────────────────▶ OPEN (bound set) ◀──────┐
///    ▲                          │        └─────────────┘
///    └──────────────────────────┘ close()
/// ```
/// Immutable. Snapshots are in PostgreSQL's text form, `xmin:xmax:xip,…`; only PostgreSQL looks into them.
///
/// @param seen what is visible in it has been published
/// @param bound if set: what is visible in it, and not in `seen`, is being published
/// @param position up to this `ord` the difference has been published
/// @param sequence the last number that was given
public record LaneCursor(String seen, @Nullable String bound, long position, long sequence) {
    public boolean isOpen() {
        return bound != null;
    }

    /// Begins to publish what `snapshot` shows. An open cursor keeps its bound: it must first finish what it began.
    public LaneCursor open(String snapshot) {
        return isOpen() ? this : new LaneCursor(seen, snapshot, position, sequence);
    }

    /// `count` more events, the last of them at `ord`, are published, or parked for good.
    public LaneCursor advance(long ord, long count) {
        if (ord <= position || count < 1) {
            throw new IllegalArgumentException(
                    "a cursor at " + position + " cannot advance by " + count + " to " + ord);
        }
        return new LaneCursor(seen, bound, ord, sequence + count);
    }

    /// All of the difference is published. A cursor that was not open found nothing up to `snapshot`.
    public LaneCursor close(String snapshot) {
        return new LaneCursor(bound == null ? snapshot : bound, null, 0, sequence);
    }

    /// Numbers that are given to events outside of the difference: parked ones that are sent again.
    public LaneCursor reserve(long count) {
        return new LaneCursor(seen, bound, position, sequence + count);
    }
}
