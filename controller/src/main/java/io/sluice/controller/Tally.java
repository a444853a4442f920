package io.sluice.controller;

import java.util.List;

/// How many of something each broker has, by its place among the usable ones. Owned by whoever plans with it.
final class Tally {
    private final int[] counts;
    private int sum;

    Tally(int brokers) {
        this.counts = new int[brokers];
    }

    /// Who has to give something, and who to get it. Both differ by two at least: one less of a difference would only change sides.
    ///
    /// @param above who has more than that gives
    /// @param below who has less than that gets
    record Rule(int above, int below) {
        boolean applies(int from, int to) {
            return from > above && to < below && from - to >= 2;
        }

        /// Whoever has got something by it may have to give it on.
        boolean repeats() {
            return below == Integer.MAX_VALUE;
        }
    }

    /// In this order nothing moves twice: who has more than a share gives to those who lack one, then to the others, then those who lack one get it from everybody. The last one is for what is left when not everybody can give to everybody.
    List<Rule> rules() {
        int least = sum / counts.length;
        int most = least + (sum % counts.length == 0 ? 0 : 1);
        return List.of(
                new Rule(most, least),
                new Rule(most, most),
                new Rule(least, least),
                new Rule(Integer.MIN_VALUE, Integer.MAX_VALUE));
    }

    int size() {
        return counts.length;
    }

    int of(int place) {
        return counts[place];
    }

    void add(int place, int by) {
        counts[place] += by;
        sum += by;
    }

    /// There may be somebody to give and somebody to get.
    boolean calls(Rule rule) {
        int most = counts[0];
        int fewest = counts[0];
        for (int count : counts) {
            most = Math.max(most, count);
            fewest = Math.min(fewest, count);
        }
        return rule.applies(most, fewest);
    }
}
