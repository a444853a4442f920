package io.sluice.simulation.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination;
import io.sluice.simulation.Story;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// What a broker names as its machine's boot when it registers, as far as that vouches for the page cache.
class MachineBootTest {
    private static final int BROKER = 1;
    private static final Duration RESTART = Duration.ofSeconds(10);

    /// The boot in each registration of the first broker: before something is done to it, and when it has been started again. Empty where it names none.
    private static List<String> bootsAround(Consumer<Stage> fault) {
        List<String> boots = new ArrayList<>();
        Plot plot =
                stage -> {
                    boots.add(boot(stage));
                    fault.accept(stage);
                    stage.cluster().broker(BROKER).startIn(Duration.ofMillis(100));
                    stage.advance(RESTART);
                    boots.add(boot(stage));
                    stage.mend();
                };
        ClusterScenario.of(new ClusterScenario.Play(plot, ClusterHabits.GOOD, Objects::nonNull))
                .run(1, Story.untold());
        return boots;
    }

    private static String boot(Stage stage) {
        Coordination.Node node = stage.cluster().store().all().get("/brokers/" + BROKER);
        assertThat(node).isNotNull();
        return node.value().lines().filter(line -> line.startsWith("boot ")).findFirst().orElse("");
    }

    @Test
    void outlivesItsProcess() {
        List<String> boots = bootsAround(stage -> stage.cluster().broker(BROKER).kill());
        assertThat(boots.getFirst()).isNotEmpty();
        assertThat(boots.getLast()).isEqualTo(boots.getFirst());
    }

    @Test
    void endsWithThePower() {
        List<String> boots = bootsAround(stage -> stage.cluster().broker(BROKER).losePower());
        assertThat(boots.getLast()).isNotEmpty().isNotEqualTo(boots.getFirst());
    }

    /// What could not be written back is marked clean, and may be forgotten at any time.
    @Test
    void isNotNamedAnyMoreAfterAnFsyncHasFailed() {
        List<String> boots =
                bootsAround(
                        stage -> {
                            SimBroker broker = stage.cluster().broker(BROKER);
                            broker.disk().failedForcePerMille(1_000);
                            stage.advance(Duration.ofSeconds(3));
                            broker.disk().failedForcePerMille(0);
                            broker.kill();
                        });
        assertThat(boots.getLast()).isEmpty();
    }
}
