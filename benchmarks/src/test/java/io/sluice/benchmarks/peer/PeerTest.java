package io.sluice.benchmarks.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerTest {
    @TempDir Path folder;

    @Test
    void theCommandOfSluiceIsFilledIn() {
        Place place = new Place(1, Path.of("/x"), List.of(9, 10, 11, 12, 13));

        assertThat(
                        new SluicePeer(SluicePeer.defaultCommand(Path.of("/r")))
                                .startCommand(new Site(List.of(place)), place))
                .containsExactly(
                        "/r/sluice",
                        "up",
                        "--data",
                        "/x/data",
                        "--kafka.listen=127.0.0.1:9",
                        "--admin.listen=127.0.0.1:10");
    }

    @Test
    void everyBrokerOfAClusterIsToldItsIdAndTheWholeEnsemble() {
        Place one = new Place(1, Path.of("/x-1"), List.of(9, 10, 11, 12, 13));
        Place two = new Place(2, Path.of("/x-2"), List.of(19, 20, 21, 22, 23));
        Place three = new Place(3, Path.of("/x-3"), List.of(29, 30, 31, 32, 33));

        assertThat(
                        new SluicePeer("sluice up --data {data}")
                                .startCommand(new Site(List.of(one, two, three)), two))
                .containsExactly(
                        "sluice",
                        "up",
                        "--data",
                        "/x-2/data",
                        "--node.id=2",
                        "--cluster.ensemble=1@127.0.0.1:11:12:13,2@127.0.0.1:21:22:23,3@127.0.0.1:31:32:33",
                        "--topics.default-replication-factor=3");
    }

    @Test
    void placesAreEmptyAndTheirPortsDiffer() throws IOException {
        Files.createDirectories(folder.resolve("broker-2/data/deep"));
        Files.writeString(folder.resolve("broker-2/data/deep/old.log"), "old");

        Site site = Site.empty(folder, "broker", 3);

        assertThat(site.places())
                .allSatisfy(place -> assertThat(place.folder()).isEmptyDirectory());
        assertThat(site.places().stream().flatMap(place -> place.ports().stream()))
                .doesNotHaveDuplicates()
                .hasSize(15);
        assertThat(site.replicas()).isEqualTo(3);
        assertThat(site.minInSync()).isEqualTo(2);
    }

    @Test
    void oneNodeHasNoReplicasToWaitFor() {
        Site site = Site.empty(folder, "broker", 1);

        assertThat(site.isCluster()).isFalse();
        assertThat(site.replicas()).isEqualTo(1);
        assertThat(site.minInSync()).isEqualTo(1);
    }

    @Test
    void aBrokerThatEndsAtOnceIsReportedWithWhatItPrinted() {
        Site site = Site.empty(folder, "broker", 1);
        Peer broken = new SluicePeer("/bin/ls /no-such-folder-{port}");

        try (Brokers brokers = Brokers.start(broken, site)) {
            assertThatThrownBy(() -> brokers.awaitFirstAcknowledgement("t", Duration.ofMinutes(1)))
                    .hasMessageContaining("sluice ended with 2")
                    .hasMessageContaining("no-such-folder-" + site.places().getFirst().port());
        }
    }

    @Test
    void killingBrokersEndsTheChildrenOfTheirScriptsToo() throws IOException {
        Site site = Site.empty(folder, "broker", 3);
        Path script = folder.resolve("up.sh");
        Files.writeString(script, "sleep 600 &\nwait\n");
        Brokers brokers = Brokers.start(new SluicePeer("/bin/sh " + script), site);
        List<ProcessHandle> processes;
        do {
            processes =
                    brokers.all().stream()
                            .flatMap(BrokerProcess::processes)
                            .filter(handle -> handle.parent().isPresent())
                            .toList();
        } while (processes.size() < 6);

        brokers.kill();

        assertThat(processes).noneMatch(ProcessHandle::isAlive);
        assertThat(brokers.usage()).isEqualTo(ProcessUsage.NONE);
    }
}
