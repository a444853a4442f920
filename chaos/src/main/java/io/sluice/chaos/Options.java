package io.sluice.chaos;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// What the user can choose on the command line.
final class Options {
    @Option(
            names = "--cluster",
            paramLabel = "sluice|kafka",
            description = "Who is put to the test (default: ${DEFAULT-VALUE}).")
    String cluster = "sluice";

    @Option(
            names = "--faults",
            split = ",",
            paramLabel = "fault",
            description =
                    "Which faults; a name that ends with '*' stands for all that begin so, and ':20' behind it"
                            + " for how often in all (default: all that this machine allows).")
    List<String> faults = new ArrayList<>();

    @Option(
            names = "--count",
            paramLabel = "n",
            description =
                    "Ends after this many faults (default: 30, or what --faults adds up to when it says how often).")
    @Nullable Integer count;

    @Option(
            names = "--brisk",
            description =
                    "As many faults as possible: short rests, brokers come back soon, what hangs or is cut off is so just long enough to be given up.")
    boolean brisk;

    @Option(
            names = "--minutes",
            paramLabel = "n",
            description = "Starts no fault after this time (default: ${DEFAULT-VALUE}).")
    int minutes = 24 * 60;

    @Option(
            names = "--seed",
            paramLabel = "number",
            description = "Chooses the same faults again (default: a new one each time).")
    @Nullable Long seed;

    @Option(
            names = "--brokers",
            paramLabel = "n",
            description = "How many brokers (default: ${DEFAULT-VALUE}).")
    int brokers = 3;

    @Option(
            names = "--partitions",
            paramLabel = "n",
            description = "Partitions of each topic (default: ${DEFAULT-VALUE}).")
    int partitions = 6;

    @Option(
            names = "--rate",
            paramLabel = "n",
            description =
                    "Messages per second of each of the two producers to each partition (default:"
                            + " ${DEFAULT-VALUE}).")
    int rate = 40;

    @Option(
            names = "--round",
            paramLabel = "n",
            description = "Faults until everything is read and judged (default: ${DEFAULT-VALUE}).")
    int round = 15;

    @Option(
            names = "--network",
            paramLabel = "auto|namespaces|proxy|loopback",
            description = "Where the brokers' addresses are (default: ${DEFAULT-VALUE}).")
    String network = "auto";

    @Option(
            names = "--disks",
            paramLabel = "auto|loop|folders",
            description = "Where the brokers' data is (default: ${DEFAULT-VALUE}).")
    String disks = "auto";

    @Option(
            names = "--number",
            paramLabel = "0..255",
            description =
                    "Keeps runs apart that are under way at the same time (default: ${DEFAULT-VALUE}).")
    int number = 77;

    @Option(
            names = "--sluice-command",
            paramLabel = "command",
            description =
                    "Starts a broker of Sluice; settings are added (default: the repository's ./sluice up).")
    @Nullable String sluiceCommand;

    @Option(
            names = "--work",
            paramLabel = "folder",
            description = "Where data and logs go (default: chaos/target/run).")
    @Nullable Path work;

    @Option(
            names = "--report",
            paramLabel = "file",
            description = "Writes the report there as well, after every round.")
    @Nullable Path report;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this.")
    boolean help;

    /// @param chosen how many faults there are to choose from, each as often as it was asked for
    int count(int chosen) {
        if (count != null) {
            return count;
        }
        return faults.stream().anyMatch(name -> name.contains(":")) ? chosen : 30;
    }
}
