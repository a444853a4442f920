package io.sluice.outbox.bench.host;

import io.sluice.testing.Sluice;

/// The broker's process. Says `ready` and its address; ends when its input ends.
public final class BrokerHost {
    private BrokerHost() {}

    public static void main(String[] arguments) throws Exception {
        try (Sluice sluice = Sluice.ephemeral()) {
            System.out.println("ready " + sluice.bootstrap());
            System.out.flush();
            int end = System.in.read();
            while (end >= 0) {
                end = System.in.read();
            }
        }
        System.exit(0);
    }
}
