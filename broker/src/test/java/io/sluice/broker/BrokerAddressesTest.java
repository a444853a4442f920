package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.settings.InvalidSetting;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

/// Where a broker says it is: to clients, to the person who started it, and when its port is taken.
class BrokerAddressesTest {
    @Test
    void clientsOfABrokerThatListensEverywhereAreToldWhatTheBannerSays() throws Exception {
        try (Broker broker = start("0.0.0.0:0", "0.0.0.0:0")) {
            Address fromHere = broker.kafkaFromHere();
            assertThat(fromHere.host()).isEqualTo("localhost");
            assertThat(broker.bootstrap()).isEqualTo(toldToClients(fromHere.toString()));
            assertThat(broker.adminUrl()).startsWith("http://localhost:");
            assertThat(Banner.of(broker, true, Duration.ofMillis(7)))
                    .contains("in 7 ms")
                    .contains("bootstrap.servers=" + broker.bootstrap() + " ")
                    .contains("listening on 0.0.0.0")
                    .contains("send greetings hello -b localhost:" + fromHere.port());
        }
    }

    @Test
    void theBannerFollowsTheSettings() {
        try (Broker broker = start("127.0.0.1:0", "127.0.0.1:0")) {
            assertThat(Banner.of(broker, true, Duration.ZERO))
                    .contains("bootstrap.servers=" + broker.kafkaFromHere() + "\n")
                    .contains(broker.adminUrl() + "/health/ready\n")
                    .contains(broker.adminUrl() + "/metrics\n")
                    .contains("tail greetings --beginning -b " + broker.kafkaFromHere() + "\n");
            assertThat(broker.adminUrl()).startsWith("http://127.0.0.1:");
        }
    }

    @Test
    void withTheDefaultPortNoOptionIsNeeded() {
        Address usual = new Address("localhost", 9092);
        assertThat(Banner.text(Duration.ZERO, "", "", "", usual))
                .contains("send greetings hello\n")
                .doesNotContain(" -b ");
    }

    @Test
    void aTakenPortIsReportedWithTheFlagThatChoosesAnother() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            assertThatThrownBy(() -> start(address, "127.0.0.1:0"))
                    .hasMessageStartingWith("Cannot listen on " + address + " for Kafka clients")
                    .hasMessageContaining("Address already in use")
                    .hasMessageEndingWith("choose another with --kafka.listen.");
            assertThatThrownBy(() -> start("127.0.0.1:0", address))
                    .hasMessageEndingWith("choose another with --admin.listen.");
        }
    }

    @Test
    void anUnknownHostIsNamed() {
        assertThatThrownBy(() -> start("no-such-host.invalid:9092", "127.0.0.1:0"))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("kafka.listen")
                .hasMessageContaining("knows no host 'no-such-host.invalid'");
    }

    private static Broker start(String kafka, String admin) {
        return Broker.start(
                Map.of("ephemeral", "true", "kafka.listen", kafka, "admin.listen", admin));
    }

    private static String toldToClients(String bootstrap) throws Exception {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrap);
        try (Admin admin = Admin.create(properties)) {
            var node = admin.describeCluster().nodes().get().iterator().next();
            return node.host() + ":" + node.port();
        }
    }
}
