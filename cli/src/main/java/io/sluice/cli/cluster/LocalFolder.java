package io.sluice.cli.cluster;

import io.sluice.cli.Failure;
import java.nio.file.Files;
import java.nio.file.Path;

/// The folder of a cluster on this machine: one below it for each broker. Immutable.
record LocalFolder(Path path) {
    /// The highest number that [ClusterUp] allows.
    private static final int BROKERS_MAX = 9;

    Path of(int broker) {
        return path.resolve("broker-" + broker);
    }

    static Path data(Path broker) {
        return broker.resolve("data");
    }

    /// How many brokers have data here; 0 in a new folder.
    private int made() {
        int made = 0;
        for (int id = 1; id <= BROKERS_MAX; id++) {
            made = Files.isDirectory(data(of(id))) ? id : made;
        }
        return made;
    }

    /// Throws when the folder was made for another number of brokers: the members of its ensemble are others, and would wait for each other.
    void requireMadeFor(int brokers) {
        int made = made();
        if (made != 0 && made != brokers) {
            throw Failure.usage(
                    "%s was made with --brokers %d, and cannot be started with --brokers %d: its brokers keep the cluster's metadata together, and their number is fixed. Use --brokers %d, another folder (--dir), or delete this one with all that is in it."
                            .formatted(path, made, brokers, made));
        }
    }
}
