package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.SeenTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Large nodes and large trees.
@Timeout(600)
class SizesTest {
    private static final Outcome COMMITTED = new Outcome.Committed();

    @TempDir static Path folder;

    private static TestEnsemble ensemble;

    private final TestHome home = new TestHome();
    private final String root = TestEnsemble.newRoot();

    @BeforeAll
    static void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder, 1);
    }

    @AfterAll
    static void stopEnsemble() {
        ensemble.close();
    }

    @AfterEach
    void closeHome() {
        home.close();
    }

    @Test
    void aNodeOfTwoMebibytesIsWrittenWatchedAndReadAfterARestart() throws Exception {
        String large = "0123456789abcdef".repeat(1 << 17);
        try (ZooKeeperCoordination store = ZooKeeperCoordination.open(ensemble.clients(root))) {
            SeenTree seen = home.watch(store);
            assertThat(home.commit(store, new Change.Create("/topics/large", large)))
                    .isEqualTo(COMMITTED);
            assertThat(home.commit(store, new Change.Set("/topics/large", large + "!", 0)))
                    .isEqualTo(COMMITTED);
            assertThat(seen.texts()).isEqualTo(Map.of("/topics/large", large + "!@1"));
            assertThat(home.commit(store, new Change.Create("/other", "works")))
                    .isEqualTo(COMMITTED);
        }
        ensemble.stop(1);
        ensemble.start(1);
        try (ZooKeeperCoordination again = ZooKeeperCoordination.open(ensemble.clients(root))) {
            assertThat(home.texts(again)).containsEntry("/topics/large", large + "!@1");
        }
    }

    /// The server would close the connection, and the client repeat that for ever.
    @Test
    void whatIsTooLargeForTheEnsembleIsRefusedBeforeItIsSent() throws Exception {
        ZooKeeperSettings settings =
                TestEnsemble.clients(
                        root,
                        ensemble.clients(root).servers(),
                        Map.of("cluster.zookeeper.jute-maxbuffer", "1MiB"));
        try (ZooKeeperCoordination store = ZooKeeperCoordination.open(settings)) {
            assertThatThrownBy(
                            () ->
                                    home.commit(
                                            store,
                                            new Change.Create("/topics/a", "x".repeat(1 << 20))))
                    .isInstanceOf(CommitRefused.class)
                    .hasMessageContaining("/topics/a")
                    .hasMessageContaining("1MiB")
                    .hasMessageContaining("jute.maxbuffer")
                    .hasMessageContaining("cluster.zookeeper.jute-maxbuffer");
            assertThat(home.commit(store, new Change.Create("/topics/a", "x".repeat(1_000_000))))
                    .isEqualTo(COMMITTED);
        }
    }

    @Test
    void aLargeTreeIsReadAtOnce() throws Exception {
        int topics = 10_000;
        try (ZooKeeperCoordination store = ZooKeeperCoordination.open(ensemble.clients(root))) {
            for (int from = 0; from < topics; from += 1_000) {
                List<Change> some = new ArrayList<>();
                for (int i = from; i < from + 1_000; i++) {
                    some.add(new Change.Create("/topics/topic-" + i, "x".repeat(200)));
                }
                assertThat(home.commit(store, some.toArray(Change[]::new))).isEqualTo(COMMITTED);
            }
            assertThat(home.texts(store)).hasSize(topics);
        }
        long start = System.nanoTime();
        try (ZooKeeperCoordination again = ZooKeeperCoordination.open(ensemble.clients(root))) {
            long opened = System.nanoTime();
            assertThat(home.texts(again)).hasSize(topics);
            long loaded = System.nanoTime();
            System.out.printf(
                    "zookeeper: %d nodes read in %d ms, loaded again in %d ms%n",
                    topics, (opened - start) / 1_000_000, (loaded - opened) / 1_000_000);
        }
    }
}
