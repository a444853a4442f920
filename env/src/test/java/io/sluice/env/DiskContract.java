package io.sluice.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.DiskException.Kind;
import io.sluice.record.Invariant;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every [Disk] must do while the power stays on. Crashes are the simulation's and the conformance tests' matter.
public abstract class DiskContract {
    private Disk disk;

    /// A new, empty disk.
    protected abstract Disk emptyDisk() throws Exception;

    /// How many files are open, to find leaks.
    protected abstract int openFiles(Disk disk);

    @BeforeEach
    void open() throws Exception {
        disk = emptyDisk();
    }

    @Test
    void whatWasWrittenIsRead() {
        try (DiskFile file = disk.open("a")) {
            file.write(bytes("hello"), 0);
            file.write(bytes("world"), 5);
            assertThat(text(file, 0, 10)).isEqualTo("helloworld");
            assertThat(text(file, 3, 4)).isEqualTo("lowo");
            assertThat(file.size()).isEqualTo(10);
        }
    }

    @Test
    void writingConsumesTheSource() {
        try (DiskFile file = disk.open("a")) {
            ByteBuffer source = bytes("xhellox");
            source.position(1).limit(6);
            file.write(source, 0);
            assertThat(source.position()).isEqualTo(6);
            assertThat(source.limit()).isEqualTo(6);
            assertThat(text(file, 0, 9)).isEqualTo("hello");
        }
    }

    @Test
    void writingOverReplacesTheBytes() {
        try (DiskFile file = disk.open("a")) {
            file.write(bytes("hello"), 0);
            file.write(bytes("EL"), 1);
            assertThat(text(file, 0, 5)).isEqualTo("hELlo");
        }
    }

    @Test
    void writingBehindTheEndLeavesZerosBetween() {
        try (DiskFile file = disk.open("a")) {
            file.write(bytes("x"), 3);
            assertThat(text(file, 0, 4)).isEqualTo("\0\0\0x");
        }
    }

    @Test
    void largeBuffersOfBothKindsAreWrittenAndReadWhole() {
        byte[] content = new byte[(3 << 20) + 17];
        new Random(1).nextBytes(content);
        try (DiskFile file = disk.open("a")) {
            file.write(ByteBuffer.wrap(content), 0);
            ByteBuffer direct = ByteBuffer.allocateDirect(content.length).put(content).flip();
            file.write(direct, content.length);
            ByteBuffer heap = ByteBuffer.allocate(content.length);
            assertThat(file.read(heap, content.length)).isEqualTo(content.length);
            assertThat(Arrays.equals(heap.array(), content)).isTrue();
            direct.clear();
            assertThat(file.read(direct, 0)).isEqualTo(content.length);
            assertThat(direct.flip()).isEqualTo(ByteBuffer.wrap(content));
        }
    }

    @Test
    void readingStopsAtTheEnd() {
        try (DiskFile file = disk.open("a")) {
            file.write(bytes("hello"), 0);
            ByteBuffer target = ByteBuffer.allocate(10);
            assertThat(file.read(target, 3)).isEqualTo(2);
            assertThat(target.position()).isEqualTo(2);
            assertThat(target.limit()).isEqualTo(10);
            assertThat(file.read(target, 5)).isZero();
            assertThat(file.read(target, 500)).isZero();
        }
    }

    @Test
    void truncatingCutsAndGrowingAgainReadsZeros() {
        try (DiskFile file = disk.open("a")) {
            file.write(bytes("hello"), 0);
            file.truncate(2);
            assertThat(file.size()).isEqualTo(2);
            file.write(bytes("!"), 4);
            assertThat(text(file, 0, 5)).isEqualTo("he\0\0!");
        }
    }

    @Test
    void truncatingToMoreThanTheSizeChangesNothing() {
        try (DiskFile file = disk.open("a")) {
            file.write(bytes("hello"), 0);
            file.truncate(50);
            assertThat(file.size()).isEqualTo(5);
        }
    }

    @Test
    void forcedContentIsStillThereAfterReopening() {
        try (DiskFile file = disk.open("a")) {
            file.write(bytes("hello"), 0);
            file.force();
        }
        try (DiskFile file = disk.openForReading("a")) {
            assertThat(text(file, 0, 5)).isEqualTo("hello");
        }
    }

    @Test
    void openingTwiceSeesTheSameBytes() {
        try (DiskFile writer = disk.open("a");
                DiskFile reader = disk.openForReading("a")) {
            writer.write(bytes("hello"), 0);
            assertThat(text(reader, 0, 5)).isEqualTo("hello");
        }
    }

    @Test
    void openingAnAbsentFileForReadingFails() {
        assertThatThrownBy(() -> disk.openForReading("a"))
                .isInstanceOfSatisfying(
                        DiskException.class,
                        e -> {
                            assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND);
                            assertThat(e.path()).isEqualTo("a");
                            assertThat(e).hasMessageContaining("a");
                        });
        assertThat(disk.exists("a")).isFalse();
    }

    @Test
    void openingBelowAnAbsentDirectoryFails() {
        assertThatThrownBy(() -> disk.open("none/a"))
                .isInstanceOfSatisfying(
                        DiskException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
    }

    @Test
    void aPathOutsideTheRootIsRefused() {
        assertThatThrownBy(() -> disk.open("../a")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aFileOpenedForReadingCannotBeWritten() {
        disk.open("a").close();
        try (DiskFile file = disk.openForReading("a")) {
            assertThatThrownBy(() -> file.write(bytes("x"), 0))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void namesAreListedSorted() {
        disk.createDirectory("d");
        disk.open("d/b").close();
        disk.open("d/a").close();
        disk.createDirectory("d/c/deep");
        assertThat(disk.list("d")).containsExactly("a", "b", "c");
        assertThat(disk.list("d/c")).containsExactly("deep");
        assertThat(disk.list("")).containsExactly("d");
        assertThat(disk.list("absent")).isEmpty();
    }

    @Test
    void creatingADirectoryTwiceIsFine() {
        disk.createDirectory("d/e");
        disk.createDirectory("d/e");
        assertThat(disk.exists("d/e")).isTrue();
        assertThat(disk.exists("d")).isTrue();
    }

    @Test
    void renamingReplacesTheTarget() {
        write("a", "new");
        write("b", "old");
        disk.rename("a", "b");
        assertThat(disk.list("")).containsExactly("b");
        assertThat(content("b")).isEqualTo("new");
    }

    @Test
    void renamingADirectoryTakesItsContentAlong() {
        disk.createDirectory("d");
        write("d/a", "hello");
        disk.rename("d", "e");
        assertThat(disk.exists("d")).isFalse();
        assertThat(content("e/a")).isEqualTo("hello");
    }

    @Test
    void renamingSomethingAbsentFails() {
        assertThatThrownBy(() -> disk.rename("a", "b"))
                .isInstanceOfSatisfying(
                        DiskException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
    }

    @Test
    void anOpenFileSurvivesItsRenaming() {
        try (DiskFile file = disk.open("a")) {
            file.write(bytes("hello"), 0);
            disk.rename("a", "b");
            file.write(bytes("J"), 0);
            assertThat(content("b")).isEqualTo("Jello");
        }
    }

    @Test
    void anOpenFileCanBeReadAfterItsDeletion() {
        try (DiskFile file = disk.open("a")) {
            file.write(bytes("hello"), 0);
            disk.delete("a");
            assertThat(disk.exists("a")).isFalse();
            assertThat(text(file, 0, 5)).isEqualTo("hello");
            write("a", "other");
            assertThat(text(file, 0, 5)).isEqualTo("hello");
        }
    }

    @Test
    void deletingADirectoryTakesAllBelowIt() {
        disk.createDirectory("d/e");
        write("d/e/a", "x");
        write("d/b", "x");
        disk.delete("d");
        assertThat(disk.list("")).isEmpty();
        assertThat(disk.exists("d/e/a")).isFalse();
    }

    @Test
    void deletingSomethingAbsentIsFine() {
        disk.delete("a");
        assertThat(disk.list("")).isEmpty();
    }

    @Test
    void directoriesCanBeSynced() {
        disk.createDirectory("d");
        disk.open("d/a").close();
        disk.syncDirectory("d");
        disk.syncDirectory("");
        assertThatThrownBy(() -> disk.syncDirectory("absent"))
                .isInstanceOfSatisfying(
                        DiskException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
    }

    @Test
    void thereIsRoom() {
        assertThat(disk.usableBytes()).isPositive();
        assertThat(disk.totalBytes()).isGreaterThanOrEqualTo(disk.usableBytes());
    }

    @Test
    void aFileIsClosedByItsLastUser() {
        DiskFile file = disk.open("a");
        file.write(bytes("hello"), 0);
        file.retain();
        file.close();
        assertThat(text(file, 0, 5)).isEqualTo("hello");
        assertThat(openFiles(disk)).isEqualTo(1);
        file.close();
        assertThat(openFiles(disk)).isZero();
    }

    @Test
    void closingOrRetainingAfterTheLastCloseIsABug() {
        DiskFile file = disk.open("a");
        file.close();
        assertThatThrownBy(file::retain).isInstanceOf(Invariant.Violation.class);
        assertThatThrownBy(file::close).isInstanceOf(Invariant.Violation.class);
        assertThat(openFiles(disk)).isZero();
    }

    private void write(String path, String content) {
        try (DiskFile file = disk.open(path)) {
            file.write(bytes(content), 0);
        }
    }

    private String content(String path) {
        try (DiskFile file = disk.openForReading(path)) {
            return text(file, 0, (int) file.size());
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(DiskFile file, long position, int length) {
        ByteBuffer target = ByteBuffer.allocate(length);
        file.read(target, position);
        return StandardCharsets.UTF_8.decode(target.flip()).toString();
    }
}
