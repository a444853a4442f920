package io.sluice.simulation.cluster;

import io.sluice.record.PartitionId;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.cluster.client.SimAdmin;
import io.sluice.simulation.coordination.SimStore;
import io.sluice.simulation.network.Ways;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/// Does everything to a cluster that it promises to survive, some of it at a time, with quiet hours in between.
///
/// What would break the promise is left out: the last good copy is never destroyed. Owned by its run.
final class Nemesis {
    /// Beyond an hour a leader refuses what producers send: their time would be too far in its future.
    private static final int MOST_CLOCK_MILLIS = 3_000_000;

    /// A batch's checksum covers all that comes behind it.
    private static final int CHECKED_FROM = 21;

    private final Cluster cluster;
    private final Facts facts;
    private final SimAdmin admin;
    private final SimEntropy entropy;
    private final SimProcess process = new SimProcess("nemesis");
    private final Set<Fault> rotation = EnumSet.noneOf(Fault.class);
    private final Set<Integer> wiped = new TreeSet<>();
    private boolean over;

    Nemesis(Cluster cluster, Facts facts, SimAdmin admin) {
        this.cluster = cluster;
        this.facts = facts;
        this.admin = admin;
        this.entropy = cluster.world().entropy("nemesis");
    }

    void begin() {
        rotate();
        strikeLater();
    }

    private void after(int millis, Runnable work) {
        cluster.world().schedule(process, "nemesis", millis * 1_000_000L, work);
    }

    /// Another few kinds of faults, or none.
    private void rotate() {
        rotation.clear();
        List<Fault> all = new ArrayList<>(List.of(Fault.values()));
        Collections.shuffle(all, new Random(entropy.nextLong()));
        int kinds = entropy.pick(List.of(0, 1, 2, 3, 4));
        rotation.addAll(all.subList(0, kinds));
        cluster.tell(() -> "the nemesis turns to " + rotation);
        after(entropy.between(2_000, 9_000), this::rotate);
    }

    private void strikeLater() {
        after(
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
            case KILL -> kill(broker);
            case KILL_SEVERAL -> killBoth(broker, other);
            case POWER -> power(broker);
            case POWER_WITHIN_WRITE -> powerSoon(broker);
            case POWER_ALL -> powerAll();
            case PAUSE -> pause(broker);
            case WIPE -> wipe(broker);
            case CLEAN_RESTART -> restart(broker);
            case CUT_ONE_WAY -> cut(broker, other, false);
            case CUT_BOTH_WAYS -> cut(broker, other, true);
            case ISOLATE -> isolate(broker);
            case SLOW -> slow(broker, other);
            case RESET -> reset(broker, other);
            case STRAGGLERS -> straggle(broker);
            case CLIENT_CUT -> cutClient(broker);
            case CLIENT_RESET -> resetClient(broker);
            case STORE_CUT -> cutStore(broker);
            case STORE_DISCONNECT -> disconnect(broker);
            case STORE_EXPIRE -> expire(broker);
            case STORE_DOWN -> storeDown();
            case STORE_SLOW -> slowStore(broker);
            case STORE_ELECTION -> storeElection();
            case FSYNC_FAILS -> failForces(broker);
            case DISK_FULL -> fill(broker);
            case DISK_SLOW -> slowDisk(broker);
            case BIT_ROT -> rot(broker);
            case CLOCK_JUMP -> jump(broker);
            case PREFERRED_ELECTION -> elect();
            case MOVE -> move();
        };
    }

    private boolean killBoth(SimBroker one, SimBroker other) {
        boolean first = kill(one);
        return kill(other) || first;
    }

    private boolean kill(SimBroker broker) {
        if (!broker.isUp()) {
            return false;
        }
        broker.kill();
        broker.startIn(Duration.ofMillis(entropy.pick(List.of(50, 1_000, 5_000, 12_000))));
        return true;
    }

    /// Page-cache topics promise to survive as many losses at a time as leave one member of the in-sync set; the others all.
    private boolean mayLosePower(SimBroker broker) {
        return !cluster.shape().topic().pageCache() || hasGoodCopyElsewhere(broker, true);
    }

    private boolean hasGoodCopyElsewhere(SimBroker broker, boolean power) {
        for (StoredPlan plan : facts.plans().all()) {
            boolean pageCache = facts.isPageCache(plan);
            if (power && !pageCache) {
                continue;
            }
            boolean good = false;
            for (int id : plan.inSync()) {
                good |= id != broker.id() && isGood(cluster.broker(id), pageCache);
            }
            if (!good) {
                return false;
            }
        }
        return true;
    }

    private static boolean isGood(SimBroker broker, boolean pageCache) {
        return !broker.isMissingData(pageCache) && !broker.disk().isRotten();
    }

    private boolean power(SimBroker broker) {
        if (!mayLosePower(broker)) {
            return false;
        }
        broker.losePower();
        broker.startIn(Duration.ofMillis(entropy.between(500, 8_000)));
        return true;
    }

    private boolean powerSoon(SimBroker broker) {
        if (!broker.isUp() || cluster.shape().topic().pageCache()) {
            return false;
        }
        broker.losePowerSoon();
        return true;
    }

    private boolean powerAll() {
        if (cluster.shape().topic().pageCache()) {
            return false;
        }
        for (SimBroker broker : cluster.brokers()) {
            broker.losePower();
            broker.startIn(Duration.ofMillis(entropy.between(300, 6_000)));
        }
        return true;
    }

    private boolean pause(SimBroker broker) {
        if (!broker.isUp() || broker.isPaused()) {
            return false;
        }
        broker.pause();
        after(entropy.pick(List.of(300, 2_000, 6_000, 14_000)), broker::resume);
        return true;
    }

    /// One at a time: the next disk is lost when all that was on the last one has been copied again.
    private boolean wipe(SimBroker broker) {
        if (!hasGoodCopyElsewhere(broker, false) || !areOthersWhole(broker)) {
            return false;
        }
        wiped.add(broker.id());
        broker.wipe();
        broker.startIn(Duration.ofMillis(entropy.between(100, 5_000)));
        return true;
    }

    private boolean restart(SimBroker broker) {
        if (!broker.isUp()) {
            return false;
        }
        broker.restartInOrder(
                Duration.ofSeconds(entropy.between(1, 10)),
                Duration.ofMillis(entropy.between(100, 4_000)));
        return true;
    }

    private boolean areOthersWhole(SimBroker broker) {
        wiped.removeIf(id -> !cluster.broker(id).isMissingData(false) && isInSyncEverywhere(id));
        for (SimBroker other : cluster.brokers()) {
            if (other != broker && other.disk().isRotten()) {
                return false;
            }
        }
        return wiped.isEmpty() || wiped.equals(Set.of(broker.id()));
    }

    private boolean isInSyncEverywhere(int id) {
        for (StoredPlan plan : facts.plans().all()) {
            if (plan.replicas().contains(id) && !plan.inSync().contains(id)) {
                return false;
            }
        }
        return true;
    }

    private Ways ways() {
        return cluster.network().ways();
    }

    private boolean cut(SimBroker one, SimBroker other, boolean both) {
        if (one == other) {
            return false;
        }
        cluster.tell(() -> "cut " + one.machine() + (both ? " <> " : " > ") + other.machine());
        ways().cut(one.machine(), other.machine());
        if (both) {
            ways().cut(other.machine(), one.machine());
        }
        after(
                duration(),
                () -> {
                    ways().open(one.machine(), other.machine());
                    ways().open(other.machine(), one.machine());
                });
        return true;
    }

    /// From the other brokers; from the store too, or not.
    private boolean isolate(SimBroker broker) {
        boolean fromStore = entropy.chance(50);
        cluster.tell(() -> "isolate " + broker.machine() + (fromStore ? " from all" : ""));
        List<String> others = new ArrayList<>();
        cluster.brokers().forEach(other -> others.add(other.machine()));
        others.remove(broker.machine());
        if (fromStore) {
            others.add(SimStore.MACHINE);
        }
        others.forEach(other -> ways().cutBoth(broker.machine(), other));
        after(
                duration(),
                () ->
                        others.forEach(
                                other -> {
                                    ways().open(broker.machine(), other);
                                    ways().open(other, broker.machine());
                                }));
        return true;
    }

    private int duration() {
        return entropy.pick(List.of(400, 2_000, 5_000, 12_000));
    }

    private boolean slow(SimBroker one, SimBroker other) {
        if (one == other) {
            return false;
        }
        ways().slow(one.machine(), other.machine());
        after(duration(), () -> ways().quick(one.machine(), other.machine()));
        return true;
    }

    private boolean reset(SimBroker one, SimBroker other) {
        cluster.network().reset(one.machine(), other.machine());
        return true;
    }

    /// Requests of a broker or of a client arrive after it was told that they failed, and behind what it sent again.
    ///
    /// Not those of a committer: an offset that arrives late takes its group back, as in Kafka, where commits without a generation are not fenced.
    private boolean straggle(SimBroker broker) {
        List<String> senders = new ArrayList<>(cluster.clients());
        senders.removeIf(client -> client.startsWith("committer"));
        senders.add(broker.machine());
        String sender = entropy.pick(senders);
        String receiver = entropy.pick(cluster.brokers()).machine();
        if (sender.equals(receiver)) {
            return false;
        }
        cluster.tell(() -> "what " + sender + " sends to " + receiver + " comes late");
        ways().straggle(sender);
        ways().cut(sender, receiver);
        after(
                entropy.between(50, 1_500),
                () -> {
                    cluster.network().resetAll(sender, receiver);
                    ways().open(sender, receiver);
                    ways().keepUp(sender);
                });
        return true;
    }

    /// One way, so that an answer is lost to a question that was heard, or both.
    private boolean cutClient(SimBroker broker) {
        String client = entropy.pick(cluster.clients());
        boolean answersOnly = entropy.chance(50);
        cluster.tell(() -> "cut " + broker.machine() + (answersOnly ? " > " : " <> ") + client);
        ways().cut(broker.machine(), client);
        if (!answersOnly) {
            ways().cut(client, broker.machine());
        }
        after(
                duration(),
                () -> {
                    ways().open(broker.machine(), client);
                    ways().open(client, broker.machine());
                });
        return true;
    }

    private boolean resetClient(SimBroker broker) {
        cluster.network().reset(entropy.pick(cluster.clients()), broker.machine());
        return true;
    }

    private boolean cutStore(SimBroker broker) {
        cluster.tell(() -> "cut " + broker.machine() + " from the store");
        boolean oneWay = entropy.oneIn(3);
        ways().cut(broker.machine(), SimStore.MACHINE);
        if (!oneWay) {
            ways().cut(SimStore.MACHINE, broker.machine());
        }
        after(
                duration(),
                () -> {
                    ways().open(broker.machine(), SimStore.MACHINE);
                    ways().open(SimStore.MACHINE, broker.machine());
                });
        return true;
    }

    private boolean disconnect(SimBroker broker) {
        cluster.tell(() -> "break the store connection of " + broker.machine());
        cluster.store().disconnect(broker.machine());
        return true;
    }

    private boolean expire(SimBroker broker) {
        cluster.tell(() -> "expire the session of " + broker.machine());
        cluster.store().expire(broker.machine());
        return true;
    }

    private boolean storeDown() {
        if (!cluster.store().isAvailable()) {
            return false;
        }
        cluster.tell(() -> "the store is down");
        cluster.store().down();
        after(duration(), cluster.store()::up);
        return true;
    }

    private boolean slowStore(SimBroker broker) {
        cluster.store().slowNews(broker.machine(), Duration.ofMillis(entropy.between(50, 2_500)));
        after(duration(), () -> cluster.store().slowNews(broker.machine(), Duration.ZERO));
        return true;
    }

    /// Sessions live longer than they should.
    private boolean storeElection() {
        cluster.store().up();
        return true;
    }

    private boolean failForces(SimBroker broker) {
        cluster.tell(() -> "fsyncs fail on " + broker.machine());
        broker.disk().failedForcePerMille(entropy.pick(List.of(20, 300)));
        after(duration(), () -> broker.disk().failedForcePerMille(0));
        return true;
    }

    private boolean fill(SimBroker broker) {
        cluster.tell(() -> "the disk of " + broker.machine() + " is nearly full");
        broker.disk().capacity(broker.disk().usedBytes() + entropy.below(4_000));
        after(duration(), () -> broker.disk().unlimitedCapacity());
        return true;
    }

    private boolean slowDisk(SimBroker broker) {
        broker.slowDisk(entropy.pick(List.of(5, 40)));
        after(duration(), () -> broker.slowDisk(0));
        return true;
    }

    /// In a batch of a closed segment, where its checksum covers it; on one disk at a time, while the others have everything. Nobody is there to notice: what rots in bytes that
    /// this process has checked before is a known weakness.
    private boolean rot(SimBroker broker) {
        TopicShape topic = cluster.shape().topic();
        PartitionId id = new PartitionId(topic.name(), entropy.below(topic.partitions()));
        List<ReplicaLog.Stored> closed =
                new ArrayList<>(facts.logs().of(broker.id(), id).batches());
        if (!closed.isEmpty()) {
            String open = closed.getLast().path();
            closed.removeIf(batch -> batch.path().equals(open));
        }
        if (closed.isEmpty()
                || !hasGoodCopyElsewhere(broker, false)
                || !areOthersWhole(broker)
                || broker.disk().isRotten()) {
            return false;
        }
        ReplicaLog.Stored batch = entropy.pick(closed);
        int at = entropy.between(CHECKED_FROM, batch.size() - 1);
        kill(broker);
        cluster.tell(() -> "a bit rots on " + broker.machine() + " in " + batch);
        broker.disk().rot(batch.path(), batch.position() + at, 1 << entropy.below(8));
        return true;
    }

    private boolean jump(SimBroker broker) {
        broker.clock().set(entropy.between(-MOST_CLOCK_MILLIS, MOST_CLOCK_MILLIS));
        return true;
    }

    private boolean elect() {
        TopicShape topic = cluster.shape().topic();
        admin.electPreferred(topic.name(), entropy.below(topic.partitions()));
        return true;
    }

    private boolean move() {
        TopicShape topic = cluster.shape().topic();
        if (cluster.shape().brokers() == topic.replicas()) {
            return false;
        }
        List<Integer> brokers = new ArrayList<>();
        cluster.brokers().forEach(broker -> brokers.add(broker.id()));
        Collections.shuffle(brokers, new Random(entropy.nextLong()));
        boolean takeBack = entropy.oneIn(4);
        admin.move(
                topic.name(),
                entropy.below(topic.partitions()),
                takeBack ? null : brokers.subList(0, topic.replicas()));
        return true;
    }

    /// No more faults, and everything that can be mended is.
    void end() {
        over = true;
        process.kill();
        mend(cluster);
    }

    static void mend(Cluster cluster) {
        cluster.network().ways().heal();
        cluster.store().heal();
        for (SimBroker broker : cluster.brokers()) {
            broker.disk().failedForcePerMille(0);
            broker.disk().unlimitedCapacity();
            broker.slowDisk(0);
            broker.resume();
            broker.startIn(Duration.ofSeconds(1));
        }
        cluster.tell(() -> "everything is mended");
    }
}
