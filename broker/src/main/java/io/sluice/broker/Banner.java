package io.sluice.broker;

import java.time.Duration;

/// The first screen: where things are, what is stored where, what to type next.
final class Banner {
    private Banner() {}

    static void print(Broker broker, boolean ephemeral, long startNanos) {
        String data =
                broker.data() + (ephemeral ? "  (ephemeral: deleted when the broker stops)" : "");
        System.out.printf(
                """

                  Sluice is up, in %d ms.

                  Kafka clients   bootstrap.servers=%s
                  Health          http://localhost:%d/health/ready
                  Metrics         http://localhost:%d/metrics
                  Data            %s
                                    log/    one folder for each partition
                                    meta/   topics and their settings

                  Try             ./sluice send greetings hello
                                  ./sluice tail greetings --beginning
                  Stop            Ctrl-C

                """,
                Duration.ofNanos(startNanos).toMillis(),
                broker.bootstrap(),
                broker.adminPort(),
                broker.adminPort(),
                data);
        System.out.flush();
    }
}
