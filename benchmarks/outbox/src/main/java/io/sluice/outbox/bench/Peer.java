package io.sluice.outbox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Debezium, which Maven fetches and builds a relay around; see `peers/debezium/pom.xml`.
final class Peer {
    private Peer() {}

    static void fetch(Path checkout) throws IOException {
        Path module = checkout.resolve("benchmarks/outbox");
        if (Files.exists(module.resolve("target/peers/debezium/lib/debezium-relay-1.jar"))) {
            return;
        }
        System.err.println("Fetching Debezium");
        try {
            ProcessBuilder maven =
                    new ProcessBuilder(
                                    "mvn",
                                    "-q",
                                    "-B",
                                    "-f",
                                    module.resolve("peers/debezium/pom.xml").toString(),
                                    "package")
                            .inheritIO();
            maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
            if (maven.start().waitFor() != 0) {
                throw new IOException(
                        "Maven could not fetch Debezium; --without=debezium_500,debezium_1 measures without it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
