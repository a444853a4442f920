package io.sluice.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.chaos.campaign.Campaign;
import io.sluice.chaos.campaign.CampaignPlan;
import io.sluice.chaos.campaign.Ledger;
import io.sluice.chaos.cluster.SluiceCluster;
import io.sluice.chaos.fault.Faults;
import io.sluice.chaos.fault.Pace;
import io.sluice.chaos.load.LoadPlan;
import io.sluice.chaos.place.FolderDisks;
import io.sluice.chaos.place.LoopbackPlace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A few kills and pauses of a real cluster of three under load (Q20, Q22, Q23): what was acknowledged is there, once and in order. Needs neither root nor namespaces.
/// Shows Q26: brokers die and nothing is lost.
@Tag("chaos")
class SmokeIT {
    private static final String MAIN_CLASS = "io.sluice.broker.Main";

    @TempDir private Path folder;

    @Test
    void nothingAcknowledgedIsLostInAFewKillsAndPauses() {
        CampaignPlan plan =
                new CampaignPlan(
                        Stream.of(
                                        "kill-leader",
                                        "pause-leader",
                                        "kill-controller",
                                        "restart-leader")
                                .map(Faults::named)
                                .toList(),
                        4,
                        Pace.BRISK,
                        Duration.ofSeconds(60),
                        20_261_115,
                        4,
                        new LoadPlan(3, 2, 20, 2));
        try (LoopbackPlace place = new LoopbackPlace();
                FolderDisks disks = new FolderDisks(folder);
                SluiceCluster cluster = new SluiceCluster(broker(), place, disks, folder, 3)) {
            Ledger ledger = new Campaign(cluster, plan, System.err::println, _ -> {}).run();
            assertThat(ledger.acknowledged()).isPositive();
            assertThat(ledger.faults()).isPositive();
            assertThat(ledger.examples()).isEmpty();
            assertThat(ledger.findings()).isEmpty();
        }
    }

    /// The broker as it was just built, with the flags of the script `sluice`.
    private static List<String> broker() {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of("-XX:+UseSerialGC", "-Xms32m", "-Xmx512m"));
        words.addAll(List.of("-XX:+ExitOnOutOfMemoryError", "-XX:+UseCompactObjectHeaders"));
        words.add("--enable-native-access=ALL-UNNAMED");
        words.add("--sun-misc-unsafe-memory-access=allow");
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN_CLASS));
        return words;
    }
}
