package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OldSnapshotsTest {
    @TempDir private Path folder;

    @Test
    void theNewestAreOnDiskBeforeOlderOnesAreDeleted() throws IOException {
        write(0, 1, 2, 3, 4);
        List<String> forced = new ArrayList<>();
        OldSnapshots.purge(
                data(),
                data(),
                3,
                path -> {
                    assertThat(snapshots()).hasSize(5);
                    forced.add(path.getFileName().toString());
                });
        assertThat(forced)
                .containsExactlyInAnyOrder("snapshot.2", "snapshot.3", "snapshot.4", "version-2")
                .last()
                .isEqualTo("version-2");
        assertThat(snapshots()).containsExactlyInAnyOrder("snapshot.2", "snapshot.3", "snapshot.4");
    }

    @Test
    void nothingIsDeletedWhenTheNewestCannotBeSynced() throws IOException {
        write(0, 1, 2, 3, 4);
        assertThatThrownBy(
                        () ->
                                OldSnapshots.purge(
                                        data(),
                                        data(),
                                        3,
                                        _ -> {
                                            throw new IOException("the disk is broken");
                                        }))
                .hasMessage("the disk is broken");
        assertThat(snapshots()).hasSize(5);
    }

    @Test
    void filesAndFoldersCanBeSynced() throws IOException {
        write(0, 1, 2, 3, 4);
        OldSnapshots.purge(data(), data(), 3, OldSnapshots::sync);
        assertThat(snapshots()).hasSize(3);
    }

    /// A member's folder may be moved away or deleted as soon as the member is closed.
    @Test
    void whoClosesWaitsForTheOneThatIsDeleting() throws Exception {
        write(0, 1, 2, 3, 4);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        OldSnapshots old =
                new OldSnapshots(
                        data(),
                        data(),
                        3,
                        Duration.ofHours(1),
                        _ -> {
                            begun.countDown();
                            await(go);
                        });
        begun.await();
        Thread closing = Thread.ofPlatform().start(old::close);
        while (closing.getState() != Thread.State.TIMED_WAITING
                && closing.getState() != Thread.State.WAITING
                && closing.isAlive()) {
            Thread.onSpinWait();
        }
        assertThat(closing.isAlive()).as("still waiting for the thread that deletes").isTrue();
        go.countDown();
        closing.join();
        assertThat(snapshots()).hasSize(3);
    }

    /// ZooKeeper may want to end while its broker still starts it.
    @Test
    void aMemberThatHasEndedDeletesNothingAnyMore() throws Exception {
        Set<Integer> ports = new HashSet<>();
        EnsembleSettings.Member alone =
                new EnsembleSettings.Member(
                        1,
                        "127.0.0.1",
                        TestEnsemble.freePort(ports),
                        TestEnsemble.freePort(ports),
                        TestEnsemble.freePort(ports));
        EmbeddedEnsemble member =
                EmbeddedEnsemble.start(
                        new EnsembleSettings(List.of(alone), TlsStores.NONE),
                        alone,
                        folder.resolve("zookeeper"),
                        _ -> {});
        member.close();
        QuorumPeerConfig config = new QuorumPeerConfig();
        config.parseProperties(
                EnsembleProperties.of(
                        new EnsembleSettings(List.of(alone), TlsStores.NONE),
                        alone,
                        folder.resolve("zookeeper")));
        member.purge(config);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("sluice-ensemble-purge");
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private File data() {
        return folder.toFile();
    }

    private void write(long... transactions) throws IOException {
        FileTxnSnapLog files = new FileTxnSnapLog(data(), data());
        for (long transaction : transactions) {
            DataTree tree = new DataTree();
            tree.lastProcessedZxid = transaction;
            files.save(tree, new ConcurrentHashMap<>(), false);
        }
        files.close();
    }

    private List<String> snapshots() throws IOException {
        try (Stream<Path> entries = Files.list(folder.resolve("version-2"))) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        }
    }
}
