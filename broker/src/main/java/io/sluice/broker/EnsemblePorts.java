package io.sluice.broker;

import io.sluice.zookeeper.EnsembleSettings;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;

/// The three ports of the ensemble's member in this broker. They are tried before ZooKeeper is started: it tries again by itself, with a stack trace for each time, and does
/// not say which port it was. Stateless.
final class EnsemblePorts {
    private EnsemblePorts() {}

    /// Throws with a sentence for people when one of them cannot be listened on.
    static void requireFree(EnsembleSettings.Member self) {
        requireFree(self, self.quorumPort());
        requireFree(self, self.electionPort());
        requireFree(self, self.clientPort());
    }

    private static void requireFree(EnsembleSettings.Member self, int port) {
        Address address = new Address(unbracketed(self.host()), port);
        try (ServerSocketChannel probe = ServerSocketChannel.open()) {
            probe.bind(address.resolve("cluster.ensemble"));
        } catch (IOException e) {
            throw new IllegalStateException(
                    "Cannot listen on "
                            + address
                            + " for the ensemble ("
                            + e.getMessage()
                            + "). Stop what uses the port, or give member "
                            + self.id()
                            + " an address of this machine and other ports in cluster.ensemble, on all brokers.",
                    e);
        }
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }
}
