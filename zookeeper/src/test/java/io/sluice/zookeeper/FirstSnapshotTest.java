package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstSnapshotTest {
    @TempDir private Path folder;

    @Test
    void aNewMemberHasASnapshotThatZooKeeperCanRead() throws IOException {
        FirstSnapshot.ensure(folder.toFile(), folder.toFile());
        FileTxnSnapLog files = new FileTxnSnapLog(folder.toFile(), folder.toFile());
        assertThat(files.findMostRecentSnapshot()).isNotNull();
        assertThat(files.restore(new DataTree(), new ConcurrentHashMap<>(), (_, _, _) -> {}))
                .isZero();
        files.close();
    }

    @Test
    void aMemberThatHasBeenThereIsLeftAlone() throws IOException {
        FirstSnapshot.ensure(folder.toFile(), folder.toFile());
        Path snapshot = folder.resolve("version-2/snapshot.0");
        FileTime longAgo = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(snapshot, longAgo);
        FirstSnapshot.ensure(folder.toFile(), folder.toFile());
        assertThat(Files.getLastModifiedTime(snapshot)).isEqualTo(longAgo);
    }
}
