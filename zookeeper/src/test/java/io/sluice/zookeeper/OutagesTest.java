package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.SeenTree;
import io.sluice.zookeeper.EnsembleSettings.Member;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Servers that stop and come back, lines that are cut half-way.
@Timeout(600)
class OutagesTest {
    private static final Outcome COMMITTED = new Outcome.Committed();
    private static final String ROOT = "/outages";

    @TempDir private Path folder;

    private final TestHome home = new TestHome();

    @AfterEach
    void closeHome() {
        home.close();
    }

    /// KAFKA-1387 (Z2): what belongs to the session is still there, and still ours, when the ensemble is back.
    @Test
    void aSessionOutlivesTheEnsemblesOutage() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder, 1);
                ZooKeeperCoordination store = ZooKeeperCoordination.open(ensemble.clients(ROOT))) {
            SeenTree seen = home.watch(store);
            home.commit(
                    store,
                    new Change.Create("/brokers/1", "here", Life.SESSION),
                    new Change.Create("/a", "1"));
            long session = store.session();
            ensemble.stop(1);
            home.until(() -> seen.turns().contains("suspended"));
            assertThat(seen.turns()).containsExactly("loaded", "suspended");
            Outcome away = home.commit(store, new Change.Set("/a", "2", 0));
            assertThat(away).isInstanceOf(Outcome.Unknown.class);
            assertThat(away.toString()).contains("127.0.0.1").contains("cannot be reached");
            assertThatThrownBy(() -> home.texts(store)).isInstanceOf(StoreUnreachable.class);
            ensemble.start(1);
            home.until(() -> seen.turns().size() == 3);
            assertThat(seen.turns()).containsExactly("loaded", "suspended", "loaded");
            assertThat(store.session()).isEqualTo(session);
            assertThat(home.texts(store)).isEqualTo(Map.of("/a", "1@0", "/brokers/1", "here@0"));
            assertThat(home.commit(store, new Change.Set("/brokers/1", "still here", 0)))
                    .isEqualTo(COMMITTED);
            assertThat(ensemble.failures()).isEmpty();
        }
    }

    /// The server makes the commit, and the answer is lost: the caller must not be told that it failed, and can find out.
    @Test
    void aCommitWhoseAnswerIsLostIsOfUnknownOutcome() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder, 1)) {
            Member member = ensemble.settings().members().getFirst();
            try (Relay relay = new Relay(member.host(), member.clientPort());
                    ZooKeeperCoordination store =
                            ZooKeeperCoordination.open(
                                    TestEnsemble.clients(
                                            ROOT,
                                            List.of(relay.address()),
                                            Map.of("cluster.zookeeper.session-timeout", "3s")));
                    ZooKeeperCoordination other =
                            ZooKeeperCoordination.open(ensemble.clients(ROOT))) {
                SeenTree seen = home.watch(store);
                SeenTree seenByOther = home.watch(other);
                relay.muteServer();
                Outcome outcome = home.commit(store, new Change.Create("/a", "1"));
                assertThat(outcome).isInstanceOf(Outcome.Unknown.class);
                assertThat(outcome.toString()).contains("/a").contains("may or may not");
                home.until(() -> seenByOther.texts().containsKey("/a"));
                assertThat(seenByOther.texts()).isEqualTo(Map.of("/a", "1@0"));
                relay.restore();
                home.until(() -> seen.texts().containsKey("/a"));
                assertThat(home.texts(store)).isEqualTo(Map.of("/a", "1@0"));
                assertThat(seen.turns()).startsWith("loaded", "suspended").endsWith("loaded");
            }
        }
    }

    /// The server stops among commits: each is made or not as a whole, none is reported as made and is not.
    @Test
    void commitsDuringAStopAreMadeOrUnknown() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder, 1);
                ZooKeeperCoordination store = ZooKeeperCoordination.open(ensemble.clients(ROOT))) {
            SeenTree seen = home.watch(store);
            List<Outcome> outcomes = new CopyOnWriteArrayList<>();
            Thread stopper = Thread.ofVirtual().unstarted(() -> ensemble.stop(1));
            int sent = 0;
            while (!seen.turns().contains("suspended") && sent < 3_000) {
                String name = "/commits/" + sent++;
                home.mailbox()
                        .post(
                                () ->
                                        store.commit(
                                                        home.mailbox(),
                                                        List.of(
                                                                new Change.Create(name, "1"),
                                                                new Change.Create(
                                                                        name + "-twin", "1")))
                                                .then(outcomes::add, failure -> {}));
                if (sent == 200) {
                    stopper.start();
                }
                Thread.sleep(0, 200_000);
            }
            int all = sent;
            home.until(() -> outcomes.size() == all && seen.turns().contains("suspended"));
            stopper.join();
            ensemble.start(1);
            home.until(() -> seen.turns().size() >= 3);
            Map<String, String> found = home.texts(store);
            for (int i = 0; i < all; i++) {
                boolean made = found.containsKey("/commits/" + i);
                assertThat(found.containsKey("/commits/" + i + "-twin")).isEqualTo(made);
                assertThat(outcomes.get(i)).isNotInstanceOf(Outcome.Conflict.class);
                if (outcomes.get(i).equals(COMMITTED)) {
                    assertThat(made).as("commit " + i).isTrue();
                }
            }
        }
    }

    @Test
    void commitsGoOnWhenAFollowerOrTheLeaderOfTheEnsembleDies() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder, 3);
                ZooKeeperCoordination store = ZooKeeperCoordination.open(ensemble.clients(ROOT))) {
            SeenTree seen = home.watch(store);
            home.commit(store, new Change.Create("/session", "mine", Life.SESSION));
            int counted = count(store, 0, 20);
            int leader = ensemble.leader();
            int follower = leader % 3 + 1;
            ensemble.stop(follower);
            counted = count(store, counted, 20);
            ensemble.start(follower);
            counted = count(store, counted, 20);
            ensemble.stop(ensemble.leader());
            assertThat(count(store, counted, 20)).isEqualTo(80);
            assertThat(home.texts(store))
                    .isEqualTo(Map.of("/count", "80@79", "/session", "mine@0"));
            Map<String, String> expected = home.texts(store);
            home.until(() -> seen.texts().equals(expected));
            assertThat(seen.texts()).isEqualTo(expected);
            assertThat(seen.turns()).doesNotContain("expired");
            assertThat(seen.stepsBack()).isEmpty();
        }
    }

    /// Where ZooKeeper ends the process, only its server ends, and says so.
    @Test
    void aServerThatWouldEndTheProcessEndsAlone() throws Exception {
        Set<Integer> ports = new HashSet<>();
        try (ServerSocket held =
                new ServerSocket(
                        TestEnsemble.freePort(ports), 1, InetAddress.getLoopbackAddress())) {
            Member member =
                    new Member(
                            1,
                            "127.0.0.1",
                            TestEnsemble.freePort(ports),
                            held.getLocalPort(),
                            TestEnsemble.freePort(ports));
            List<String> failures = new CopyOnWriteArrayList<>();
            try (EmbeddedEnsemble server =
                    EmbeddedEnsemble.start(
                            new EnsembleSettings(List.of(member), TlsStores.NONE),
                            member,
                            folder,
                            failures::add)) {
                home.until(() -> server.role().equals("STOPPED"));
                assertThat(server.role()).isEqualTo("STOPPED");
                assertThat(failures)
                        .singleElement(InstanceOfAssertFactories.STRING)
                        .contains("member 1")
                        .contains("wanted to end the process")
                        .contains("restart it");
            }
        }
    }

    /// Counts on by compare-and-set; after an unknown outcome it looks before it goes on, so that nothing is counted twice.
    private int count(ZooKeeperCoordination store, int from, int times) throws Exception {
        int counted = from;
        long deadline = System.nanoTime() + TestEnsemble.patience().toNanos();
        while (counted < from + times && System.nanoTime() < deadline) {
            Change next =
                    counted == 0
                            ? new Change.Create("/count", "1")
                            : new Change.Set("/count", "" + (counted + 1), counted - 1);
            Outcome outcome = home.commit(store, next);
            counted = outcome.equals(COMMITTED) ? counted + 1 : look(store, counted);
        }
        return counted;
    }

    private int look(ZooKeeperCoordination store, int counted) throws Exception {
        try {
            String text = home.texts(store).get("/count");
            return text == null ? 0 : Integer.parseInt(text.substring(0, text.indexOf('@')));
        } catch (StoreUnreachable _) {
            Thread.sleep(20);
            return counted;
        }
    }
}
