package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The ports of `cluster up`: a mistake is told in the words of its own options.
class LocalPortsTest {
    @Test
    void everyBrokerHasItsOwn() {
        var ports = new LocalPorts(9092, 8080, 3);
        ports.check();
        assertThat(ports.kafka(3)).isEqualTo(9094);
        assertThat(ports.admin(3)).isEqualTo(8082);
        assertThat(ports.ensemble(1)).containsExactly(9192, 9193, 9194);
        assertThat(ports.ensemble(3)).containsExactly(9198, 9199, 9200);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, broker 2, --port",
        "0, 2, broker 3, --admin-port",
        "103, 0, broker 2, --port",
    })
    void aTakenOneIsNamedWithItsOption(int aboveKafka, int aboveAdmin, String broker, String option)
            throws IOException {
        LocalPorts ports = free();
        int taken =
                aboveKafka > 0 ? ports.firstKafka() + aboveKafka : ports.firstAdmin() + aboveAdmin;
        try (var held = new ServerSocket(taken, 1, InetAddress.getLoopbackAddress())) {
            assertThat(held.isBound()).isTrue();
            assertThatThrownBy(ports::requireFree)
                    .isInstanceOfSatisfying(
                            Failure.class,
                            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED))
                    .hasMessageContaining("Port " + taken + ", for ")
                    .hasMessageContaining("of " + broker + ", cannot be used")
                    .hasMessageEndingWith("choose other ports with " + option + ".")
                    .hasMessageNotContaining("listen");
        }
        ports.requireFree();
    }

    /// Below the range from which outgoing connections get theirs.
    private static LocalPorts free() {
        while (true) {
            int first = ThreadLocalRandom.current().nextInt(15_000, 31_000);
            var ports = new LocalPorts(first, first + 500, 3);
            try {
                ports.requireFree();
                return ports;
            } catch (Failure _) {
                // Somebody else's.
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 8080, --port takes 1 to 65427 here",
        "65428, 8080, --port takes 1 to 65427 here",
        "9092, 65534, --admin-port takes 1 to 65533 here",
        "8081, 8080, Port 8081 would be used twice",
        "9092, 9200, Port 9200 would be used twice",
    })
    void portsThatCannotBeAreRefused(int kafka, int admin, String sentence) {
        assertThatThrownBy(() -> new LocalPorts(kafka, admin, 3).check())
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE))
                .hasMessageContaining(sentence);
    }
}
