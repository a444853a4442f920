package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Outcome;
import io.sluice.zookeeper.EnsembleSettings.Member;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Who is let in, and what those hear who are not.
@Timeout(600)
class AccessTest {
    private static final String CANARY = "canary-5f1c";

    @TempDir static Path folder;

    private static TestEnsemble ensemble;

    private final TestHome home = new TestHome();
    private final String root = TestEnsemble.newRoot();

    @BeforeAll
    static void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder, 1);
    }

    @AfterAll
    static void stopEnsemble() {
        ensemble.close();
    }

    @AfterEach
    void closeHome() {
        home.close();
    }

    private ZooKeeperSettings as(String user, String password) throws IOException {
        Path file = Files.writeString(folder.resolve("password-" + user), password + "\n");
        return clients(
                Map.of(
                        "cluster.zookeeper.user",
                        user,
                        "cluster.zookeeper.password-file",
                        file.toString()));
    }

    private ZooKeeperSettings clients(Map<String, String> more) {
        return TestEnsemble.clients(root, ensemble.clients(root).servers(), more);
    }

    @Test
    void whatAUserWritesOnlyThisUserMayUse() throws Exception {
        try (ZooKeeperCoordination store = ZooKeeperCoordination.open(as("sluice", CANARY))) {
            assertThat(home.commit(store, new Change.Create("/topics/a", "1")))
                    .isEqualTo(new Outcome.Committed());
        }
        assertThatThrownBy(() -> ZooKeeperCoordination.open(as("sluice", "wrong-" + CANARY)))
                .isInstanceOf(StoreUnreachable.class)
                .hasMessageContaining("the user 'sluice'")
                .hasMessageContaining(root)
                .hasMessageContaining("cluster.zookeeper.password")
                .hasMessageNotContaining(CANARY);
        assertThatThrownBy(() -> ZooKeeperCoordination.open(clients(Map.of())))
                .isInstanceOf(StoreUnreachable.class)
                .hasMessageContaining("a broker without a user");
        ZooKeeper stranger = stranger();
        try {
            assertThatThrownBy(() -> stranger.getData(root + "/topics:/a", false, null))
                    .isInstanceOf(KeeperException.NoAuthException.class);
            assertThatThrownBy(() -> stranger.getACL(root, null))
                    .isInstanceOf(KeeperException.NoAuthException.class);
            stranger.addAuthInfo("digest", bytes("sluice:" + CANARY));
            List<ACL> access = stranger.getACL(root, null);
            assertThat(access).hasSize(1);
            assertThat(access.getFirst().getPerms()).isEqualTo(ZooDefs.Perms.ALL);
            assertThat(access.getFirst().getId().getScheme()).isEqualTo("digest");
        } finally {
            stranger.close();
        }
        try (ZooKeeperCoordination again = ZooKeeperCoordination.open(as("sluice", CANARY))) {
            assertThat(home.texts(again)).isEqualTo(Map.of("/topics/a", "1@0"));
        }
    }

    @Test
    void noSettingShowsItsSecret() throws IOException {
        ZooKeeperSettings settings = as("sluice", CANARY);
        assertThat(settings.login().password().reveal()).isEqualTo(CANARY);
        assertThat(settings.toString()).doesNotContain(CANARY).contains("(hidden)");
    }

    @Test
    void anEnsembleThatIsNotThereIsNamed() throws Exception {
        String nobody = "127.0.0.1:" + TestEnsemble.freePort(new HashSet<>());
        ZooKeeperSettings settings =
                TestEnsemble.clients(
                        root,
                        List.of(nobody, nobody),
                        Map.of("cluster.zookeeper.start-timeout", "1s"));
        assertThatThrownBy(() -> ZooKeeperCoordination.open(settings))
                .isInstanceOf(StoreUnreachable.class)
                .hasMessageContaining(nobody)
                .hasMessageContaining("for 1s")
                .hasMessageContaining("Check that most servers");
    }

    @Test
    void aServerWhosePortIsTakenSaysSo() throws Exception {
        Member taken = ensemble.settings().members().getFirst();
        assertThatThrownBy(
                        () ->
                                EmbeddedEnsemble.start(
                                        ensemble.settings(),
                                        taken,
                                        folder.resolve("second"),
                                        _ -> {}))
                .isInstanceOf(StoreUnreachable.class)
                .hasMessageContaining("" + taken.clientPort())
                .hasMessageContaining("ports are free");
    }

    @Test
    void theServerAnswersTwoCommandsAndHasNoAdminServer() throws Exception {
        assertThat(ask("srvr")).contains("Zookeeper version: 3.9.5");
        assertThat(ask("mntr")).contains("zk_server_state");
        for (String forbidden : List.of("dump", "conf", "envi", "stat", "wchc")) {
            assertThat(ask(forbidden)).contains("not in the whitelist");
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().contains("Jetty"));
    }

    private String ask(String command) throws IOException {
        Member member = ensemble.settings().members().getFirst();
        try (Socket socket = new Socket(member.host(), member.clientPort())) {
            socket.getOutputStream().write(bytes(command));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private ZooKeeper stranger() throws IOException {
        return new ZooKeeper(ensemble.clients(root).servers().getFirst(), 5_000, _ -> {});
    }
}
