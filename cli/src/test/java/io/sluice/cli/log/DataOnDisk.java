package io.sluice.cli.log;

import io.sluice.cli.BrokerUnderTest.BrokerAddress;
import io.sluice.cli.Cli;
import io.sluice.testing.Sluice;
import java.nio.file.Path;
import java.util.Map;

/// A data directory that a real broker has written and left.
public final class DataOnDisk {
    private DataOnDisk() {}

    /// Topics `orders` with two partitions and three messages in one of them, and `empty`.
    public static void write(Path directory) {
        try (var sluice = Sluice.on(directory, Map.of())) {
            Cli cli = Cli.at(new BrokerAddress(sluice.bootstrap()));
            cli.run("topic", "create", "orders", "-p", "2");
            cli.run("topic", "create", "empty");
            cli.run("send", "orders", "first", "-p", "1", "-k", "k1", "-H", "trace=42");
            cli.run("send", "orders", "둘째", "third", "-p", "1", "--profile", "throughput");
        }
    }
}
