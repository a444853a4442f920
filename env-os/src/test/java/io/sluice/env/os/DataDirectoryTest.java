package io.sluice.env.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DataDirectoryTest {
    private static final OsClock CLOCK = new OsClock();
    private static final OsEntropy ENTROPY = new OsEntropy();

    @TempDir private Path folder;

    @Test
    void aNewDirectoryGetsItsFilesAndKeepsItsIdentity() throws IOException {
        Path data = folder.resolve("deep/data");
        DataFormat first;
        try (DataDirectory directory = open(data)) {
            first = directory.format();
            assertThat(directory.disk().list("")).containsExactly("format", "lock", "log", "meta");
            assertThat(directory.isEphemeral()).isFalse();
        }
        assertThat(first.clusterId()).hasSize(22).matches("[A-Za-z0-9_-]+");
        assertThat(first.created()).isBefore(Instant.now().plusSeconds(1));
        try (DataDirectory directory = open(data)) {
            assertThat(directory.format()).isEqualTo(first);
        }
        assertThat(Files.readString(data.resolve("format")))
                .startsWith("version=1\ncluster.id=" + first.clusterId() + "\nnode.id=1\ncreated=");
    }

    /// The disk for the partitions is not mounted: an empty folder is in its place, or none.
    @Test
    void aFolderOfPartitionsThatIsNotTheOneItHadIsRefused() throws IOException {
        open(folder).close();
        Path log = folder.resolve("log");
        Path elsewhere = folder.resolveSibling(folder.getFileName() + "-log");
        Files.move(log, elsewhere);
        for (boolean there : new boolean[] {false, true}) {
            if (there) {
                Files.createDirectory(log);
            }
            assertThatThrownBy(() -> open(folder))
                    .isInstanceOf(UnusableDataDirectory.class)
                    .hasMessageContaining(log.toString())
                    .hasMessageContaining("mount it")
                    .hasMessageContaining("delete all of " + folder);
            assertThat(Files.exists(log)).isEqualTo(there);
        }
        Files.delete(log);
        Files.move(elsewhere, log);
        open(folder).close();
    }

    /// It has nobody to be filled from, and its topics are in the same directory.
    @Test
    void aSingleNodeIsNotToldToDeleteItsTopics() throws IOException {
        open(folder).close();
        Files.writeString(folder.resolve("meta/tree-1"), "topics");
        String mark = Files.readString(folder.resolve("log/owner"));
        Files.delete(folder.resolve("log/owner"));
        assertThatThrownBy(() -> open(folder))
                .isInstanceOf(UnusableDataDirectory.class)
                .hasMessageContaining("this is one of several brokers, delete all")
                .hasMessageContaining("A single node has no others")
                .hasMessageContaining(mark.strip().replace('\n', ' '));
        Files.writeString(folder.resolve("log/owner"), mark);
        open(folder).close();
    }

    @Test
    void theFolderOfAnotherBrokersPartitionsIsRefused() throws IOException {
        open(folder).close();
        Files.writeString(folder.resolve("log/owner"), "node.id=2\ncreated=2026-01-01T00:00:00Z\n");
        assertThatThrownBy(() -> open(folder))
                .isInstanceOf(UnusableDataDirectory.class)
                .hasMessageContaining("node.id=2")
                .hasMessageContaining("Mount the disk");
    }

    /// Written by a version that did not mark it.
    @Test
    void anOlderDirectoryIsTakenOnceAndMarked() throws IOException {
        open(folder).close();
        Path format = folder.resolve("format");
        String text = Files.readString(format);
        assertThat(text).endsWith("\nlog.marked=true\n");
        Files.writeString(format, text.replace("log.marked=true\n", ""));
        Files.delete(folder.resolve("log/owner"));
        try (DataDirectory directory = open(folder)) {
            assertThat(directory.isUnused()).isTrue();
        }
        assertThat(Files.readString(format)).isEqualTo(text);
        assertThat(folder.resolve("log/owner")).exists();
    }

    /// A broker whose id is still held by another ends without having joined; it had written down which process it was.
    @Test
    void whatAStartNotesBeforeItHasJoinedLeavesTheDirectoryUnused() throws IOException {
        open(folder).close();
        Files.writeString(folder.resolve("log/incarnations"), "one\n");
        Files.writeString(folder.resolve("log/vouching-boot"), "this\n");
        try (DataDirectory directory = open(folder)) {
            assertThat(directory.isUnused()).isTrue();
            directory.adopt("another-cluster");
            assertThat(directory.isUnused()).isFalse();
        }
        try (DataDirectory directory = open(folder)) {
            assertThat(directory.isUnused()).isFalse();
            assertThat(directory.format().clusterId()).isEqualTo("another-cluster");
        }
    }

    /// Written by a version that did not note that it had joined; the topic is called like the file beside it.
    @Test
    void aDirectoryWithPartitionsIsNotUnused() throws IOException {
        open(folder).close();
        Files.createDirectory(folder.resolve("log/owner-0"));
        try (DataDirectory directory = open(folder)) {
            assertThat(directory.isUnused()).isFalse();
        }
    }

    @Test
    void aSecondUserIsRefusedWithTheHoldersProcess() {
        try (DataDirectory _ = open(folder)) {
            assertThatThrownBy(() -> open(folder))
                    .isInstanceOf(UnusableDataDirectory.class)
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining("process " + ProcessHandle.current().pid());
        }
        open(folder).close();
    }

    /// Q8: the directory is locked against a second process, and freed by the holder's death.
    @Test
    void aSecondProcessIsRefusedUntilTheHolderDies() throws Exception {
        Process holder =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Holder.class.getName(),
                                folder.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (BufferedReader out = holder.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).isEqualTo("holding");
            assertThatThrownBy(() -> open(folder))
                    .isInstanceOf(UnusableDataDirectory.class)
                    .hasMessageContaining("process " + holder.pid());
        } finally {
            holder.destroyForcibly().waitFor();
        }
        open(folder).close();
    }

    @Test
    void aNewerFormatIsRefused() throws IOException {
        open(folder).close();
        rewriteFormat("version=1", "version=2");
        assertThatThrownBy(() -> open(folder))
                .isInstanceOf(UnusableDataDirectory.class)
                .hasMessageContaining("format version 2")
                .hasMessageContaining("up to 1");
        rewriteFormat("version=2", "version=1");
        open(folder).close();
    }

    @Test
    void unknownKeysAreIgnored() throws IOException {
        open(folder).close();
        rewriteFormat("version=1", "version=1\ncolour=blue");
        open(folder).close();
    }

    @Test
    void aDamagedFormatIsRefusedWithWhatIsWrong() throws IOException {
        open(folder).close();
        rewriteFormat("node.id=1", "node.id=one");
        assertThatThrownBy(() -> open(folder))
                .isInstanceOf(UnusableDataDirectory.class)
                .hasMessageContaining("node.id=one is not a number");
        rewriteFormat("node.id=one\n", "");
        assertThatThrownBy(() -> open(folder)).hasMessageContaining("node.id is missing");
    }

    @Test
    void anotherNodesDirectoryIsRefused() {
        open(folder).close();
        assertThatThrownBy(() -> DataDirectory.open(folder, 2, ENTROPY, CLOCK))
                .isInstanceOf(UnusableDataDirectory.class)
                .hasMessageContaining("belongs to node 1, this is node 2");
    }

    @Test
    void aFolderOfOtherThingsIsRefused() throws IOException {
        Files.writeString(folder.resolve("thesis.txt"), "precious");
        assertThatThrownBy(() -> open(folder))
                .isInstanceOf(UnusableDataDirectory.class)
                .hasMessageContaining("not a data directory");
        assertThat(folder.resolve("format")).doesNotExist();
    }

    @Test
    void aCrashWhileCreatingIsRepairedByTheNextStart() throws IOException {
        Files.writeString(folder.resolve("format.new"), "version=");
        Files.writeString(folder.resolve("lock"), "4711\n");
        try (DataDirectory directory = open(folder)) {
            assertThat(directory.format().nodeId()).isEqualTo(1);
        }
    }

    @Test
    void aPathThatIsAFileIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "x");
        assertThatThrownBy(() -> open(file))
                .isInstanceOf(UnusableDataDirectory.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void anEphemeralDirectoryVanishes() {
        Path path;
        try (DataDirectory directory = DataDirectory.ephemeral(1, ENTROPY, CLOCK)) {
            path = directory.path();
            directory.disk().open("log/a").close();
            assertThat(directory.isEphemeral()).isTrue();
            assertThat(path).exists();
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void theFormatCanBeReadWhileTheDirectoryIsInUse() {
        try (DataDirectory directory = open(folder)) {
            assertThat(DataFormat.read(new OsDisk(folder), "here")).isEqualTo(directory.format());
        }
    }

    private static DataDirectory open(Path path) {
        return DataDirectory.open(path, 1, ENTROPY, CLOCK);
    }

    private void rewriteFormat(String from, String to) throws IOException {
        Path file = folder.resolve("format");
        String text = Files.readString(file);
        assertThat(text).contains(from);
        Files.writeString(file, text.replace(from, to));
    }

    /// A process that holds the directory until it is killed.
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws Exception {
            try (DataDirectory _ = open(Path.of(arguments[0]))) {
                System.out.println("holding");
                int _ = System.in.read();
            }
        }
    }
}
