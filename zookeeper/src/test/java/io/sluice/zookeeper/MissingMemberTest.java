package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.zookeeper.EnsembleSettings.Member;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A new ensemble does not begin without all of its members: whoever waits is told for whom.
@Timeout(600)
class MissingMemberTest {
    @TempDir Path folder;
    private final Set<Integer> taken = new HashSet<>();

    private Member member(int id) throws IOException {
        return new Member(
                id,
                "127.0.0.1",
                TestEnsemble.freePort(taken),
                TestEnsemble.freePort(taken),
                TestEnsemble.freePort(taken));
    }

    @Test
    void isNamedWithItsIdAndAddress() throws Exception {
        Member here = member(1);
        Member away = member(2);
        EnsembleSettings settings = new EnsembleSettings(List.of(here, away), TlsStores.NONE);
        try (EmbeddedEnsemble ensemble = EmbeddedEnsemble.start(settings, here, folder, _ -> {})) {
            while (ensemble.waitsFor().isEmpty()) {
                Thread.sleep(10);
            }
            assertThat(ensemble.waitsFor())
                    .contains("Member 1", "no data", "member 2 at 127.0.0.1:" + away.clientPort())
                    .contains("cluster.ensemble");
        }
    }
}
