package io.sluice.cli.cluster;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.doctor.PortOwner;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The ports of a cluster on this machine: of each broker one for clients, one for health and metrics, and three of its member of the
/// ensemble.
///
/// Immutable.
///
/// @param firstKafka what `--port` says
/// @param firstAdmin what `--admin-port` says
record LocalPorts(int firstKafka, int firstAdmin, int brokers) {
    private static final int LAST = 65_535;
    private static final int TO_ENSEMBLE = 100;
    private static final int OF_A_MEMBER = 3;

    /// @param purpose what a broker needs it for
    /// @param option by which another one is chosen
    private record Use(int port, String purpose, String option) {}

    int kafka(int id) {
        return firstKafka + id - 1;
    }

    int admin(int id) {
        return firstAdmin + id - 1;
    }

    /// Quorum, election and client port of this broker's member.
    List<Integer> ensemble(int id) {
        int first = firstKafka + TO_ENSEMBLE + (id - 1) * OF_A_MEMBER;
        return List.of(first, first + 1, first + 2);
    }

    /// Throws when there are no such ports, or one would be used twice.
    void check() {
        requireWithin("--port", firstKafka, ensemble(brokers).getLast() - firstKafka);
        requireWithin("--admin-port", firstAdmin, brokers - 1);
        Map<Integer, Use> taken = new HashMap<>();
        for (Use use : uses()) {
            Use other = taken.put(use.port(), use);
            if (other != null) {
                throw Failure.usage(
                        "Port %d would be used twice: %s, and %s. Choose --port and --admin-port further apart."
                                .formatted(use.port(), other.purpose(), use.purpose()));
            }
        }
    }

    private static void requireWithin(String option, int first, int more) {
        if (first < 1 || first > LAST - more) {
            throw Failure.usage(
                    "%s takes 1 to %d here, since the %d behind it are used as well; it is %d."
                            .formatted(option, LAST - more, more, first));
        }
    }

    /// Throws when somebody else listens on one of them, with who it is. Asked before any broker starts: each would only find its own,
    /// and knows it by another name.
    void requireFree() {
        for (Use use : uses()) {
            try (ServerSocket probe = new ServerSocket()) {
                probe.bind(new InetSocketAddress("localhost", use.port()));
            } catch (IOException e) {
                throw new Failure(
                        ExitCode.FAILED,
                        "Port %d, %s, cannot be used: %s%s. Stop what uses it, or choose other ports with %s."
                                .formatted(
                                        use.port(),
                                        use.purpose(),
                                        e.getMessage(),
                                        PortOwner.find(use.port())
                                                .map(owner -> " (" + owner + ")")
                                                .orElse(""),
                                        use.option()),
                        e);
            }
        }
    }

    private List<Use> uses() {
        List<Use> uses = new ArrayList<>();
        for (int id = 1; id <= brokers; id++) {
            uses.add(new Use(kafka(id), "for Kafka clients of broker " + id, "--port"));
            uses.add(new Use(admin(id), "for health and metrics of broker " + id, "--admin-port"));
            for (int port : ensemble(id)) {
                uses.add(new Use(port, "for the ensemble's member of broker " + id, "--port"));
            }
        }
        return uses;
    }
}
