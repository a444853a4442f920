package io.sluice.simulation.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.SeenTree;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimMailbox;
import io.sluice.simulation.SimProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Processes that count by compare-and-set while everything goes wrong that can: what the store promises holds, and each fault is seen.
class StoreFaultsTest {
    private static final int SEEDS = 200;

    @Test
    void whateverGoesWrongTheStoreKeepsItsPromises() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            long first = new Run(seed).run(counts);
            assertThat(new Run(seed).run(new TreeMap<>())).as("seed " + seed).isEqualTo(first);
        }
        assertThat(counts)
                .containsKeys(
                        "committed",
                        "conflict",
                        "unknown and made",
                        "unknown and not made",
                        "suspended",
                        "expired",
                        "over before it was noticed");
    }

    /// One world with three processes.
    private static final class Run {
        private final SimHome home;
        private final SimEntropy entropy;
        private final List<Counter> counters = new ArrayList<>();
        private final List<String> made = new ArrayList<>();
        private long seen;

        Run(long seed) {
            home = new SimHome(seed);
            entropy = home.world.entropy("test");
            home.store.faults(new StoreFaults(entropy.pick(List.of(0, 5, 30)), entropy.below(10)));
            home.store.onCommit(this::made);
        }

        private void made(SimStore.Made commit) {
            for (Change change : commit.changes()) {
                if (change instanceof Change.Set set && set.path().equals("/count")) {
                    made.add(set.value());
                }
            }
            Node count = commit.after().get("/count");
            if (count != null) {
                assertThat((long) count.version()).isBetween(seen, seen + 1);
                seen = count.version();
            }
        }

        long run(Map<String, Integer> counts) {
            for (int i = 0; i < 3; i++) {
                counters.add(new Counter(home, i, counts));
            }
            for (int step = 0; step < 60; step++) {
                act(counts);
                home.world.runFor(Duration.ofMillis(entropy.below(700)));
            }
            settleDown();
            for (Counter counter : counters) {
                counter.judge(made, counts);
            }
            return home.world.trace().value();
        }

        private void act(Map<String, Integer> counts) {
            Counter counter = entropy.pick(counters);
            switch (entropy.below(12)) {
                case 0 -> home.store.cutOff(counter.store);
                case 1, 2 -> home.store.reconnect(counter.store);
                case 3 -> {
                    if (counter.thinksItIsRegistered()) {
                        home.store.expire(counter.store);
                        if (counter.thinksItIsRegistered()) {
                            counts.merge("over before it was noticed", 1, Integer::sum);
                        }
                    }
                }
                case 4 -> home.store.reset(counter.store);
                case 5 -> home.store.goAway();
                case 6, 7 -> home.store.comeBack();
                default -> counter.count();
            }
        }

        private void settleDown() {
            home.store.faults(StoreFaults.NONE);
            home.store.comeBack();
            counters.forEach(counter -> home.store.reconnect(counter.store));
            home.world.runFor(Duration.ofSeconds(30));
            SortedMap<String, Node> truth = home.store.tree();
            assertThat(truth.keySet()).contains("/brokers/0", "/brokers/1", "/brokers/2");
            Map<String, String> texts = new TreeMap<>();
            truth.forEach((path, node) -> texts.put(path, node.value() + "@" + node.version()));
            for (Counter counter : counters) {
                assertThat(counter.tree.texts()).isEqualTo(texts);
                assertThat(counter.tree.stepsBack()).isEmpty();
            }
        }
    }

    /// A process that is registered for its session, and counts.
    private static final class Counter implements Coordination.Watcher {
        private final SimMailbox mailbox;
        private final SimCoordination store;
        private final int id;
        private final SeenTree tree = new SeenTree();
        private final Map<String, Integer> counts;
        private final List<String> committed = new ArrayList<>();
        private final List<String> unknown = new ArrayList<>();
        private final List<String> refused = new ArrayList<>();
        private int tries;

        Counter(SimHome home, int id, Map<String, Integer> counts) {
            this.id = id;
            this.counts = counts;
            SimProcess process = new SimProcess("counter " + id);
            this.mailbox =
                    new SimMailbox(
                            home.world,
                            process,
                            "home",
                            bug -> {
                                throw new IllegalStateException(bug);
                            });
            this.store = home.store.join(process);
            store.watch(mailbox, this);
        }

        boolean thinksItIsRegistered() {
            return tree.find("/brokers/" + id) != null;
        }

        void count() {
            Node count = tree.find("/count");
            String text = id + "#" + tries++;
            if (count == null) {
                store.commit(mailbox, List.of(new Change.Create("/count", text)));
            } else {
                store.commit(mailbox, List.of(new Change.Set("/count", text, count.version())))
                        .then(outcome -> answered(text, outcome), _ -> {});
            }
        }

        private void answered(String text, Outcome outcome) {
            switch (outcome) {
                case Outcome.Committed _ -> committed.add(text);
                case Outcome.Conflict _ -> refused.add(text);
                case Outcome.Unknown _ -> unknown.add(text);
            }
        }

        void judge(List<String> made, Map<String, Integer> total) {
            assertThat(made).containsAll(committed).noneMatch(refused::contains);
            total.merge("committed", committed.size(), Integer::sum);
            total.merge("conflict", refused.size(), Integer::sum);
            for (String text : unknown) {
                total.merge(
                        made.contains(text) ? "unknown and made" : "unknown and not made",
                        1,
                        Integer::sum);
            }
        }

        private void register() {
            String path = "/brokers/" + id;
            if (tree.find(path) == null) {
                store.commit(mailbox, List.of(new Change.Create(path, "here", Life.SESSION)));
            }
        }

        @Override
        public void loaded(SortedMap<String, Node> all) {
            tree.loaded(all);
            register();
        }

        @Override
        public void changed(String path, @Nullable Node node) {
            tree.changed(path, node);
            register();
        }

        @Override
        public void suspended() {
            tree.suspended();
            counts.merge("suspended", 1, Integer::sum);
        }

        @Override
        public void expired() {
            tree.expired();
            counts.merge("expired", 1, Integer::sum);
        }
    }
}
