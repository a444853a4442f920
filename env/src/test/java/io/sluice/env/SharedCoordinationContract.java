package io.sluice.env;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every [Coordination] must do that several processes share, each with a session of its own.
public abstract class SharedCoordinationContract {
    private static final Outcome COMMITTED = new Outcome.Committed();
    private static final Change REGISTER = new Change.Create("/brokers/1", "a", Life.SESSION);

    private Coordination one;
    private Coordination other;

    /// A new process with a session of its own at the one store, which is empty at the beginning of a test.
    protected abstract Coordination join() throws Exception;

    /// The process says that it stops.
    protected abstract void leave(Coordination store) throws Exception;

    /// The store ends the session; the process finds out afterwards.
    protected abstract void expire(Coordination store) throws Exception;

    /// From now on nothing passes between the process and the store.
    protected abstract void cutOff(Coordination store) throws Exception;

    protected abstract void reconnect(Coordination store) throws Exception;

    /// Makes the call on the home mailbox of the test, and gives what it answers or throws what it fails with.
    protected abstract <T> T await(Function<Mailbox, Reply<T>> call) throws Exception;

    /// Waits for something that a sound store does in a time that need not be waited for to the end.
    protected abstract void until(BooleanSupplier condition) throws Exception;

    @BeforeEach
    void openTwo() throws Exception {
        one = join();
        other = join();
    }

    @Test
    void everyoneLoadsWhatAnyoneHasCommittedBefore() throws Exception {
        commit(one, new Change.Create("/count", "0"));
        for (int i = 0; i < 40; i++) {
            Coordination writer = i % 2 == 0 ? one : other;
            Coordination reader = i % 2 == 0 ? other : one;
            assertThat(commit(writer, new Change.Set("/count", "" + i, i))).isEqualTo(COMMITTED);
            assertThat(texts(reader)).isEqualTo(Map.of("/count", i + "@" + (i + 1)));
        }
    }

    @Test
    void ofTwoWhoWantTheSameOnlyOneGetsIt() throws Exception {
        commit(one, new Change.Create("/epoch", "-1"));
        for (int i = 0; i < 10; i++) {
            List<Change> claim = List.of(new Change.Set("/epoch", "me", i));
            List<Outcome> outcomes =
                    this.<List<Outcome>>await(
                            home ->
                                    Reply.all(
                                            List.of(
                                                    one.commit(home, claim),
                                                    other.commit(home, claim))));
            assertThat(outcomes)
                    .containsExactlyInAnyOrder(COMMITTED, new Outcome.Conflict("/epoch"));
        }
    }

    @Test
    void everyoneIsToldWhatOthersCommit() throws Exception {
        commit(one, new Change.Create("/topics/old", "1"));
        SeenTree seen = watch(other);
        commit(one, new Change.Create("/topics/new", "1"), new Change.Delete("/topics/old", 0));
        until(() -> seen.texts().equals(Map.of("/topics/new", "1@0")));
        assertThat(seen.texts()).isEqualTo(Map.of("/topics/new", "1@0"));
        for (int i = 0; i < 100; i++) {
            commit(one, new Change.Set("/topics/new", "" + i, i));
        }
        until(() -> seen.texts().equals(Map.of("/topics/new", "99@100")));
        assertThat(seen.texts()).isEqualTo(Map.of("/topics/new", "99@100"));
        assertThat(seen.stepsBack()).isEmpty();
        assertThat(seen.turns()).containsExactly("loaded");
    }

    @Test
    void whatWasCreatedForASessionGoesWhenItsProcessLeaves() throws Exception {
        SeenTree seen = watch(other);
        commit(one, REGISTER, new Change.Create("/lasting", "stays"));
        until(() -> seen.texts().size() == 2);
        long before = created(other, "/brokers/1");
        leave(one);
        until(() -> seen.texts().equals(Map.of("/lasting", "stays@0")));
        assertThat(texts(other)).isEqualTo(Map.of("/lasting", "stays@0"));
        one = join();
        assertThat(commit(one, REGISTER)).isEqualTo(COMMITTED);
        assertThat(created(other, "/brokers/1")).isGreaterThan(before);
    }

    @Test
    void whoseSessionTheStoreHasEndedIsToldSoAndBeginsAnew() throws Exception {
        SeenTree seenByOne = watch(one);
        SeenTree seenByOther = watch(other);
        commit(one, REGISTER, new Change.Create("/lasting", "stays"));
        until(() -> seenByOther.texts().size() == 2 && seenByOne.texts().size() == 2);
        long before = created(other, "/brokers/1");
        expire(one);
        until(() -> !seenByOther.texts().containsKey("/brokers/1"));
        assertThat(seenByOther.texts()).isEqualTo(Map.of("/lasting", "stays@0"));
        assertThat(seenByOther.turns()).containsExactly("loaded");
        until(() -> seenByOne.turns().size() >= 4);
        assertThat(seenByOne.turns()).containsExactly("loaded", "suspended", "expired", "loaded");
        assertThat(seenByOne.texts()).isEqualTo(Map.of("/lasting", "stays@0"));
        assertThat(commit(one, REGISTER)).isEqualTo(COMMITTED);
        assertThat(created(other, "/brokers/1")).isGreaterThan(before);
        until(() -> seenByOne.texts().size() == 2 && seenByOther.texts().size() == 2);
        assertThat(seenByOne.stepsBack()).isEmpty();
    }

    @Test
    void whoIsCutOffIsToldAndLearnsAfterwardsWhatHasChanged() throws Exception {
        commit(one, new Change.Create("/a", "1"), new Change.Create("/b", "1"));
        SeenTree seen = watch(one);
        until(() -> seen.texts().size() == 2);
        cutOff(one);
        until(() -> seen.turns().contains("suspended"));
        assertThat(seen.turns()).containsExactly("loaded", "suspended");
        assertThat(commit(one, new Change.Create("/c", "1"))).isInstanceOf(Outcome.Unknown.class);
        assertThat(isLoadable(one)).isFalse();
        commit(other, new Change.Set("/a", "2", 0), new Change.Delete("/b", 0));
        assertThat(seen.texts()).isEqualTo(Map.of("/a", "1@0", "/b", "1@0"));
        reconnect(one);
        until(() -> seen.turns().size() >= 3 && seen.turns().getLast().equals("loaded"));
        assertThat(seen.turns()).startsWith("loaded", "suspended").endsWith("loaded");
        assertThat(seen.turns().size()).isGreaterThan(2);
        assertThat(seen.texts()).containsEntry("/a", "2@1").doesNotContainKey("/b");
        commit(other, new Change.Set("/a", "3", 1));
        until(() -> "3@2".equals(seen.texts().get("/a")));
        assertThat(seen.texts()).containsEntry("/a", "3@2");
        assertThat(texts(one)).isEqualTo(texts(other));
    }

    /// The claim of an office whose holder may not know yet that it has lost it.
    @Test
    void anotherMayTakeAwayWhatBelongsToASession() throws Exception {
        Change.Create office = new Change.Create("/controller", "1", Life.SESSION);
        commit(one, new Change.Create("/epoch", "1"), office);
        List<Change> claim =
                List.of(
                        new Change.Delete("/controller", 0),
                        new Change.Create("/controller", "2", Life.SESSION),
                        new Change.Set("/epoch", "2", 0));
        assertThat(commit(other, claim.toArray(Change[]::new))).isEqualTo(COMMITTED);
        assertThat(commit(one, new Change.Check("/epoch", 0), new Change.Create("/plan", "old")))
                .isEqualTo(new Outcome.Conflict("/epoch"));
        leave(one);
        assertThat(texts(other)).isEqualTo(Map.of("/controller", "2@0", "/epoch", "2@1"));
        one = join();
    }

    private SeenTree watch(Coordination store) throws Exception {
        SeenTree seen = new SeenTree();
        this.<Boolean>await(
                home -> {
                    store.watch(home, seen);
                    return Reply.of(true);
                });
        until(() -> !seen.told().isEmpty());
        return seen;
    }

    private Outcome commit(Coordination store, Change... changes) throws Exception {
        return this.<Outcome>await(home -> store.commit(home, List.of(changes)));
    }

    private boolean isLoadable(Coordination store) throws Exception {
        List<Boolean> results = new ArrayList<>();
        this.<Boolean>await(
                home -> {
                    Reply<Boolean> done = new Reply<>();
                    store.load(home, "")
                            .whenDone(loaded -> done.complete(results.add(!loaded.isFailed())));
                    return done;
                });
        return results.getFirst();
    }

    private Map<String, String> texts(Coordination store) throws Exception {
        Map<String, String> texts = new TreeMap<>();
        load(store, "")
                .forEach((path, node) -> texts.put(path, node.value() + "@" + node.version()));
        return texts;
    }

    private long created(Coordination store, String path) throws Exception {
        Node node = load(store, path).get(path);
        assertThat(node).isNotNull();
        return node.created();
    }

    private SortedMap<String, Node> load(Coordination store, String path) throws Exception {
        return this.<SortedMap<String, Node>>await(home -> store.load(home, path));
    }
}
