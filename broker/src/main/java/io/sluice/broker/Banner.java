package io.sluice.broker;

import java.time.Duration;

/// The first screen: where things are, what is stored where, what to type next. Stateless.
final class Banner {
    /// Where the `sluice` command looks by itself.
    private static final Address DEFAULT = new Address("localhost", 9092);

    private Banner() {}

    static String of(Broker broker, boolean ephemeral, Duration startup) {
        String data =
                broker.data() + (ephemeral ? "  (ephemeral: deleted when the broker stops)" : "");
        return text(
                startup,
                broker.bootstrap() + everywhere(broker),
                broker.adminUrl(),
                data,
                broker.kafkaFromHere());
    }

    /// Who listens on all addresses should see which one his clients will be told.
    private static String everywhere(Broker broker) {
        Address listen = broker.config().kafkaListen();
        return listen.isEverywhere()
                ? "  (what clients are told; listening on "
                        + listen.host()
                        + ". Change it with --kafka.advertise)"
                : "";
    }

    static String text(
            Duration startup, String kafka, String adminUrl, String data, Address fromHere) {
        String where = fromHere.equals(DEFAULT) ? "" : " -b " + fromHere;
        return """

                 Sluice is up, in %d ms.

                 Kafka clients   bootstrap.servers=%s
                 Health          %s/health/ready
                 Metrics         %s/metrics
                 Data            %s
                                   log/    one folder for each partition
                                   meta/   topics and their settings

                 Try             ./sluice send greetings hello%s
                                 ./sluice tail greetings --beginning%s
                 Stop            Ctrl-C

               """
                .formatted(startup.toMillis(), kafka, adminUrl, adminUrl, data, where, where);
    }
}
