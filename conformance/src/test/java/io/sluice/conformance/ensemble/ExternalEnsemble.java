package io.sluice.conformance.ensemble;

import io.sluice.conformance.child.ChildProgram;
import io.sluice.testing.SteadyPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One ZooKeeper server as others run it: a process with ZooKeeper's own main class and a file of settings. Owned by the test that made it; closing it kills it.
public final class ExternalEnsemble implements AutoCloseable {
    private static final String MAIN_CLASS = "org.apache.zookeeper.server.ZooKeeperServerMain";

    private final int port = SteadyPorts.next();
    private final ChildProgram.Running server;

    /// Whom a server with TLS lets in.
    public enum Visitors {
        /// Everybody who trusts it; who they are is not asked.
        ANYBODY("none"),
        /// Those with a certificate that it trusts.
        KNOWN("need");

        private final String setting;

        Visitors(String setting) {
            this.setting = setting;
        }
    }

    /// Without TLS.
    public ExternalEnsemble(Path folder) {
        this(folder, null, Visitors.ANYBODY);
    }

    public ExternalEnsemble(Path folder, @Nullable KeyStores stores, Visitors visitors) {
        List<String> lines = new ArrayList<>();
        lines.add("dataDir=" + folder.resolve("zookeeper"));
        lines.add("admin.enableServer=false");
        if (stores == null) {
            lines.add("clientPort=" + port);
            lines.add("clientPortAddress=127.0.0.1");
        } else {
            lines.add("secureClientPort=" + port);
            lines.add("secureClientPortAddress=127.0.0.1");
            lines.add("serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory");
            lines.add("ssl.keyStore.location=" + stores.keys());
            lines.add("ssl.keyStore.password=" + stores.secret());
            lines.add("ssl.trustStore.location=" + stores.trust());
            lines.add("ssl.trustStore.password=" + stores.secret());
            lines.add("ssl.clientAuth=" + visitors.setting);
        }
        try {
            Files.createDirectories(folder);
            Path settings = Files.write(folder.resolve("zoo.cfg"), lines);
            server =
                    ChildProgram.java(
                                    System.getProperty("java.class.path"),
                                    MAIN_CLASS,
                                    settings.toString())
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// For `cluster.zookeeper` of a broker.
    public String servers() {
        return "127.0.0.1:" + port + "/sluice";
    }

    public String output() {
        return server.output();
    }

    @Override
    public void close() {
        server.close();
    }
}
