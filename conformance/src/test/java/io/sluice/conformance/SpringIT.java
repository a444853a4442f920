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

/// Spring Kafka with the versions that Spring Boot brings: topics as beans, template, concurrent listeners, retry topics and dead letters.
@Tag("spring")
@ExtendWith(BrokerExtension.class)
class SpringIT {
    private final ClientLibraries libraries = new ClientLibraries("spring");

    @Test
    @DisplayName("Q32: a Spring application listens, retries and buries")
    void aSpringApplicationListensRetriesAndBuries(Broker broker) {
        ChildProgram program =
                ChildProgram.java(
                        libraries.classPath(),
                        libraries.project().resolve("ListenerApplication.java").toString(),
                        broker.bootstrap(),
                        Clients.unique("spring"));

        ChildProgram.Result result = program.run(Duration.ofMinutes(10)).requireSuccess();

        assertThat(result.lines())
                .containsSubsequence("done start", "done listen", "done retry", "done stop");
    }
}
