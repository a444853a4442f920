package io.sluice.outbox;

import java.sql.DriverManager;
import java.util.Properties;

/// How wal mode reaches the database's log.
///
/// Immutable.
///
/// @param connections opens connections in replication mode; see [#to]
/// @param mayBeUnbounded go on although `max_slot_wal_keep_size` is not set, so that a relay that is away may fill the database's disk
public record Replication(ConnectionSource connections, boolean mayBeUnbounded) {
    /// For the user of these properties, who needs the right to replicate.
    public static Replication to(String jdbcUrl, Properties properties) {
        Properties all = new Properties();
        all.putAll(properties);
        all.setProperty("replication", "database");
        all.setProperty("assumeMinServerVersion", "13");
        all.setProperty("preferQueryMode", "simple");
        all.setProperty("socketTimeout", "0"); // A quiet stream is no broken one.
        all.setProperty("tcpKeepAlive", "true");
        return new Replication(() -> DriverManager.getConnection(jdbcUrl, all), false);
    }

    public Replication unbounded() {
        return new Replication(connections, true);
    }
}
