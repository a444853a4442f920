package io.sluice.chaos.place;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Plain folders on the machine's own disk, side by side.
///
/// Owned by the campaign's thread.
public final class FolderDisks implements Disks {
    private final Path root;

    public FolderDisks(Path root) {
        this.root = root;
    }

    @Override
    public String description() {
        return "folders of one disk";
    }

    @Override
    public Path folder(int broker) {
        Path folder = root.resolve("broker-" + broker);
        try {
            return Files.createDirectories(folder);
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot make " + folder, failure);
        }
    }

    @Override
    public @Nullable DiskTroubles troubles() {
        return null;
    }

    @Override
    public void close() {
        // The data stays for those who ask why; the next run empties the folder.
    }
}
