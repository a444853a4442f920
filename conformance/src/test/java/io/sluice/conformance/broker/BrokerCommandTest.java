package io.sluice.conformance.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Which broker is started, and that its absence cannot pass for a success.
class BrokerCommandTest {
    private static final ClassLoader WITHOUT_SLUICE = ClassLoader.getPlatformClassLoader();

    @Test
    void withoutABrokerTheTestsFailAndSayWhatIsMissing() {
        assertThatThrownBy(() -> BrokerCommand.require(" ", WITHOUT_SLUICE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("There is no broker to test")
                .hasMessageContaining("io.sluice.broker.Main")
                .hasMessageContaining("-Dsluice.conformance.command=");
    }

    @Test
    void aCommandThatWasNamedIsUsedWhateverIsBuilt() {
        assertThat(
                        BrokerCommand.require(" other-broker {data}  {port} ", WITHOUT_SLUICE)
                                .filled(Path.of("/data"), 1, 2))
                .containsExactly("other-broker", "/data", "1");
    }

    /// In every build: the class path of these tests has the broker that was just built.
    @Test
    void thisBuildHasABroker() {
        assertThat(BrokerCommand.require("", BrokerCommandTest.class.getClassLoader()).template())
                .contains("io.sluice.broker.Main", "{data}");
    }
}
