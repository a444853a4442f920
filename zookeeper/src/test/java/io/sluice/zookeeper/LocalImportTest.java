package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.os.LocalCoordination;
import io.sluice.env.os.OsDisk;
import io.sluice.env.os.ThreadMailbox;
import io.sluice.zookeeper.LocalImport.Result;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// From the file of a single node to an ensemble.
@Timeout(600)
class LocalImportTest {
    private static final String ID = "kVvyGPSJT0WjX0rN3cYsXg";

    @TempDir static Path folder;
    @TempDir private Path nodeFolder;

    private static TestEnsemble ensemble;

    private final TestHome home = new TestHome();
    private final ThreadMailbox own = new ThreadMailbox("metadata", _ -> {});
    private LocalCoordination local;
    private ZooKeeperCoordination shared;

    @BeforeAll
    static void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder, 1);
    }

    @AfterAll
    static void stopEnsemble() {
        ensemble.close();
    }

    @BeforeEach
    void open() throws Exception {
        local = LocalCoordination.open(new OsDisk(nodeFolder), "meta", own);
        shared = ZooKeeperCoordination.open(ensemble.clients(TestEnsemble.newRoot()));
        home.commit(
                local,
                new Change.Create("/topics/a", "plan a"),
                new Change.Create("/topics/b", "plan b"),
                new Change.Create("/producer-ids", "2000"),
                new Change.Create("/deletions/gone", "note"),
                new Change.Create("/epoch", "1"),
                new Change.Create("/members/1", "of one node"));
        home.commit(local, new Change.Set("/topics/b", "plan b, changed", 0));
    }

    @AfterEach
    void close() {
        shared.close();
        own.close();
        local.close();
        home.close();
    }

    private Result run(Coordination store) throws Exception {
        return home.<Result>await(mailbox -> new LocalImport(local, store, ID, 1, mailbox).run());
    }

    @Test
    void whatANodeHasDecidedAboutItsTopicsIsCopiedOnce() throws Exception {
        assertThat(run(shared)).isEqualTo(new Result.Done(4));
        Map<String, String> expected =
                Map.of(
                        "/cluster", ID + "@0",
                        "/deletions/gone", "note@0",
                        "/producer-ids", "2000@0",
                        "/topics/a", "plan a@0",
                        "/topics/b", "plan b, changed@0");
        assertThat(home.texts(shared)).isEqualTo(expected);
        home.commit(shared, new Change.Delete("/topics/a", 0));
        assertThat(run(shared)).isEqualTo(new Result.Done(0));
        assertThat(home.texts(shared)).doesNotContainKey("/topics/a");
    }

    @Test
    void anotherClustersStoreIsLeftAlone() throws Exception {
        home.commit(shared, new Change.Create("/cluster", "another"));
        assertThat(run(shared))
                .isInstanceOfSatisfying(
                        Result.Refused.class,
                        refused ->
                                assertThat(refused.sentence())
                                        .contains(ID)
                                        .contains("another")
                                        .contains("empty data directory"));
        assertThat(home.texts(shared)).hasSize(1);
    }

    @Test
    void topicsOfNobodyKnowsWhichClusterAreNotMixedWithOurs() throws Exception {
        home.commit(shared, new Change.Create("/topics/x", "theirs"));
        assertThat(run(shared))
                .isInstanceOfSatisfying(
                        Result.Refused.class,
                        refused -> assertThat(refused.sentence()).contains("/topics/x"));
        assertThat(home.texts(shared)).hasSize(1);
    }

    @Test
    void aLargeTreeIsCopiedInPartsAndGoesOnAfterAnInterruption() throws Exception {
        Map<String, String> expected = new TreeMap<>(Map.of("/cluster", ID + "@0"));
        createLocally(1_500, "p".repeat(400));
        home.texts(local)
                .forEach(
                        (path, text) -> {
                            if (!path.equals("/epoch") && !path.equals("/members/1")) {
                                expected.put(path, text.replaceAll("@[0-9]+$", "@0"));
                            }
                        });
        // As far as an interrupted copy may have come.
        home.commit(
                shared,
                new Change.Create("/cluster", ID),
                new Change.Create("/import", "node 1"),
                new Change.Create("/topics/t7", "p".repeat(400)));
        assertThat(run(shared)).isEqualTo(new Result.Done(1_503));
        assertThat(home.texts(shared)).isEqualTo(expected);
        home.commit(shared, new Change.Create("/import", "node 2"));
        assertThat(run(shared)).isInstanceOf(Result.TryAgain.class);
    }

    @Test
    void aTreeTooLargeForOneCommitIsCopiedFromTheBeginning() throws Exception {
        createLocally(1_000, "p");
        assertThat(run(shared)).isEqualTo(new Result.Done(1_004));
        assertThat(home.texts(shared)).hasSize(1_005).doesNotContainKey("/import");
    }

    private void createLocally(int topics, String plan) throws Exception {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < topics; i++) {
            changes.add(new Change.Create("/topics/t" + i, plan));
        }
        home.commit(local, changes.toArray(Change[]::new));
    }
}
