package io.sluice.outbox.reading;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Outlook;
import java.util.function.ToLongFunction;

/// How much is to be read, and behind what.
///
/// Immutable.
///
/// @param rows most events
/// @param bytes it ends when payloads are larger than this
/// @param behind the `ord` that a lane's events must be above
public record Stretch(int rows, int bytes, ToLongFunction<Lane> behind) {
    /// What comes next.
    public static Stretch next(int rows, int bytes) {
        return new Stretch(rows, bytes, lane -> lane.cursor().position());
    }

    /// What comes behind a round that is still under way.
    public static Stretch behind(Outlook outlook, int rows, int bytes) {
        return new Stretch(rows, bytes, outlook::position);
    }
}
