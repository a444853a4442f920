package io.sluice.outbox;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.Outlook;
import io.sluice.outbox.lanes.Page;
import io.sluice.outbox.lanes.Round;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The next page, read while the one before is with the producer: the database and the broker need not wait for each other.
///
/// ```
///          read()                  take(): the round is done as it was foreseen
///  NOTHING ───────▶ A PAGE, or ────────────────────────────────────────────────▶ NOTHING, and the page is sent
///                   A FAILURE  ──▶ NOTHING: anything else has happened; the page is forgotten, and read again
/// ```
/// Nothing of it has been sent when it is forgotten. Lanes that it has opened are saved as being sent and stay so: whoever reads them again finds the same.
///
/// Owned by the publishing thread.
final class ReadAhead {
    /// What was read ahead.
    ///
    /// @param large whether what comes behind it should be put aside
    record Result(Page page, boolean large, long readAtNanos) {}

    /// Reads what stands behind a round.
    interface Reading {
        Result read(Outlook outlook) throws SQLException;
    }

    private @Nullable Outlook outlook;
    private @Nullable Result result;
    private @Nullable Exception failure;

    /// A failure is told by [#take]: what is on its way has to be waited for first.
    void read(Round round, Collection<Lane> lanes, Reading reading) {
        forget();
        try {
            result = reading.read(Outlook.of(round, lanes));
            outlook = Outlook.of(round, lanes); // With the lanes that the page has opened.
        } catch (SQLException | RuntimeException e) {
            failure = e;
        }
    }

    /// The events of the page, with the numbers that they have if the round ends as foreseen. None where there is no page.
    List<Numbered> numbered() {
        return outlook == null || result == null ? List.of() : outlook.numbered(result.page());
    }

    boolean isThere() {
        return result != null || failure != null;
    }

    /// @return null if there is nothing, or nothing that fits
    @Nullable Result take(Collection<Lane> lanes) throws SQLException {
        Exception failed = failure;
        Result read = outlook != null && outlook.hasComeTrue(lanes) ? result : null;
        forget();
        if (failed instanceof SQLException e) {
            throw e;
        }
        if (failed instanceof RuntimeException e) {
            throw e;
        }
        return read;
    }

    void forget() {
        outlook = null;
        result = null;
        failure = null;
    }
}
