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
        Place place = new Place(Path.of("/x"), 9, 10);

        assertThat(new SluicePeer(SluicePeer.defaultCommand(Path.of("/r"))).startCommand(place))
                .containsExactly(
                        "/r/sluice",
                        "up",
                        "--data",
                        "/x/data",
                        "--kafka.listen=127.0.0.1:9",
                        "--admin.listen=127.0.0.1:10");
    }

    @Test
    void aPlaceIsEmptyAndItsPortsDiffer() throws IOException {
        Files.createDirectories(folder.resolve("broker/data/deep"));
        Files.writeString(folder.resolve("broker/data/deep/old.log"), "old");

        Place place = Place.empty(folder.resolve("broker"));

        assertThat(place.folder()).isEmptyDirectory();
        assertThat(place.port()).isNotEqualTo(place.secondPort());
    }

    @Test
    void aBrokerThatEndsAtOnceIsReportedWithWhatItPrinted() {
        Place place = Place.empty(folder.resolve("broker"));
        Peer broken = new SluicePeer("/bin/ls /no-such-folder-{port}");

        try (BrokerProcess process = BrokerProcess.start(broken, place)) {
            assertThatThrownBy(() -> process.awaitFirstAcknowledgement("t", Duration.ofMinutes(1)))
                    .hasMessageContaining("sluice ended with 2")
                    .hasMessageContaining("no-such-folder-" + place.port());
        }
    }

    @Test
    void killingABrokerEndsTheChildrenOfItsScriptToo() throws IOException {
        Place place = Place.empty(folder.resolve("broker"));
        Path script = folder.resolve("up.sh");
        Files.writeString(script, "sleep 600 &\nwait\n");
        BrokerProcess process = BrokerProcess.start(new SluicePeer("/bin/sh " + script), place);
        List<ProcessHandle> children;
        do {
            children = process.processes().filter(handle -> handle.parent().isPresent()).toList();
        } while (children.size() < 2);

        process.kill();

        assertThat(children).noneMatch(ProcessHandle::isAlive);
        assertThat(process.usage()).isEqualTo(ProcessUsage.NONE);
    }
}
