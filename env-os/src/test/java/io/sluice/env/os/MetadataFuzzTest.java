package io.sluice.env.os;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Any bytes as the files in which a node keeps its metadata: they open, or are refused with a sentence, and stay what they were read as.
///
/// In a normal test run the inputs kept under `MetadataFuzzTestInputs` are replayed. How to search for new ones is in docs/testing.md.
class MetadataFuzzTest {
    private static final String META = "meta";
    private static final long SNAPSHOT = 41;
    private static final int ROLL_BYTES = 1 << 20;

    @FuzzTest(maxDuration = "5m")
    void anyBytesAreATree(byte[] content) throws IOException {
        inFolder(
                disk -> {
                    Path file = disk.root().resolve(META, "tree-00000000000000000041");
                    write(file, content);
                    SortedMap<String, ?> first = tree(disk);
                    if (first != null) {
                        // What was read once is what counts from now on, mended or not.
                        assertThat(tree(disk)).isEqualTo(first);
                    } else {
                        assertThat(file).hasBinaryContent(content);
                    }
                });
    }

    /// The nodes, or null when the store refuses to open.
    private static @Nullable SortedMap<String, ?> tree(OsDisk disk) {
        VersionedTree tree = new VersionedTree();
        try (TreeFile _ = TreeFile.open(disk, META, ROLL_BYTES, tree)) {
            return tree.lasting();
        } catch (DamagedMetadata refused) {
            assertThat(refused.getMessage()).contains("tree-");
            return null;
        }
    }

    @FuzzTest(maxDuration = "5m")
    void anyBytesAreScanned(byte[] content) {
        TreeScan scan = new TreeScan(ByteBuffer.wrap(content), SNAPSHOT);
        long number = SNAPSHOT;
        int position = 0;
        for (TreeFrame frame; (frame = scan.next()) != null; number++) {
            assertThat(frame.number()).isEqualTo(number);
            assertThat(scan.position()).isGreaterThan(position);
            position = scan.position();
        }
        assertThat(scan.nextNumber()).isEqualTo(number);
        assertThat(scan.position()).isEqualTo(position);
        if (scan.hasLaterFrame()) {
            assertThat(position).isLessThan(content.length);
        }
    }

    @FuzzTest(maxDuration = "5m")
    void anyBytesAreAFormat(byte[] content) throws IOException {
        inFolder(
                disk -> {
                    write(disk.root().resolve(DataFormat.FILE), content);
                    try {
                        DataFormat format = DataFormat.read(disk, "here");
                        assertThat(format.version()).isEqualTo(DataFormat.VERSION);
                        format.write(disk);
                        assertThat(DataFormat.read(disk, "here")).isEqualTo(format);
                    } catch (UnusableDataDirectory refused) {
                        assertThat(refused.getMessage()).contains("here");
                    }
                });
    }

    private static void write(Path file, byte[] content) {
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A temporary folder for each input: JUnit's own is made once for all of them.
    private static void inFolder(Consumer<OsDisk> test) throws IOException {
        Path folder = Files.createTempDirectory("metadata-fuzz-");
        try {
            test.accept(new OsDisk(folder));
        } finally {
            List<Path> all;
            try (Stream<Path> walk = Files.walk(folder)) {
                all = walk.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path path : all) {
                Files.delete(path);
            }
        }
    }
}
