package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A member whose disk was replaced by an empty one has forgotten what it voted for, and must not vote before it has that again.
@Timeout(600)
class LostDiskTest {
    private static final Outcome COMMITTED = new Outcome.Committed();
    private static final String ROOT = "/lost";

    /// In this time two members that may vote have elected a leader, as a rule; if they should be slower the test finds less, and does not fail.
    private static final Duration LONG_ENOUGH_TO_ELECT = Duration.ofSeconds(6);

    @TempDir private Path folder;

    private final TestHome home = new TestHome();

    @AfterEach
    void closeHome() {
        home.close();
    }

    /// Members 1 and 2 have decided something while 3 was away, everything goes dark, and the disk of 2 is gone: 2 and 3 are two of three, and know nothing of it.
    @Test
    void withOneThatWasAwayItIsNoMajority() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder, 3)) {
            commit(ensemble, new Change.Create("/plan", "old"));
            ensemble.stop(3);
            commit(ensemble, new Change.Set("/plan", "new", 0));
            ensemble.stop(1);
            ensemble.stop(2);
            ensemble.wipe(2);
            ensemble.start(2);
            ensemble.start(3);
            assertThat(electsWithin(ensemble, LONG_ENOUGH_TO_ELECT)).isFalse();
            ensemble.start(1);
            assertThat(read(ensemble.clients(ROOT))).isEqualTo(Map.of("/plan", "new@1"));
            assertThat(ensemble.failures()).isEmpty();
        }
    }

    @Test
    void whenItHasTheDataOfTheOthersItVotes() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder, 3)) {
            commit(ensemble, new Change.Create("/plan", "old"));
            ensemble.stop(2);
            ensemble.wipe(2);
            ensemble.start(2);
            String itself = ensemble.settings().members().get(1).clientAddress();
            assertThat(read(TestEnsemble.clients(ROOT, List.of(itself), Map.of())))
                    .as("a member serves when it has everything")
                    .isEqualTo(Map.of("/plan", "old@0"));
            ensemble.stop(3);
            commit(ensemble, new Change.Set("/plan", "new", 0));
            ensemble.stop(1);
            ensemble.stop(2);
            ensemble.start(2);
            ensemble.start(3);
            assertThat(read(ensemble.clients(ROOT))).isEqualTo(Map.of("/plan", "new@1"));
        }
    }

    private void commit(TestEnsemble ensemble, Change change) throws Exception {
        try (ZooKeeperCoordination store = ZooKeeperCoordination.open(ensemble.clients(ROOT))) {
            home.watch(store);
            assertThat(home.commit(store, change)).isEqualTo(COMMITTED);
        }
    }

    private Map<String, String> read(ZooKeeperSettings clients) throws Exception {
        try (ZooKeeperCoordination store = ZooKeeperCoordination.open(clients)) {
            return home.watch(store).texts();
        }
    }

    private static boolean electsWithin(TestEnsemble ensemble, Duration time)
            throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            for (int member = 1; member <= 3; member++) {
                if (ensemble.role(member).equals("LEADING")) {
                    return true;
                }
            }
            Thread.sleep(20);
        }
        return false;
    }
}
