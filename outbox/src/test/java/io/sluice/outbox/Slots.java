package io.sluice.outbox;

import java.util.Properties;

/// The replication slots of a test's outbox.
final class Slots {
    /// They are the server's, and so is how much of the log is kept for them: whoever changes that has to be alone.
    static final String LOCK = "replication slots";

    static final String STREAMING = "SELECT count(*) FROM outbox_source WHERE wal_lsn IS NOT NULL";

    private Slots() {}

    static long streaming(Database database) {
        return database.number(STREAMING);
    }

    static RelaySettings settings(Database database, Broker broker, String topic) {
        return RelaySettings.of(topic, broker.client())
                .withReplication(Replication.to(database.url(), new Properties()).unbounded());
    }

    static String ask(String what) {
        return "SELECT "
                + what
                + " FROM pg_replication_slots WHERE slot_name LIKE '%\\_' || 'transfer_events'::regclass::oid";
    }

    static void drop(Database database) {
        for (int attempt = 0; attempt < 100 && database.number(ask("count(*)")) > 0; attempt++) {
            database.run(ask("pg_terminate_backend(active_pid)") + " AND active");
            try {
                database.run(ask("pg_drop_replication_slot(slot_name)") + " AND NOT active");
            } catch (IllegalStateException e) {
                // somebody was faster
            }
        }
    }
}
