package io.sluice.controller;

/// The first places among replicas, whose holders are to lead, as something to be evened out. Owned by whoever plans with it.
///
/// None goes to a broker whose disk is full, nor from one that leaves.
final class MovableLeaders implements Evening.Goods {
    private final Placement placement;
    private final Shares all;

    MovableLeaders(Placement placement, Shares all) {
        this.placement = placement;
        this.all = all;
    }

    @Override
    public Tally tally(Shares shares) {
        return shares.leaders();
    }

    @Override
    public int[] givers(Arrangement one) {
        return one.first() == Arrangement.NOWHERE ? new int[0] : new int[] {one.first()};
    }

    @Override
    public int[] takers(Arrangement one) {
        return one.places();
    }

    @Override
    public boolean allows(Arrangement one, int from, int to) {
        return placement.hasRoom(to);
    }

    @Override
    public void shift(Arrangement one, int from, int to) {
        one.prefer(to);
        one.topic().leadershipWent(from, to);
        all.leadershipWent(from, to);
    }

    @Override
    public boolean isFree() {
        return true;
    }
}
