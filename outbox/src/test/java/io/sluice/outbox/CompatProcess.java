package io.sluice.outbox;

import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import java.util.Map;

/// The document's relay in a process of its own: see [RelayProcess#compat].
final class CompatProcess {
    static final String STARTED = "has published";

    private CompatProcess() {}

    static Map<String, String> environment(int id, int total) {
        return Map.of("RELAY_INSTANCE_ID", "" + id, "RELAY_TOTAL_INSTANCES", "" + total);
    }

    /// Arguments: JDBC URL, bootstrap servers, topic, time-out in seconds.
    public static void main(String[] args) throws InterruptedException {
        CompatSettings settings =
                CompatSettings.of(
                        System.getenv(),
                        Map.of(
                                "app.outbox.relay.fixedDelayMs",
                                "50",
                                "app.outbox.relay.timeoutSeconds",
                                args[3]));
        CompatRelay relay =
                CompatRelay.start(
                        new Database(args[0]),
                        OutboxTable.TRANSFER_EVENTS,
                        args[2],
                        Map.of("bootstrap.servers", args[1]),
                        settings);
        while (relay.published() == 0) {
            Thread.sleep(20);
        }
        System.out.println(STARTED);
        System.out.flush();
        Thread.currentThread().join();
    }
}
