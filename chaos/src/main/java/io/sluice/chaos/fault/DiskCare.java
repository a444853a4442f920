package io.sluice.chaos.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// What an operator does to a broker's disk.
final class DiskCare {
    private DiskCare() {}

    /// Ends the broker if it still runs, makes the disk good and starts the broker on what is there.
    static void repairAndStart(Scene scene, int victim) {
        scene.broker(victim).kill();
        scene.disks().repair(victim);
        scene.broker(victim).start();
    }

    /// Another disk, with nothing on it, for a broker that does not run.
    static void exchange(Scene scene, int victim) {
        Path folder = scene.cluster().disks().folder(victim).resolve("data");
        try (Stream<Path> below = Files.walk(folder)) {
            List<Path> old = below.toList();
            for (Path path : old.stream().sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot empty " + folder, failure);
        }
    }
}
