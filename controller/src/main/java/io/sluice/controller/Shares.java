package io.sluice.controller;

import java.util.ArrayList;
import java.util.List;

/// What each broker has of some partitions, those of one topic or all: replicas, and the first places, whose holders are to lead. Owned by whoever plans with it.
final class Shares {
    private final List<Arrangement> partitions = new ArrayList<>();
    private final Tally replicas;
    private final Tally leaders;

    Shares(int brokers) {
        this.replicas = new Tally(brokers);
        this.leaders = new Tally(brokers);
    }

    void add(Arrangement one) {
        partitions.add(one);
        for (int i = 0; i < one.size(); i++) {
            if (one.place(i) != Arrangement.NOWHERE) {
                replicas.add(one.place(i), 1);
            }
        }
        if (one.first() != Arrangement.NOWHERE) {
            leaders.add(one.first(), 1);
        }
    }

    List<Arrangement> partitions() {
        return partitions;
    }

    Tally replicas() {
        return replicas;
    }

    Tally leaders() {
        return leaders;
    }

    /// A replica has another broker, and so has the first place if it was that one's.
    void replicaWent(int from, int to, boolean first) {
        replicas.add(from, -1);
        replicas.add(to, 1);
        if (first) {
            leadershipWent(from, to);
        }
    }

    void leadershipWent(int from, int to) {
        leaders.add(from, -1);
        leaders.add(to, 1);
    }
}
