package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.child.ChildProgram;
import io.sluice.conformance.child.ClientLibraries;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// kafka-clients 2.8, in a JVM of its own because its classes have the names of the current ones. It speaks versions of the protocol that no current
/// client sends any more.
@Tag("old-client")
@ExtendWith(BrokerExtension.class)
class OldClientIT {
    private final ClientLibraries libraries = new ClientLibraries("kafka-2.8");

    @Test
    @DisplayName("Q38: a client of 2021 produces, consumes and administers")
    void aClientOf2021ProducesConsumesAndAdministers(Broker broker) {
        ChildProgram program =
                ChildProgram.java(
                        libraries.classPath(),
                        libraries.project().resolve("OldClient.java").toString(),
                        broker.bootstrap(),
                        Clients.unique("old"));

        ChildProgram.Result result = program.run(Duration.ofMinutes(10)).requireSuccess();

        assertThat(result.lines())
                .containsSubsequence(
                        "done create",
                        "done produce",
                        "done consume",
                        "done group",
                        "done describe",
                        "done settings",
                        "done records",
                        "done delete");
    }
}
