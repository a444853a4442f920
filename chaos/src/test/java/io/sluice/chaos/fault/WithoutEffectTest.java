package io.sluice.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.chaos.cluster.SluiceCluster;
import io.sluice.chaos.place.DiskTroubles;
import io.sluice.chaos.place.Disks;
import io.sluice.chaos.place.LoopbackPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A run in which a fault did not do what it is there for proves nothing, and must not end as a clean one.
class WithoutEffectTest {
    @TempDir private Path folder;

    @Test
    void aBrokerThatIsNotEmptiedIsAFinding() throws IOException {
        assertThat(findings("drain", false))
                .hasSize(2)
                .anySatisfy(finding -> assertThat(finding).contains("broker 1", "not empty"))
                .anySatisfy(finding -> assertThat(finding).contains("no replica in sync"));
        assertThat(findings("drain", true)).isEmpty();
    }

    @Test
    void aBrokerThatIsNotReplacedIsAFinding() throws IOException {
        assertThat(findings("replace", false))
                .hasSize(3)
                .anySatisfy(finding -> assertThat(finding).contains("not empty"))
                .anySatisfy(finding -> assertThat(finding).contains("removed", "it holds data"))
                .anySatisfy(finding -> assertThat(finding).contains("no replica in sync"));
        assertThat(findings("replace", true)).isEmpty();
    }

    @Test
    void aFullDiskThatIsNotNoticedIsAFinding() throws IOException {
        assertThat(findings("disk-full", false))
                .singleElement()
                .asString()
                .contains("broker 1", "has not refused");
        assertThat(findings("disk-full", true)).isEmpty();
    }

    /// Nobody runs here; what a broker does about its disk, it has done by ending.
    private List<String> findings(String kind, boolean obeys) throws IOException {
        List<String> findings = new ArrayList<>();
        try (LoopbackPlace place = new LoopbackPlace();
                SluiceCluster cluster =
                        new SluiceCluster(
                                List.of("true"), place, new PatientDisks(folder), folder, 4)) {
            Files.createDirectories(cluster.disks().folder(1).resolve("data"));
            Scene scene =
                    new Scene(
                            cluster,
                            new ScriptedEye(obeys),
                            "orders",
                            new Random(1),
                            Pace.BRISK,
                            findings::add);
            Faults.named(kind).inflict(scene).healing().run();
        }
        return findings;
    }

    /// Folders whose troubles are only imagined.
    private record PatientDisks(Path root) implements Disks, DiskTroubles {
        @Override
        public String description() {
            return "imagined";
        }

        @Override
        public Path folder(int broker) {
            return root.resolve("broker-" + broker);
        }

        @Override
        public DiskTroubles troubles() {
            return this;
        }

        @Override
        public void cutPower(int broker) {}

        @Override
        public void fill(int broker) {}

        @Override
        public void failWrites(int broker) {}

        @Override
        public void repair(int broker) {}

        @Override
        public void close() {}
    }
}
