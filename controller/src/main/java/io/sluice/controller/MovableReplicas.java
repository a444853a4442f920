package io.sluice.controller;

import java.util.List;
import java.util.stream.IntStream;

/// Replicas as something to be evened out, and taken out of racks that have several of a partition. Owned by whoever plans with it.
///
/// None goes where more of its partition's are in the rack than where it comes from, nor to a broker whose disk is full.
final class MovableReplicas implements Evening.Goods {
    private final List<Integer> usable;
    private final int[] roomy;
    private final Racks racks;
    private final Shares all;

    MovableReplicas(Placement placement, Racks racks, Shares all) {
        this.usable = placement.usable();
        this.roomy = IntStream.range(0, usable.size()).filter(placement::hasRoom).toArray();
        this.racks = racks;
        this.all = all;
    }

    /// As long as a replica shares its rack with more of its partition's than it would elsewhere, it goes there. Where a broker that may come back has one, nobody knows its rack: that waits.
    void spreadOverRacks() {
        for (Arrangement one : all.partitions()) {
            while (!one.isFixed() && one.isOnUsableOnly() && leaveCrowd(one)) {}
        }
    }

    private boolean leaveCrowd(Arrangement one) {
        int bestFrom = Arrangement.NOWHERE;
        int bestTo = Arrangement.NOWHERE;
        long most = Long.MIN_VALUE;
        for (int from : givers(one)) {
            for (int to : roomy) {
                int gain = racks.beside(one, from, from) - racks.beside(one, from, to);
                long more = ((long) gain << 48) + evenness(one, from, to);
                if (gain > 0 && !one.has(to) && more > most) {
                    bestFrom = from;
                    bestTo = to;
                    most = more;
                }
            }
        }
        if (bestFrom == Arrangement.NOWHERE) {
            return false;
        }
        shift(one, bestFrom, bestTo);
        return true;
    }

    /// What is evened out by it: of the topic first, then of all.
    private long evenness(Arrangement one, int from, int to) {
        Tally own = one.topic().replicas();
        Tally total = all.replicas();
        return ((long) (own.of(from) - own.of(to)) << 24) + total.of(from) - total.of(to);
    }

    @Override
    public Tally tally(Shares shares) {
        return shares.replicas();
    }

    @Override
    public int[] givers(Arrangement one) {
        return one.places();
    }

    @Override
    public int[] takers(Arrangement one) {
        return roomy;
    }

    @Override
    public boolean allows(Arrangement one, int from, int to) {
        return !one.has(to) && racks.beside(one, from, to) <= racks.beside(one, from, from);
    }

    @Override
    public void shift(Arrangement one, int from, int to) {
        boolean first = one.first() == from;
        one.replace(from, to, usable.get(to));
        one.topic().replicaWent(from, to, first);
        all.replicaWent(from, to, first);
    }

    @Override
    public boolean isFree() {
        return false;
    }
}
