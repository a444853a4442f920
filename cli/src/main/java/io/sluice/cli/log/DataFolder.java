package io.sluice.cli.log;

import io.sluice.cli.Failure;
import io.sluice.env.Disk;
import io.sluice.env.os.DataDirectory;
import io.sluice.env.os.OsDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine;

/// The data directory a command looks into, and which of its partitions.
///
/// Owned by the main thread.
final class DataFolder {
    private static final Pattern PARTITION = Pattern.compile(".+-\\d+");

    @CommandLine.Parameters(
            arity = "0..1",
            paramLabel = "DIR",
            description = "The broker's data directory. Default: ./data.")
    Path directory = Path.of("data");

    @CommandLine.Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC[:PARTITION]",
            description = "Only this topic or partition. Repeatable. Default: all.")
    List<String> places = new ArrayList<>();

    /// The folder that holds the partitions' folders.
    ///
    /// @throws Failure when there is none; looking must not make one
    Disk disk() {
        Path log = directory.resolve(DataDirectory.LOG);
        if (!Files.isDirectory(log)) {
            throw Failure.notFound(
                    "'%s' is no data directory: it has no folder '%s'. Say where the broker keeps its data."
                            .formatted(directory, DataDirectory.LOG));
        }
        return new OsDisk(log);
    }

    /// Names of the chosen partitions' folders, such as `orders-0`.
    List<String> partitions(Disk disk) {
        List<String> found = new ArrayList<>();
        for (String name : disk.list("")) {
            if (PARTITION.matcher(name).matches() && chosen(name)) {
                found.add(name);
            }
        }
        if (found.isEmpty()) {
            throw Failure.notFound(
                    places.isEmpty()
                            ? "There is no partition in '%s'.".formatted(directory)
                            : "There is no partition of %s in '%s'."
                                    .formatted(String.join(", ", places), directory));
        }
        return found;
    }

    private boolean chosen(String folder) {
        if (places.isEmpty()) {
            return true;
        }
        int dash = folder.lastIndexOf('-');
        String topic = folder.substring(0, dash);
        String place = topic + ":" + folder.substring(dash + 1);
        return places.contains(topic) || places.contains(place);
    }
}
