package io.sluice.zookeeper;

import io.sluice.env.Coordination;
import io.sluice.env.CoordinationContract;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// One process and an ensemble of one.
/// Shows Q21: the plan is kept consistently.
@Timeout(600)
class ZooKeeperCoordinationTest extends CoordinationContract {
    @TempDir static Path folder;

    private static TestEnsemble ensemble;

    private final TestHome home = new TestHome();
    private final String root = TestEnsemble.newRoot();
    private final List<ZooKeeperCoordination> opened = new ArrayList<>();

    @BeforeAll
    static void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder, 1);
    }

    @AfterAll
    static void stopEnsemble() {
        ensemble.close();
    }

    @Override
    protected Coordination emptyStore() {
        opened.add(ZooKeeperCoordination.open(ensemble.clients(root)));
        return opened.getLast();
    }

    @Override
    protected Coordination reopen(Coordination store) {
        opened.getLast().close();
        return emptyStore();
    }

    @Override
    protected <T> List<T> await(List<Function<Mailbox, Reply<T>>> calls) throws Exception {
        return home.awaitAll(calls);
    }

    @AfterEach
    void stop() {
        opened.forEach(ZooKeeperCoordination::close);
        home.close();
    }
}
