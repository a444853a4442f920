package io.sluice.chaos.place;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An ext4 file system of its own for each broker, in a sparse image on a tmpfs. Takes root.
///
/// ```
/// root/store-1          tmpfs, limited in size: a ballast file beside the image makes block writes fail
/// root/store-1/image    the block device, by a loop device
/// root/broker-1         the file system: what the broker sees
/// ```
///
/// The image is in memory, so an fsync costs little; that it happens before an acknowledgement is what counts here.
///
/// Owned by the campaign's thread.
public final class LoopDisks implements Disks, DiskTroubles {
    private static final int MEGABYTES = 1_536;
    private static final String BALLAST = "ballast";

    private final Path root;

    /// Makes and mounts them.
    public LoopDisks(Path root, int brokers) {
        this.root = root;
        removeAll(root);
        boolean made = false;
        try {
            for (int broker = 1; broker <= brokers; broker++) {
                make(broker);
            }
            made = true;
        } finally {
            if (!made) {
                removeAll(root);
            }
        }
    }

    /// Why this machine cannot have them; absent when it can.
    public static @Nullable String obstacle(Path root) {
        for (String tool : List.of("mkfs.ext4", "losetup", "mount", "fallocate")) {
            if (!Command.succeeds("sh", "-c", "command -v " + tool)) {
                return "there is no '"
                        + tool
                        + "' (Debian and Ubuntu: apt install e2fsprogs mount util-linux)";
            }
        }
        try (LoopDisks trial = new LoopDisks(root, 1)) {
            trial.cutPower(1);
            return null;
        } catch (CommandFailed | UncheckedIOException refused) {
            return "this machine does not allow loop-mounted file systems (are you root?): "
                    + refused.getMessage();
        }
    }

    /// Unmounts what a run that was killed may have left there.
    public static void removeAll(Path root) {
        for (int broker = 1; broker <= 9; broker++) {
            unmount(root.resolve("broker-" + broker));
            unmount(root.resolve("store-" + broker));
        }
    }

    @Override
    public String description() {
        return "a loop-mounted ext4 of its own per broker";
    }

    @Override
    public Path folder(int broker) {
        return root.resolve("broker-" + broker);
    }

    @Override
    public DiskTroubles troubles() {
        return this;
    }

    @Override
    public void cutPower(int broker) {
        PowerSwitch.cut(folder(broker));
    }

    @Override
    public void fill(int broker) {
        fill(folder(broker));
    }

    @Override
    public void failWrites(int broker) {
        fill(store(broker));
    }

    private static void fill(Path folder) {
        Path ballast = folder.resolve(BALLAST);
        try {
            // Usable space is rounded and moves while a broker writes: in ever smaller steps up to
            // the very end.
            long size = 0;
            for (long step = 256L << 20; step >= 4_096; step /= 2) {
                while (Command.succeeds(
                        "fallocate", "-l", Long.toString(size + step), ballast.toString())) {
                    size += step;
                }
            }
            if (Files.size(ballast) == 0) {
                throw new IllegalStateException(folder + " could not be filled");
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot fill " + folder, failure);
        }
    }

    @Override
    public void repair(int broker) {
        try {
            Files.deleteIfExists(store(broker).resolve(BALLAST));
            unmount(folder(broker));
            // A file system whose device refused writes may have marked itself broken; what a power
            // cut left needs the journal only.
            Command.succeeds("e2fsck", "-p", store(broker).resolve("image").toString());
            mount(broker);
            Files.deleteIfExists(folder(broker).resolve(BALLAST));
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot repair disk " + broker, failure);
        }
    }

    private void make(int broker) {
        try {
            Files.createDirectories(store(broker));
            Files.createDirectories(folder(broker));
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot make the folders of disk " + broker, failure);
        }
        Command.run(
                "mount",
                "-t",
                "tmpfs",
                "-o",
                "size=" + (MEGABYTES + 16) + "m",
                "tmpfs",
                store(broker).toString());
        String image = store(broker).resolve("image").toString();
        Command.run("truncate", "-s", MEGABYTES + "M", image);
        // No blocks reserved for root, who the broker is here: full means full.
        Command.run("mkfs.ext4", "-q", "-F", "-m", "0", image);
        mount(broker);
    }

    private void mount(int broker) {
        Command.run(
                "mount",
                "-o",
                "loop",
                store(broker).resolve("image").toString(),
                folder(broker).toString());
    }

    private static void unmount(Path folder) {
        while (Command.succeeds("mountpoint", "-q", folder.toString())) {
            Command.run("umount", folder.toString());
        }
    }

    private Path store(int broker) {
        return root.resolve("store-" + broker);
    }

    @Override
    public void close() {
        removeAll(root);
    }
}
