package io.sluice.controller;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Evens out what brokers have, first of each topic and then of all, by shifts from one broker to another. Owned by whoever plans with it.
///
/// The second goal never spoils the first: for it, a broker gives only of topics of which it has more than the one that gets it. There is always such a topic, since whoever has more of all has more of one; so brokers end up even by both, but for partitions that
/// racks, full disks or moves under way keep where they are. Every shift makes a sum of squares smaller, so it comes to an end; and a rule is settled by one look at each partition, since by all but the last rule nobody both gives and gets.
final class Evening {
    private final Goods goods;
    private final List<Shares> topics;
    private final Shares all;
    private long looks;

    /// What is shifted: replicas, or the first places among them.
    interface Goods {
        Tally tally(Shares shares);

        /// Places that have some of this partition.
        int[] givers(Arrangement one);

        /// Places that could get it.
        int[] takers(Arrangement one);

        boolean allows(Arrangement one, int from, int to);

        void shift(Arrangement one, int from, int to);

        /// It costs nothing to shift something through the hands of several.
        boolean isFree();
    }

    private record Shift(int from, int to) {}

    Evening(Goods goods, List<Shares> topics, Shares all) {
        this.goods = goods;
        this.topics = topics;
        this.all = all;
    }

    /// Returns how often a partition was looked at.
    long run() {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (Shares topic : topics) {
                changed |= even(topic);
            }
            changed |= even(all);
        }
        return looks;
    }

    private boolean even(Shares some) {
        Tally tally = goods.tally(some);
        boolean changed = false;
        for (Tally.Rule rule : tally.rules()) {
            boolean again = true;
            while (again && tally.calls(rule)) {
                boolean shifted = sweep(some, rule);
                changed |= shifted;
                again = shifted && rule.repeats();
            }
            while (goods.isFree() && rule.repeats() && tally.calls(rule) && chain(some, rule)) {
                changed = true;
            }
        }
        return changed;
    }

    private boolean sweep(Shares some, Tally.Rule rule) {
        boolean shifted = false;
        for (Arrangement one : some.partitions()) {
            looks++;
            Shift shift = best(one, some, rule);
            while (shift != null) {
                goods.shift(one, shift.from(), shift.to());
                shifted = true;
                shift = best(one, some, rule);
            }
        }
        return shifted;
    }

    /// From who has the most to who has the fewest; of equals, by the other goal.
    private @Nullable Shift best(Arrangement one, Shares some, Tally.Rule rule) {
        if (one.isFixed()) {
            return null;
        }
        Tally tally = goods.tally(some);
        Tally other = goods.tally(some == all ? one.topic() : all);
        Shift best = null;
        long most = Long.MIN_VALUE;
        for (int from : goods.givers(one)) {
            for (int to : goods.takers(one)) {
                if (!rule.applies(tally.of(from), tally.of(to)) || spoils(one, some, from, to)) {
                    continue;
                }
                long more =
                        ((long) (tally.of(from) - tally.of(to)) << 32)
                                + (other.of(from) - other.of(to));
                if (more > most && goods.allows(one, from, to)) {
                    best = new Shift(from, to);
                    most = more;
                }
            }
        }
        return best;
    }

    private boolean spoils(Arrangement one, Shares some, int from, int to) {
        Tally own = goods.tally(one.topic());
        return some == all && own.of(from) <= own.of(to);
    }

    private boolean chain(Shares some, Tally.Rule rule) {
        Chains chains = new Chains(goods, goods.tally(some));
        for (Arrangement one : some.partitions()) {
            looks++;
            chains.add(one, (from, to) -> spoils(one, some, from, to));
        }
        return chains.shift(rule);
    }
}
