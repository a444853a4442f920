package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.child.ChildProgram;
import io.sluice.conformance.child.ClientLibraries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// confluent-kafka for Python, as Debian packages it.
@Tag("python")
@ExtendWith(BrokerExtension.class)
class PythonIT {
    /// Debian's own interpreter, which finds Debian's packages; another one first on the path would not.
    private static final String PYTHON = "/usr/bin/python3";

    @Test
    @DisplayName("Q38: a Python program produces, consumes and administers")
    void aPythonProgramProducesConsumesAndAdministers(Broker broker) {
        assumeTrue(
                hasConfluentKafka(),
                "confluent-kafka is not installed (Debian: apt-get install"
                        + " python3-confluent-kafka)");
        Path program = new ClientLibraries("python").project().resolve("client.py");

        ChildProgram.Result result =
                ChildProgram.of(
                                List.of(
                                        PYTHON,
                                        program.toString(),
                                        broker.bootstrap(),
                                        Clients.unique("python")))
                        .run(Duration.ofMinutes(10))
                        .requireSuccess();

        assertThat(result.lines())
                .containsSubsequence("done admin", "done produce", "done consume", "done delete");
    }

    private static boolean hasConfluentKafka() {
        return Files.isExecutable(Path.of(PYTHON))
                && ChildProgram.of(List.of(PYTHON, "-c", "import confluent_kafka"))
                                .run(Duration.ofMinutes(2))
                                .exitCode()
                        == 0;
    }
}
