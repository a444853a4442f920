package io.sluice.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.chaos.campaign.Campaign;
import io.sluice.chaos.campaign.CampaignPlan;
import io.sluice.chaos.campaign.Incident;
import io.sluice.chaos.campaign.Ledger;
import io.sluice.chaos.check.Check;
import io.sluice.chaos.cluster.SluiceCluster;
import io.sluice.chaos.fault.Faults;
import io.sluice.chaos.fault.Pace;
import io.sluice.chaos.load.LoadPlan;
import io.sluice.chaos.place.Disks;
import io.sluice.chaos.place.FolderDisks;
import io.sluice.chaos.place.LoopDisks;
import io.sluice.chaos.place.LoopbackPlace;
import io.sluice.chaos.place.NamespacePlace;
import io.sluice.chaos.place.Place;
import io.sluice.chaos.place.proxy.ProxyPlace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A few faults of a real cluster of three under load (Q20, Q22, Q23): each of them has happened, every check was made, and what was acknowledged is there, once and in order.
/// Shows Q26: brokers die and nothing is lost.
///
/// Kills and pauses need neither root nor namespaces; cuts are made by a proxy where there are no namespaces; power losses are skipped with a message where the machine does not allow them.
@Tag("chaos")
class SmokeIT {
    private static final String MAIN_CLASS = "io.sluice.broker.Main";

    /// Only against a campaign that never ends: how many faults there are is in the plan, and a slow machine must not have fewer.
    private static final Duration LIMIT = Duration.ofMinutes(15);

    /// A leader that is frozen or cut off is missed after three seconds, and lasts longer than this; a slow machine makes it more.
    private static final Duration NOTICEABLE = Duration.ofSeconds(1);

    @TempDir private Path folder;

    @Test
    void nothingAcknowledgedIsLostInAFewKillsAndPauses() {
        try (LoopbackPlace place = new LoopbackPlace();
                FolderDisks disks = new FolderDisks(folder)) {
            Ledger ledger =
                    judged(
                            place,
                            disks,
                            "kill-leader",
                            "pause-leader",
                            "kill-controller",
                            "restart-leader");
            assertThat(incident(ledger, "kill-leader").story()).startsWith("killed broker");
            assertThat(incident(ledger, "kill-controller").story()).startsWith("killed broker");
            assertThat(incident(ledger, "restart-leader").story()).startsWith("stopped broker");
            assertThat(incident(ledger, "pause-leader").story()).startsWith("froze broker");
            assertThat(incident(ledger, "pause-leader").gap())
                    .as("whoever is frozen acknowledges nothing")
                    .isGreaterThan(NOTICEABLE);
        }
    }

    @Test
    void nothingAcknowledgedIsLostWhenALeaderIsCutOff() {
        try (Place place = withCuts();
                FolderDisks disks = new FolderDisks(folder)) {
            Ledger ledger = judged(place, disks, "isolate-leader");
            assertThat(incident(ledger, "isolate-leader").story()).startsWith("cut off broker");
            assertThat(incident(ledger, "isolate-leader").gap())
                    .as("whoever reaches no replica acknowledges nothing")
                    .isGreaterThan(NOTICEABLE);
        }
    }

    @Test
    void nothingAcknowledgedIsLostWhenThePowerFails() throws IOException {
        Path root = folder.toRealPath().resolve("disks");
        String obstacle = LoopDisks.obstacle(root);
        assumeTrue(obstacle == null, () -> "skipped: " + obstacle);
        try (LoopbackPlace place = new LoopbackPlace();
                LoopDisks disks = new LoopDisks(root, 3)) {
            Ledger ledger = judged(place, disks, "power-loss", "power-loss-all");
            assertThat(incident(ledger, "power-loss").story()).startsWith("power loss of broker");
            assertThat(incident(ledger, "power-loss-all").story())
                    .startsWith("power loss of broker")
                    .contains("broker 1", "broker 2", "broker 3");
        }
    }

    /// Namespaces, and a proxy where the machine does not allow them.
    private Place withCuts() {
        // Away from the number that `sluice chaos` takes when nobody chooses one.
        int number = ThreadLocalRandom.current().nextInt(100, 250);
        String noNamespaces = NamespacePlace.obstacle(number);
        if (noNamespaces == null) {
            return new NamespacePlace(3, number);
        }
        String noProxy = ProxyPlace.obstacle();
        assumeTrue(noProxy == null, () -> "skipped: " + noNamespaces + "; and " + noProxy);
        return new ProxyPlace(3, folder);
    }

    /// A campaign of each of these faults once, in any order; it must have seen them all, and found nothing wrong.
    private Ledger judged(Place place, Disks disks, String... kinds) {
        CampaignPlan plan =
                new CampaignPlan(
                        Stream.of(kinds).map(Faults::named).toList(),
                        kinds.length,
                        Pace.BRISK,
                        LIMIT,
                        20_261_115,
                        kinds.length,
                        new LoadPlan(3, 2, 20, 2),
                        folder);
        try (SluiceCluster cluster = new SluiceCluster(broker(), place, disks, folder, 3)) {
            Ledger ledger = new Campaign(cluster, plan, System.err::println, _ -> {}).run();
            assertThat(ledger.incidents()).map(Incident::kind).containsExactlyInAnyOrder(kinds);
            assertThat(ledger.incidents())
                    .as("whole again after each")
                    .allSatisfy(incident -> assertThat(incident.whole()).isNotNull());
            assertThat(ledger.rounds()).isEqualTo(1);
            assertThat(ledger.acknowledged()).isPositive();
            assertThat(ledger.polled()).isGreaterThanOrEqualTo(ledger.acknowledged());
            assertThat(ledger.violations().keySet())
                    .as("every check was made")
                    .containsExactlyElementsOf(Check.all().stream().map(Check::name).toList());
            assertThat(ledger.examples()).isEmpty();
            assertThat(ledger.violationCount()).isZero();
            assertThat(ledger.findings()).isEmpty();
            return ledger;
        }
    }

    private static Incident incident(Ledger ledger, String kind) {
        return ledger.incidents().stream()
                .filter(one -> one.kind().equals(kind))
                .findFirst()
                .orElseThrow();
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
