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
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every [Coordination] must do.
public abstract class CoordinationContract {
    private static final Outcome COMMITTED = new Outcome.Committed();

    private Coordination store;

    /// A new, empty store.
    protected abstract Coordination emptyStore() throws Exception;

    /// The same store after an orderly stop and start.
    protected abstract Coordination reopen(Coordination store) throws Exception;

    /// Makes the calls in a row on one home mailbox, and gives their values when all are complete.
    protected abstract <T> List<T> await(List<Function<Mailbox, Reply<T>>> calls) throws Exception;

    /// Waits for news. A sound store needs a tiny part of the time after which this gives up.
    protected void until(BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
            Thread.sleep(5);
        }
    }

    @BeforeEach
    void open() throws Exception {
        store = emptyStore();
    }

    @Test
    void anEmptyStoreHasNothing() throws Exception {
        assertThat(load("")).isEmpty();
        assertThat(load("/topics")).isEmpty();
    }

    @Test
    void whatIsCreatedIsLoadedWithVersionZero() throws Exception {
        assertThat(commit(new Change.Create("/topics/a", "one"))).isEqualTo(COMMITTED);
        assertThat(texts("")).isEqualTo(Map.of("/topics/a", "one@0"));
    }

    @Test
    void everySetCountsTheVersionUp() throws Exception {
        commit(new Change.Create("/a", "0"));
        assertThat(commit(new Change.Set("/a", "1", 0))).isEqualTo(COMMITTED);
        assertThat(commit(new Change.Set("/a", "2", 1))).isEqualTo(COMMITTED);
        assertThat(texts("/a")).isEqualTo(Map.of("/a", "2@2"));
    }

    @Test
    void aDeletedNodeIsGoneAndCanBeCreatedAgain() throws Exception {
        commit(new Change.Create("/a", "old"));
        commit(new Change.Set("/a", "older", 0));
        assertThat(commit(new Change.Delete("/a", 1))).isEqualTo(COMMITTED);
        assertThat(load("")).isEmpty();
        assertThat(commit(new Change.Create("/a", "new"))).isEqualTo(COMMITTED);
        assertThat(texts("")).isEqualTo(Map.of("/a", "new@0"));
    }

    @Test
    void loadingGivesTheNodeAndAllBelowItButNoNeighbours() throws Exception {
        commit(
                new Change.Create("/a", "1"),
                new Change.Create("/a/b", "2"),
                new Change.Create("/a/b/c", "3"),
                new Change.Create("/a-neighbour", "4"),
                new Change.Create("/ab", "5"));
        assertThat(load("/a").keySet()).containsExactly("/a", "/a/b", "/a/b/c");
        assertThat(load("/a/b").keySet()).containsExactly("/a/b", "/a/b/c");
        assertThat(load("").keySet()).hasSize(5);
    }

    @Test
    void creatingWhatExistsIsAConflict() throws Exception {
        commit(new Change.Create("/a", "1"));
        assertThat(commit(new Change.Create("/a", "2"))).isEqualTo(new Outcome.Conflict("/a"));
        assertThat(texts("/a")).isEqualTo(Map.of("/a", "1@0"));
    }

    @Test
    void settingDeletingOrCheckingAnotherVersionIsAConflict() throws Exception {
        commit(new Change.Create("/a", "1"));
        Outcome conflict = new Outcome.Conflict("/a");
        assertThat(commit(new Change.Set("/a", "2", 1))).isEqualTo(conflict);
        assertThat(commit(new Change.Delete("/a", 1))).isEqualTo(conflict);
        assertThat(commit(new Change.Check("/a", 1))).isEqualTo(conflict);
        assertThat(texts("/a")).isEqualTo(Map.of("/a", "1@0"));
    }

    @Test
    void settingDeletingOrCheckingWhatIsAbsentIsAConflict() throws Exception {
        Outcome conflict = new Outcome.Conflict("/a");
        assertThat(commit(new Change.Set("/a", "2", 0))).isEqualTo(conflict);
        assertThat(commit(new Change.Delete("/a", 0))).isEqualTo(conflict);
        assertThat(commit(new Change.Check("/a", 0))).isEqualTo(conflict);
    }

    @Test
    void allChangesAreMadeOrNone() throws Exception {
        commit(new Change.Create("/epoch", "7"));
        assertThat(
                        commit(
                                new Change.Create("/a", "1"),
                                new Change.Set("/epoch", "8", 0),
                                new Change.Check("/epoch", 5)))
                .isEqualTo(new Outcome.Conflict("/epoch"));
        assertThat(texts("")).isEqualTo(Map.of("/epoch", "7@0"));
        assertThat(commit(new Change.Check("/epoch", 0), new Change.Create("/a", "1")))
                .isEqualTo(COMMITTED);
        assertThat(load("").keySet()).containsExactly("/a", "/epoch");
    }

    @Test
    void laterChangesOfACommitSeeTheEarlierOnes() throws Exception {
        assertThat(
                        commit(
                                new Change.Create("/a", "1"),
                                new Change.Set("/a", "2", 0),
                                new Change.Create("/b", "1"),
                                new Change.Delete("/b", 0)))
                .isEqualTo(COMMITTED);
        assertThat(texts("")).isEqualTo(Map.of("/a", "2@1"));
    }

    @Test
    void anEmptyCommitAndAHeldCheckChangeNothing() throws Exception {
        assertThat(commit()).isEqualTo(COMMITTED);
        commit(new Change.Create("/a", "1"));
        assertThat(commit(new Change.Check("/a", 0))).isEqualTo(COMMITTED);
        assertThat(texts("")).isEqualTo(Map.of("/a", "1@0"));
    }

    @Test
    void ofCommitsThatRaceOnlyTheFirstWins() throws Exception {
        commit(new Change.Create("/a", "1"));
        List<Function<Mailbox, Reply<Outcome>>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String value = "by " + i;
            calls.add(home -> store.commit(home, List.of(new Change.Set("/a", value, 0))));
        }
        List<Outcome> outcomes = await(calls);
        assertThat(outcomes.getFirst()).isEqualTo(COMMITTED);
        assertThat(outcomes.subList(1, 20)).containsOnly(new Outcome.Conflict("/a"));
        assertThat(texts("/a")).isEqualTo(Map.of("/a", "by 0@1"));
    }

    @Test
    void aLoadSeesEveryCommitAnsweredBeforeIt() throws Exception {
        List<Function<Mailbox, Reply<Object>>> calls =
                List.of(
                        home ->
                                store.commit(home, List.of(new Change.Create("/a", "1")))
                                        .map(outcome -> outcome),
                        home ->
                                store.commit(home, List.of(new Change.Set("/a", "2", 0)))
                                        .map(outcome -> outcome));
        await(calls);
        assertThat(texts("/a")).isEqualTo(Map.of("/a", "2@1"));
    }

    @Test
    void whatWasLoadedDoesNotChangeLater() throws Exception {
        commit(new Change.Create("/a", "1"));
        SortedMap<String, Node> loaded = load("");
        commit(new Change.Create("/b", "1"));
        assertThat(loaded).hasSize(1);
    }

    @Test
    void committedChangesSurviveARestart() throws Exception {
        for (int i = 0; i < 50; i++) {
            commit(new Change.Create("/node/" + i, "ünïcode 값 " + i));
        }
        commit(new Change.Set("/node/7", "", 0), new Change.Delete("/node/8", 0));
        SortedMap<String, Node> before = load("");
        store = reopen(store);
        assertThat(load("")).isEqualTo(before).hasSize(49);
        assertThat(commit(new Change.Set("/node/7", "again", 1))).isEqualTo(COMMITTED);
        store = reopen(store);
        assertThat(texts("/node/7")).isEqualTo(Map.of("/node/7", "again@2"));
    }

    @Test
    void aNodeIsToldFromAnEarlierOneAtTheSamePath() throws Exception {
        commit(new Change.Create("/a", "1"));
        long first = created("/a");
        commit(new Change.Set("/a", "2", 0));
        assertThat(created("/a")).isEqualTo(first);
        commit(new Change.Delete("/a", 1));
        store = reopen(store);
        commit(new Change.Create("/a", "1"));
        assertThat(created("/a")).isGreaterThan(first);
    }

    @Test
    void whatIsCreatedForTheSessionEndsWithIt() throws Exception {
        Change create = new Change.Create("/brokers/1", "here", Life.SESSION);
        assertThat(commit(new Change.Create("/a", "1"), create)).isEqualTo(COMMITTED);
        assertThat(commit(new Change.Set("/brokers/1", "there", 0))).isEqualTo(COMMITTED);
        assertThat(texts("/brokers")).isEqualTo(Map.of("/brokers/1", "there@1"));
        long before = created("/brokers/1");
        store = reopen(store);
        assertThat(texts("")).isEqualTo(Map.of("/a", "1@0"));
        assertThat(commit(create)).isEqualTo(COMMITTED);
        assertThat(created("/brokers/1")).isGreaterThan(before);
    }

    @Test
    void theWatcherIsToldAllThereIsAndEveryChangeAfter() throws Exception {
        commit(new Change.Create("/a", "1"), new Change.Create("/b", "1"));
        SeenTree seen = new SeenTree();
        this.<Boolean>await(
                List.of(
                        home -> {
                            store.watch(home, seen);
                            return Reply.of(true);
                        }));
        commit(new Change.Set("/a", "2", 0), new Change.Create("/c", "3", Life.SESSION));
        commit(new Change.Delete("/b", 0));
        Map<String, String> expected = Map.of("/a", "2@1", "/c", "3@0");
        until(() -> seen.texts().equals(expected));
        assertThat(seen.texts()).isEqualTo(expected);
        assertThat(seen.turns()).containsExactly("loaded");
    }

    /// Whoever decides on what it was told must not be surprised by its own commit.
    @Test
    void theWatcherHearsOfACommitBeforeTheAnswer() throws Exception {
        SeenTree seen = new SeenTree();
        List<Map<String, String>> atTheAnswer = new ArrayList<>();
        this.<Boolean>await(
                List.of(
                        home -> {
                            store.watch(home, seen);
                            return Reply.of(true);
                        }));
        until(() -> !seen.told().isEmpty());
        for (int i = 0; i < 20; i++) {
            Change change =
                    i == 0
                            ? new Change.Create("/topics/a", "0")
                            : new Change.Set("/topics/a", "" + i, i - 1);
            this.<Boolean>await(
                    List.of(
                            home ->
                                    store.commit(home, List.of(change))
                                            .map(_ -> atTheAnswer.add(seen.texts()))));
            assertThat(atTheAnswer.getLast()).isEqualTo(Map.of("/topics/a", i + "@" + i));
        }
    }

    @Test
    void nodesAndTheirParentsComeAndGoIndependently() throws Exception {
        assertThat(commit(new Change.Create("/a/b", "below"))).isEqualTo(COMMITTED);
        assertThat(commit(new Change.Create("/a", "above", Life.SESSION))).isEqualTo(COMMITTED);
        assertThat(commit(new Change.Create("/a/c", ""))).isEqualTo(COMMITTED);
        assertThat(texts("")).isEqualTo(Map.of("/a", "above@0", "/a/b", "below@0", "/a/c", "@0"));
        assertThat(commit(new Change.Delete("/a", 0))).isEqualTo(COMMITTED);
        assertThat(texts("/a")).isEqualTo(Map.of("/a/b", "below@0", "/a/c", "@0"));
        assertThat(commit(new Change.Set("/a", "not there", 0)))
                .isEqualTo(new Outcome.Conflict("/a"));
    }

    private Outcome commit(Change... changes) throws Exception {
        return this.<Outcome>await(List.of(home -> store.commit(home, List.of(changes))))
                .getFirst();
    }

    private Map<String, String> texts(String path) throws Exception {
        Map<String, String> texts = new TreeMap<>();
        load(path).forEach((at, node) -> texts.put(at, node.value() + "@" + node.version()));
        return texts;
    }

    private long created(String path) throws Exception {
        Node node = load(path).get(path);
        assertThat(node).isNotNull();
        return node.created();
    }

    private SortedMap<String, Node> load(String path) throws Exception {
        return this.<SortedMap<String, Node>>await(List.of(home -> store.load(home, path)))
                .getFirst();
    }
}
