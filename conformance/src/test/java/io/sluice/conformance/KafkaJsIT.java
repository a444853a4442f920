package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.child.ChildProgram;
import io.sluice.conformance.child.ClientLibraries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// KafkaJS: a client for Node.js that shares no code with any other.
@Tag("kafkajs")
@ExtendWith(BrokerExtension.class)
class KafkaJsIT {

    @Test
    @DisplayName("Q38: a Node.js program produces, consumes and administers")
    void aNodeProgramProducesConsumesAndAdministers(Broker broker) throws IOException {
        ChildProgram.Result result =
                ChildProgram.of(
                                List.of(
                                        "node",
                                        "client.js",
                                        broker.bootstrap(),
                                        Clients.unique("kafkajs")))
                        .in(installed())
                        .run(Duration.ofMinutes(10))
                        .requireSuccess();

        assertThat(result.lines())
                .containsSubsequence("done admin", "done produce", "done consume", "done inspect");
    }

    /// A copy of the project below `target`, with its dependencies; skips the test where they cannot be had.
    static Path installed() throws IOException {
        assumeTrue(
                ChildProgram.isInstalled("node") && ChildProgram.isInstalled("npm"),
                "Node.js is not installed (Debian: apt-get install nodejs npm)");
        ClientLibraries project = new ClientLibraries("kafkajs");
        Path folder = Files.createDirectories(project.target());
        for (String file : List.of("package.json", "client.js", "keys.js")) {
            Files.copy(
                    project.project().resolve(file),
                    folder.resolve(file),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        if (!Files.isDirectory(folder.resolve("node_modules"))) {
            ChildProgram.Result fetched =
                    ChildProgram.of(
                                    List.of(
                                            "npm",
                                            "install",
                                            "--no-package-lock",
                                            "--no-audit",
                                            "--no-fund"))
                            .in(folder)
                            .run(Duration.ofMinutes(10));
            assumeTrue(
                    fetched.exitCode() == 0,
                    () -> "npm could not install kafkajs:\n" + fetched.output());
        }
        return folder;
    }
}
