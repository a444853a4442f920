package io.sluice.outbox.lanes;

import java.util.Locale;

/// Where the events of an outbox are read. Kept in the database, so that all relays change it at once.
public enum Mode {
    /// Rows are claimed and marked, as the document's relay does; relays of this kind leave their lanes alone.
    COMPAT,
    /// Differences of snapshots of the table.
    LOG,
    /// The database's own log; one relay reads all of it, the others stand by.
    WAL;

    public static Mode of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
