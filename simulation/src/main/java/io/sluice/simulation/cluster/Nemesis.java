package io.sluice.simulation.cluster;

import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.cluster.client.SimAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/// Does everything to a cluster that it promises to survive, some of it at a time, with quiet hours in between.
///
/// It chooses what happens when; how it is done is with the machines, the network, the store, the disks and the people. What would break the promise is left out: the last good copy is never destroyed ([GoodCopies]). Owned by its run.
final class Nemesis {
    private final Cluster cluster;
    private final SimEntropy entropy;
    private final Means means;
    private final MachineFaults machines;
    private final NetworkFaults network;
    private final StoreFaults store;
    private final DiskFaults disks;
    private final PeopleFaults people;
    private final MembershipFaults membership;
    private final Set<Fault> rotation = EnumSet.noneOf(Fault.class);
    private boolean over;

    Nemesis(Cluster cluster, Facts facts, SimAdmin admin) {
        this.cluster = cluster;
        this.entropy = cluster.world().entropy("nemesis");
        this.means = new Means(cluster, entropy, new SimProcess("nemesis"));
        GoodCopies copies = new GoodCopies(cluster, facts);
        this.machines = new MachineFaults(means, copies);
        this.network = new NetworkFaults(means);
        this.store = new StoreFaults(means);
        this.disks = new DiskFaults(means, facts, copies, machines);
        this.people = new PeopleFaults(means, facts, admin);
        this.membership = new MembershipFaults(means, facts, copies, admin, people);
    }

    void begin() {
        rotate();
        strikeLater();
    }

    /// Another few kinds of faults, or none.
    private void rotate() {
        rotation.clear();
        List<Fault> all = new ArrayList<>(List.of(Fault.values()));
        Collections.shuffle(all, new Random(entropy.nextLong()));
        int kinds = entropy.pick(List.of(0, 1, 2, 3, 4));
        rotation.addAll(all.subList(0, kinds));
        cluster.tell(() -> "the nemesis turns to " + rotation);
        means.after(entropy.between(2_000, 9_000), this::rotate);
    }

    private void strikeLater() {
        means.after(
                entropy.between(100, 2_500),
                () -> {
                    if (!over && !rotation.isEmpty()) {
                        Fault fault = entropy.pick(new ArrayList<>(rotation));
                        if (strike(fault)) {
                            cluster.count("fault " + fault);
                        }
                    }
                    strikeLater();
                });
    }

    private boolean strike(Fault fault) {
        SimBroker broker = entropy.pick(cluster.brokers());
        SimBroker other = entropy.pick(cluster.brokers());
        return switch (fault) {
            case KILL -> machines.kill(broker);
            case KILL_SEVERAL -> machines.killBoth(broker, other);
            case POWER -> machines.power(broker);
            case POWER_WITHIN_WRITE -> machines.powerSoon(broker);
            case POWER_ALL -> machines.powerAll();
            case PAUSE -> machines.pause(broker);
            case WIPE -> machines.wipe(broker);
            case CLEAN_RESTART -> machines.restart(broker);
            case LONG_ABSENCE -> membership.leaveForLong(broker);
            case CUT_ONE_WAY -> network.cut(broker, other, false);
            case CUT_BOTH_WAYS -> network.cut(broker, other, true);
            case ISOLATE -> network.isolate(broker);
            case SLOW -> network.slow(broker, other);
            case RESET -> network.reset(broker, other);
            case STRAGGLERS -> network.straggle(broker);
            case CLIENT_CUT -> network.cutClient(broker);
            case CLIENT_RESET -> network.resetClient(broker);
            case STORE_CUT -> store.cut(broker);
            case STORE_DISCONNECT -> store.disconnect(broker);
            case STORE_EXPIRE -> store.expire(broker);
            case STORE_DOWN -> store.down();
            case STORE_SLOW -> store.slow(broker);
            case STORE_ELECTION -> store.elect();
            case FSYNC_FAILS -> disks.failForces(broker);
            case DISK_FULL -> disks.fill(broker);
            case DISK_SLOW -> disks.slow(broker);
            case BIT_ROT -> disks.rot(broker);
            case FILES_LOST -> disks.lose(broker);
            case CLOCK_JUMP -> machines.jump(broker);
            case PREFERRED_ELECTION -> people.elect();
            case MOVE -> people.move();
            case THROTTLED_MOVE -> people.moveSlowly();
            case DRAIN -> people.drain(broker);
            case JOIN -> membership.join();
            case REMOVE -> membership.remove(broker);
            case ALTER_MIN -> people.alterMinInSync();
            case DELETE_AND_RECREATE -> people.deleteAndRecreate();
            case GROW -> people.grow();
        };
    }

    /// No more faults, and everything that can be mended is.
    void end() {
        over = true;
        means.process().kill();
        mend(cluster);
        people.settle();
    }

    static void mend(Cluster cluster) {
        cluster.network().ways().heal();
        cluster.store().heal();
        for (SimBroker broker : cluster.brokers()) {
            broker.disk().failedForcePerMille(0);
            broker.disk().unlimitedCapacity();
            broker.slowDisk(0);
            broker.resume();
            broker.endReplaced();
            broker.comeBack();
            broker.startIn(Duration.ofSeconds(1));
        }
        cluster.tell(() -> "everything is mended");
    }
}
