package io.sluice.conformance.broker;

import io.sluice.testing.SteadyPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Brokers that are one cluster, each a process of its own; their ids are 1, 2, 3 and so on. The first three have a member of the ensemble inside.
///
/// Owned by the test that made it. Closing it kills what still runs.
public final class SluiceCluster implements AutoCloseable {
    private static final int MEMBERS = 3;

    private final List<SluiceProcess> brokers = new ArrayList<>();
    private final String zookeeper;

    /// @param flags for all of them; `{id}` stands for the broker's id
    public SluiceCluster(Path folder, int count, String... flags) {
        List<String> members = new ArrayList<>();
        List<String> servers = new ArrayList<>();
        for (int id = 1; id <= Math.min(count, MEMBERS); id++) {
            int clientPort = SteadyPorts.next();
            servers.add("127.0.0.1:" + clientPort);
            members.add(
                    id
                            + "@127.0.0.1:"
                            + SteadyPorts.next()
                            + ":"
                            + SteadyPorts.next()
                            + ":"
                            + clientPort);
        }
        zookeeper = String.join(",", servers) + "/sluice";
        for (int id = 1; id <= count; id++) {
            List<String> all = new ArrayList<>();
            for (String flag : flags) {
                all.add(flag.replace("{id}", Integer.toString(id)));
            }
            all.add("--node.id=" + id);
            all.add("--cluster.ensemble=" + String.join(",", members));
            brokers.add(new SluiceProcess(folderOf(folder, id), all));
        }
    }

    private static Path folderOf(Path folder, int id) {
        try {
            return Files.createDirectories(folder.resolve("broker-" + id));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Starts all and waits until all answer.
    public SluiceCluster start() {
        brokers.forEach(SluiceProcess::launch);
        brokers.forEach(SluiceProcess::awaitReady);
        return this;
    }

    /// For `cluster.zookeeper` of a broker that has no member of the ensemble.
    public String zookeeper() {
        return zookeeper;
    }

    /// By its id, from 1.
    public SluiceProcess broker(int id) {
        return brokers.get(id - 1);
    }

    public List<SluiceProcess> brokers() {
        return List.copyOf(brokers);
    }

    public String bootstrap() {
        return brokers.stream()
                .map(one -> one.broker().bootstrap())
                .collect(Collectors.joining(","));
    }

    /// What all of them have printed.
    public String output() {
        StringBuilder all = new StringBuilder();
        for (int id = 1; id <= brokers.size(); id++) {
            all.append("--- broker ").append(id).append('\n').append(broker(id).output());
        }
        return all.toString();
    }

    @Override
    public void close() {
        brokers.forEach(SluiceProcess::close);
    }
}
