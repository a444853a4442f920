package io.sluice.env.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.env.Disk;
import io.sluice.env.DiskContract;
import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.env.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OsDiskTest extends DiskContract {
    @TempDir private Path folder;

    @Override
    protected Disk emptyDisk() {
        return new OsDisk(folder.resolve("disk"));
    }

    @Override
    protected int openFiles(Disk disk) {
        return ((OsDisk) disk).openFiles();
    }

    @Test
    void aFullDeviceIsTold() throws IOException {
        Path full = Path.of("/dev/full");
        assumeThat(Files.isWritable(full)).as("there is a " + full).isTrue();
        Files.createSymbolicLink(folder.resolve("full"), full);
        OsDisk disk = new OsDisk(folder);
        try (DiskFile file = disk.open("full")) {
            disk.delete("full");
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(10), 0))
                    .isInstanceOfSatisfying(
                            DiskException.class,
                            e -> {
                                assertThat(e.kind()).isEqualTo(Kind.FULL);
                                assertThat(e.path()).isEqualTo("full");
                                assertThat(e)
                                        .hasMessageStartingWith("Cannot write 10 bytes at 0 to")
                                        .hasCauseInstanceOf(IOException.class);
                            });
        }
    }

    @Test
    void aQuotaIsAFullDiskAndOtherErrorsAreNot() {
        DiskFailure failure = new DiskFailure(folder);
        assertThat(failure.of("write", "a", new IOException("Disk quota exceeded")).kind())
                .isEqualTo(Kind.FULL);
        assertThat(
                        failure.of(
                                        "write",
                                        "a",
                                        new FileSystemException(
                                                "a", null, "No space left on device"))
                                .kind())
                .isEqualTo(Kind.FULL);
        assertThat(failure.of("write", "a", new IOException("Input/output error"), 10).kind())
                .isEqualTo(Kind.IO);
        assertThat(
                        failure.of(
                                        "write",
                                        "a",
                                        new IOException("words in another language"),
                                        Long.MAX_VALUE)
                                .kind())
                .isEqualTo(Kind.FULL);
    }

    @Test
    void wantOfFileHandlesIsNoFailureOfTheDisk() {
        DiskException failure =
                new DiskFailure(folder)
                        .of("open", "a", new FileSystemException("a", null, "Too many open files"));
        assertThat(failure.kind()).isEqualTo(Kind.TOO_MANY_OPEN);
        assertThat(failure).hasMessageContaining("Allow the broker more open files");
    }

    @Test
    void theChannelReadsTheFile() throws IOException {
        OsDisk disk = new OsDisk(folder);
        try (OsDiskFile file = (OsDiskFile) disk.open("a")) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            ByteBuffer target = ByteBuffer.allocate(3);
            assertThat(file.channel().read(target, 0)).isEqualTo(3);
        }
    }
}
