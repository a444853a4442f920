package io.sluice.controller;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// Where who has too much shares no partition with who has too little, others between them do: each gives to the next. Owned by whoever plans with it.
final class Chains {
    private final Evening.Goods goods;
    private final Tally tally;
    private final int brokers;

    /// A partition by which one broker can give to another, by giver and taker.
    private final Map<Integer, Arrangement> links = new HashMap<>();

    Chains(Evening.Goods goods, Tally tally) {
        this.goods = goods;
        this.tally = tally;
        this.brokers = tally.size();
    }

    /// From one place to another.
    interface Way {
        boolean test(int from, int to);
    }

    void add(Arrangement one, Way closed) {
        if (one.isFixed()) {
            return;
        }
        for (int from : goods.givers(one)) {
            for (int to : goods.takers(one)) {
                if (!links.containsKey(link(from, to))
                        && !closed.test(from, to)
                        && goods.allows(one, from, to)) {
                    links.put(link(from, to), one);
                }
            }
        }
    }

    private int link(int from, int to) {
        return from * brokers + to;
    }

    /// Along the shortest chain that there is for the rule. False when there is none.
    boolean shift(Tally.Rule rule) {
        for (int source = 0; source < brokers; source++) {
            int[] giver = new int[brokers];
            Arrays.fill(giver, Arrangement.NOWHERE);
            giver[source] = source;
            int[] reached = new int[brokers];
            reached[0] = source;
            int count = 1;
            for (int i = 0; i < count; i++) {
                for (int to = 0; to < brokers; to++) {
                    if (giver[to] != Arrangement.NOWHERE
                            || !links.containsKey(link(reached[i], to))) {
                        continue;
                    }
                    giver[to] = reached[i];
                    reached[count++] = to;
                    if (rule.applies(tally.of(source), tally.of(to))) {
                        handOn(giver, source, to);
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private void handOn(int[] giver, int source, int last) {
        for (int to = last; to != source; to = giver[to]) {
            Arrangement one = links.get(link(giver[to], to));
            if (one != null) {
                goods.shift(one, giver[to], to);
            }
        }
    }
}
