package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.SeenTree;
import io.sluice.settings.Settings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.zookeeper.util.ServiceUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A broker that runs a member stays with it, whoever else comes and goes.
@Timeout(600)
class NearestFirstTest {
    @TempDir private Path folder;

    private final TestHome home = new TestHome();

    @AfterEach
    void closeHome() {
        home.close();
    }

    private static ZooKeeperCoordination open(TestEnsemble ensemble, int broker) {
        ZooKeeperSettings settings =
                ZooKeeperSettings.from(
                        new Settings(Map.of("cluster.zookeeper.start-timeout", "3m")));
        return ZooKeeperCoordination.open(ensemble.settings().clients(settings, broker));
    }

    @Test
    void theOwnMemberIsTriedForAWhileThenTheOthersInTurn() {
        NearestFirst servers = new NearestFirst(List.of("[::1]:1", "127.0.0.1:2", "127.0.0.1:3"));
        for (int i = 0; i < 40; i++) {
            assertThat(servers.next(1).getPort()).isEqualTo(1);
        }
        assertThat(
                        List.of(
                                servers.next(1).getPort(),
                                servers.next(1).getPort(),
                                servers.next(1).getPort(),
                                servers.next(1).getPort(),
                                servers.next(1).getPort()))
                .containsExactly(2, 1, 3, 1, 2);
        servers.onConnected();
        InetSocketAddress first = servers.next(1);
        assertThat(first.getPort()).isEqualTo(1);
        assertThat(first.isUnresolved()).isFalse();
        assertThat(servers.size()).isEqualTo(4);
        assertThat(new NearestFirst(List.of("127.0.0.1:9")).size()).isEqualTo(1);
    }

    /// Left with another one, it would lose the store with that one's broker.
    @Test
    void whoeverHadToTurnToAnotherMemberGoesHome() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder, 3)) {
            int own = ensemble.leader() == 1 ? 2 : 1;
            ZooKeeperSettings clients =
                    ensemble.settings()
                            .clients(
                                    ZooKeeperSettings.from(
                                            new Settings(
                                                    Map.of(
                                                            "cluster.zookeeper.start-timeout",
                                                            "3m"))),
                                    own);
            try (ZooKeeperCoordination store =
                    ZooKeeperCoordination.open(clients, () -> ensemble.serves(own))) {
                SeenTree seen = home.watch(store);
                assertThat(store.isHome()).isTrue();
                ensemble.stop(own);
                home.until(() -> seen.turns().size() == 3);
                assertThat(store.isHome()).isFalse();
                long session = store.session();
                ensemble.start(own);
                home.until(store::isHome);
                home.until(() -> seen.turns().size() == 5);
                assertThat(seen.turns())
                        .containsExactly("loaded", "suspended", "loaded", "suspended", "loaded");
                assertThat(store.session()).isEqualTo(session);
            }
        }
    }

    /// Of two other members that end in turn, one at most is the ensemble's leader: the other's end is not noticed.
    @Test
    void theEndOfAnotherFollowerIsNotNoticed() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder, 3)) {
            int leader = ensemble.leader();
            TreeSet<Integer> followers = new TreeSet<>(List.of(1, 2, 3));
            followers.remove(leader);
            try (ZooKeeperCoordination ofLeader = open(ensemble, leader);
                    ZooKeeperCoordination ofFollower = open(ensemble, followers.last())) {
                SeenTree first = home.watch(ofLeader);
                SeenTree second = home.watch(ofFollower);
                ensemble.stop(followers.first());
                home.commit(ofLeader, new Change.Create("/a", "1"));
                home.until(() -> second.texts().containsKey("/a"));
                assertThat(first.turns()).containsExactly("loaded");
                assertThat(second.turns()).containsExactly("loaded");
            }
        }
    }

    @Test
    void theEndOfTheEnsemblesLeaderIsOverWhenAnotherIsElected() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder, 3)) {
            int leader = ensemble.leader();
            int other = leader == 1 ? 2 : 1;
            try (ZooKeeperCoordination store = open(ensemble, other)) {
                SeenTree seen = home.watch(store);
                long began = System.nanoTime();
                Thread stopping = Thread.ofVirtual().start(() -> ensemble.stop(leader));
                home.until(() -> seen.turns().contains("suspended"));
                home.until(() -> seen.turns().size() == 3);
                long away = System.nanoTime() - began;
                System.out.printf(
                        "without an ensemble for %d ms%n", Duration.ofNanos(away).toMillis());
                assertThat(seen.turns()).containsExactly("loaded", "suspended", "loaded");
                assertThat(home.commit(store, new Change.Create("/a", "1")))
                        .isEqualTo(new Outcome.Committed());
                stopping.join();
            }
        }
    }

    /// With a failing disk ZooKeeper wants the process to end. It gets its own end: for good, and the broker hears of it.
    @Test
    void aMemberThatWantsToEndTheProcessEndsItself() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder, 1)) {
            ensemble.leader();
            ServiceUtils.requestSystemExit(10);
            home.until(() -> ensemble.role(1).equals("STOPPED"));
            assertThat(ensemble.failures()).hasSize(1);
            assertThat(ensemble.failures().getFirst())
                    .contains("member 1")
                    .contains("code 10")
                    .contains("restart");
        }
    }
}
