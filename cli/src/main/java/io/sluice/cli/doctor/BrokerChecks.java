package io.sluice.cli.doctor;

import io.sluice.cli.Bootstrap;
import io.sluice.cli.ClientSettings;
import io.sluice.client.SupportedApis;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whether the broker can be reached, under the address it is asked at and under those it gives to its clients.
///
/// Owned by the main thread.
final class BrokerChecks {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final ClientSettings settings;
    private final @Nullable String admin;
    private final boolean mayWrite;

    BrokerChecks(ClientSettings settings, @Nullable String admin, boolean mayWrite) {
        this.settings = settings;
        this.admin = admin;
        this.mayWrite = mayWrite;
    }

    List<Finding> run() {
        List<Finding> findings = new ArrayList<>();
        Optional<Bootstrap> speaking = Optional.empty();
        for (Bootstrap server : Bootstrap.parse(settings.bootstrap())) {
            Finding finding = reach(server);
            findings.add(finding);
            if (speaking.isEmpty() && finding.verdict() == Finding.Verdict.OK) {
                speaking = Optional.of(server);
            }
        }
        if (speaking.isPresent()) {
            findings.addAll(advertised(speaking.get()));
            findings.add(new ClockCheck(settings, admin, mayWrite).run(speaking.get()));
        }
        return findings;
    }

    private Finding reach(Bootstrap server) {
        try {
            server.dial(patience());
        } catch (IOException e) {
            return Finding.problem(
                    "broker", server + " " + server.reason(e), unreachableFix(server));
        }
        if (encrypted()) {
            return Finding.ok("broker", server + " accepts connections (TLS, not looked into)");
        }
        try {
            int apis = SupportedApis.ask(server.address(), patience()).versions().size();
            return Finding.ok("broker", server + " speaks Kafka's protocol, " + apis + " APIs");
        } catch (IOException e) {
            return Finding.problem(
                    "broker",
                    server
                            + " is taken by something that does not speak Kafka's protocol"
                            + owner(server),
                    "If a broker should be there, stop the other process or give the broker another port;"
                            + " if it is a TLS listener, set security.protocol with --command-config.");
        }
    }

    private static String unreachableFix(Bootstrap server) {
        return local(server)
                ? "The port is free: start a broker with './sluice up', or say with --bootstrap where it is."
                : "Check the address, that the broker runs, and that no firewall is between; or say with --bootstrap where it is.";
    }

    private static String owner(Bootstrap server) {
        return local(server)
                ? PortOwner.find(server.port()).map(owner -> " (" + owner + ")").orElse("")
                : "";
    }

    private static boolean local(Bootstrap server) {
        var address = server.address().getAddress();
        return address != null && (address.isLoopbackAddress() || address.isAnyLocalAddress());
    }

    /// A client asks one broker and then connects to the addresses it is told. They are set by hand, and are the most common
    /// thing to be wrong.
    private List<Finding> advertised(Bootstrap server) {
        List<AdvertisedBrokers.Broker> brokers;
        try {
            if (encrypted()) {
                return List.of(
                        Finding.skipped(
                                "advertised",
                                "not looked into behind TLS",
                                "'sluice cluster info' shows the addresses."));
            }
            brokers = AdvertisedBrokers.ask(server.address(), patience());
        } catch (IOException e) {
            return List.of(
                    Finding.problem(
                            "advertised",
                            server + " did not say where its brokers are: " + e.getMessage(),
                            "Look into the broker's log."));
        }
        return brokers.stream().map(this::dial).toList();
    }

    private Finding dial(AdvertisedBrokers.Broker broker) {
        String who = "broker " + broker.id() + " advertises " + broker.address();
        try {
            broker.address().dial(patience());
            return Finding.ok("advertised", who + ", reachable from here");
        } catch (IOException e) {
            return Finding.problem(
                    "advertised",
                    who + ", which " + broker.address().reason(e),
                    "Clients are sent there after the first answer. Give the broker an advertised address that this"
                            + " machine can reach, and restart it.");
        }
    }

    private boolean encrypted() {
        return settings.given()
                .getOrDefault("security.protocol", "PLAINTEXT")
                .toUpperCase(Locale.ROOT)
                .endsWith("SSL");
    }

    private Duration patience() {
        return settings.timeout().compareTo(PATIENCE) < 0 ? settings.timeout() : PATIENCE;
    }
}
