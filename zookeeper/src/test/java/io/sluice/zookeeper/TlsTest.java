package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Outcome;
import io.sluice.settings.Settings;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// TLS to an external ensemble, and between the members of the brokers' own.
@Timeout(600)
class TlsTest {
    private static final String PASSWORD = "changeit-canary";
    private static final String PREFIX = "cluster.zookeeper.tls.";

    @TempDir static Path folder;

    private static Path keys;
    private static Path trust;

    private final TestHome home = new TestHome();

    @BeforeAll
    static void makeKeys() throws Exception {
        keys = folder.resolve("keys.p12");
        trust = folder.resolve("trust.p12");
        Path certificate = folder.resolve("certificate.pem");
        keytool(
                "-genkeypair",
                "-alias",
                "broker",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-keystore",
                keys.toString());
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "broker",
                "-keystore",
                keys.toString(),
                "-file",
                certificate.toString());
        keytool(
                "-importcert",
                "-noprompt",
                "-alias",
                "broker",
                "-file",
                certificate.toString(),
                "-keystore",
                trust.toString());
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("keytool.log").toFile())
                        .start();
        assertThat(process.waitFor()).as(Files.readString(folder.resolve("keytool.log"))).isZero();
    }

    @AfterEach
    void closeHome() {
        home.close();
    }

    @Test
    void anExternalEnsembleIsReachedByTls() throws Exception {
        JuteBuffer.prepare();
        EnsembleProperties.prepareProcess();
        Map<String, String> serverStores = new TreeMap<>();
        serverStores.put(
                ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY,
                "org.apache.zookeeper.server.NettyServerCnxnFactory");
        serverStores.put("zookeeper.ssl.keyStore.location", keys.toString());
        serverStores.put("zookeeper.ssl.keyStore.password", PASSWORD);
        serverStores.put("zookeeper.ssl.trustStore.location", trust.toString());
        serverStores.put("zookeeper.ssl.trustStore.password", PASSWORD);
        serverStores.put(
                "zookeeper.authProvider.x509",
                "org.apache.zookeeper.server.auth.X509AuthenticationProvider");
        serverStores.forEach(System::setProperty);
        ProviderRegistry.addOrUpdateProvider("zookeeper.authProvider.x509");
        ServerCnxnFactory connections = ServerCnxnFactory.createFactory();
        try {
            int port = TestEnsemble.freePort(new HashSet<>());
            connections.configure(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100, -1, true);
            File data = folder.resolve("server").toFile();
            FirstSnapshot.ensure(data, data);
            ZooKeeperServer server = new ZooKeeperServer(data, data, 500);
            connections.startup(server);
            try (ZooKeeperCoordination store =
                    ZooKeeperCoordination.open(
                            settings(
                                    port,
                                    Map.of(
                                            PREFIX + "key-store",
                                            keys.toString(),
                                            PREFIX + "key-store-password",
                                            PASSWORD,
                                            PREFIX + "trust-store",
                                            trust.toString(),
                                            PREFIX + "trust-store-password",
                                            PASSWORD)))) {
                assertThat(home.commit(store, new Change.Create("/a", "1")))
                        .isEqualTo(new Outcome.Committed());
                assertThat(home.texts(store)).isEqualTo(Map.of("/a", "1@0"));
            }
            assertThatThrownBy(
                            () ->
                                    ZooKeeperCoordination.open(
                                            settings(
                                                    port,
                                                    Map.of(
                                                            "cluster.zookeeper.start-timeout",
                                                            "1s"))))
                    .isInstanceOf(StoreUnreachable.class)
                    .hasMessageContaining("do not expect TLS");
        } finally {
            serverStores.keySet().forEach(System::clearProperty);
            connections.shutdown();
        }
    }

    private static ZooKeeperSettings settings(int port, Map<String, String> more) {
        Map<String, String> given = new TreeMap<>(more);
        given.put("cluster.zookeeper", "127.0.0.1:" + port);
        given.putIfAbsent("cluster.zookeeper.start-timeout", "3m");
        given.put("cluster.zookeeper.session-timeout", "30s");
        ZooKeeperSettings settings = ZooKeeperSettings.from(new Settings(given));
        assertThat(settings.toString()).doesNotContain(PASSWORD);
        return settings;
    }

    @Test
    void theMembersOfAnEnsembleTalkByTls() throws Exception {
        Secret password = new Secret(PASSWORD);
        TlsStores stores = new TlsStores(keys.toString(), password, trust.toString(), password);
        try (TestEnsemble ensemble = new TestEnsemble(folder.resolve("ensemble"), 3, stores);
                ZooKeeperCoordination store =
                        ZooKeeperCoordination.open(ensemble.clients("/sluice"))) {
            assertThat(home.commit(store, new Change.Create("/a", "1")))
                    .isEqualTo(new Outcome.Committed());
            assertThat(plainTextIsAccepted(ensemble)).isFalse();
        }
    }

    /// A quorum port that speaks TLS ends a connection that does not.
    private static boolean plainTextIsAccepted(TestEnsemble ensemble) throws Exception {
        int port = ensemble.settings().members().get(ensemble.leader() - 1).quorumPort();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(new byte[64]);
            socket.getOutputStream().flush();
            int first = socket.getInputStream().read();
            // 0x15 is a TLS alert.
            return first != -1 && first != 0x15;
        } catch (SocketTimeoutException _) {
            return true;
        } catch (IOException _) {
            return false;
        }
    }
}
