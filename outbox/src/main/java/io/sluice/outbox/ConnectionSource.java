package io.sluice.outbox;

import java.sql.Connection;
import java.sql.SQLException;

/// Opens connections to the database that holds the outbox. The relay keeps four of them for as long as it runs: direct ones, not
/// through a pooler in transaction mode, since a session's locks tell the others that it is alive.
@FunctionalInterface
public interface ConnectionSource {
    Connection open() throws SQLException;
}
