package io.sluice.outbox.operating;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A lane as the tables know it.
///
/// Immutable.
///
/// @param owner number of the member that has it; null if nobody has
/// @param ownerName null if there is no such member any more
/// @param epoch how often it has been taken
/// @param sequence the last number given to an event of it
/// @param oldest age of the oldest event that is not published; null if there is none
/// @param parkedKeys aggregates of it that wait behind a refused event
public record LaneState(
        int lane,
        @Nullable Long owner,
        @Nullable String ownerName,
        long epoch,
        long sequence,
        @Nullable Duration oldest,
        int parkedKeys) {
    public boolean isCovered() {
        return owner != null && ownerName != null;
    }
}
