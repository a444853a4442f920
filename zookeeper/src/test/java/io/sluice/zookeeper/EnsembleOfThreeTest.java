package io.sluice.zookeeper;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.SharedCoordinationContract;
import io.sluice.zookeeper.EnsembleSettings.Member;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Two processes at different members of an ensemble of three, so that what one has committed has to travel to the other.
/// Shows Q21: the plan is kept consistently.
@Timeout(600)
class EnsembleOfThreeTest extends SharedCoordinationContract {
    @TempDir static Path folder;

    private static TestEnsemble ensemble;

    private final TestHome home = new TestHome();
    private final String root = TestEnsemble.newRoot();
    private final Map<Coordination, Relay> joined = new LinkedHashMap<>();

    @BeforeAll
    static void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder, 3);
    }

    @AfterAll
    static void stopEnsemble() {
        ensemble.close();
    }

    @Override
    protected Coordination join() throws Exception {
        List<Member> members = ensemble.settings().members();
        Member member = members.get(joined.size() % members.size());
        Relay relay = new Relay(member.host(), member.clientPort());
        ZooKeeperCoordination store =
                ZooKeeperCoordination.open(
                        TestEnsemble.clients(root, List.of(relay.address()), Map.of()));
        joined.put(store, relay);
        return store;
    }

    @Override
    protected void leave(Coordination store) {
        ((ZooKeeperCoordination) store).close();
    }

    @Override
    protected void expire(Coordination store) throws Exception {
        ensemble.expire(((ZooKeeperCoordination) store).session());
    }

    @Override
    protected void cutOff(Coordination store) {
        relayOf(store).cut();
    }

    @Override
    protected void reconnect(Coordination store) {
        relayOf(store).restore();
    }

    private Relay relayOf(Coordination store) {
        Relay relay = joined.get(store);
        if (relay == null) {
            throw new IllegalStateException("never joined");
        }
        return relay;
    }

    @Override
    protected <T> T await(Function<Mailbox, Reply<T>> call) throws Exception {
        return home.await(call);
    }

    @Override
    protected void until(BooleanSupplier condition) throws Exception {
        home.until(condition);
    }

    @AfterEach
    void stop() throws IOException {
        for (Coordination store : new ArrayList<>(joined.keySet())) {
            leave(store);
        }
        for (Relay relay : joined.values()) {
            relay.close();
        }
        home.close();
    }
}
