package io.sluice.simulation.cluster;

import io.sluice.node.Node;
import io.sluice.record.PartitionId;
import io.sluice.simulation.MachineClock;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.disk.SimDisk;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A machine with a disk, and the broker on it: one life after the other.
///
/// ```
///             start                     kill, power loss, clean stop
///   down ──────────────▶ life n ──────────────────────────────────────▶ down ──▶ …  somebody starts it again, if nobody has forbidden it
/// ```
/// Owned by its run.
public final class SimBroker {
    private static final Duration RESTART_AFTER_FAILURE = Duration.ofSeconds(1);

    private final Cluster cluster;
    private final ClusterHabits habits;
    private final int id;
    private final String machine;
    private final SimEntropy entropy;
    private final SimProcess operator;
    private final MachineClock clock;
    private SimDisk disk;
    private UUID directory;
    private @Nullable String clusterId;
    private @Nullable BrokerLife life;

    /// An earlier process with a disk of its own, which does not know that it was replaced.
    private @Nullable BrokerLife replaced;

    private long lastEpoch = -1;
    private final Losses losses = new Losses();
    private long lastWipeNanos = Long.MIN_VALUE;
    private boolean filesLost;

    /// Nobody starts it before it comes back.
    private boolean away;

    /// It is no part of the cluster any more.
    private boolean removed;

    private int boots;
    private int lives;
    private int disks;

    SimBroker(Cluster cluster, ClusterHabits habits, int id) {
        this.cluster = cluster;
        this.habits = habits;
        this.id = id;
        this.machine = ClusterShape.machine(id);
        this.entropy = cluster.world().entropy(machine);
        this.operator = new SimProcess("operator of " + machine);
        this.clock =
                new MachineClock(
                        cluster.world().clock(),
                        entropy.between(-500, 500),
                        entropy.between(-200, 200));
        this.disk = newDisk();
        this.directory = entropy.nextUuid();
    }

    private SimDisk newDisk() {
        disks++;
        return new SimDisk(
                cluster.world().entropy(machine + " disk " + disks), cluster.world().trace());
    }

    public int id() {
        return id;
    }

    public String machine() {
        return machine;
    }

    /// Every machine is in a place of its own.
    public String rack() {
        return "rack-" + id;
    }

    public SimDisk disk() {
        return disk;
    }

    public MachineClock clock() {
        return clock;
    }

    ClusterHabits habits() {
        return habits;
    }

    /// The run of its machine, which outlives its processes and ends with the power.
    UUID boot() {
        return new UUID(id, boots);
    }

    UUID directory() {
        return directory;
    }

    @Nullable String clusterId() {
        return clusterId;
    }

    void joined(String cluster, long epoch) {
        clusterId = cluster;
        lastEpoch = epoch;
    }

    long lastEpoch() {
        return lastEpoch;
    }

    /// How many lives it has had.
    public int lives() {
        return lives;
    }

    public boolean isUp() {
        return life != null;
    }

    public boolean isPaused() {
        return life != null && life.process().isPaused();
    }

    /// What runs on it, once it has begun.
    public @Nullable Node node() {
        return life == null ? null : life.findNode();
    }

    public @Nullable SimProcess process() {
        return life == null ? null : life.process();
    }

    boolean isOf(@Nullable SimProcess process) {
        return life != null && life.process() == process;
    }

    /// What was committed may be missing on its disk, and the controller does not know it yet.
    ///
    /// @param pageCache whether what was never forced counts as committed
    public boolean isMissingData(boolean pageCache) {
        return losses.mayLack(pageCache);
    }

    /// As [#isMissingData(boolean)], of one partition.
    boolean isMissingData(PartitionId partition, boolean pageCache) {
        return losses.mayLack(partition, pageCache);
    }

    /// What a plan says of this broker.
    void counted(PartitionId partition, boolean counts) {
        losses.counted(partition, counts);
    }

    /// Its topic is not in the plan any more.
    void deleted(PartitionId partition) {
        losses.deleted(partition);
    }

    /// Between the files of a replica some may be gone that were there.
    public boolean mayHaveHole(PartitionId partition) {
        return losses.mayHaveHole(partition);
    }

    /// Its log is in one piece again.
    public void hasNoHole(PartitionId partition) {
        losses.filled(partition);
    }

    /// A new registration of this broker, which tells the truth about its disk.
    void registers(UUID incarnation) {
        losses.registers(incarnation);
    }

    /// The controller has admitted the registration with this text.
    void admitted(String registration) {
        losses.admitted(registration);
    }

    public boolean wasWipedSince(long nanos) {
        return lastWipeNanos >= nanos;
    }

    // Lives.

    void start() {
        if (life != null || away) {
            return;
        }
        lives++;
        cluster.network().ways().on(machine);
        cluster.tell(() -> machine + " starts, life " + lives);
        cluster.count("starts");
        life = new BrokerLife(cluster, this, lives);
        life.begin();
    }

    boolean isAway() {
        return away;
    }

    boolean isRemoved() {
        return removed;
    }

    /// From now on nobody starts it, once it is down.
    void stayAway() {
        cluster.tell(() -> machine + " stays away");
        away = true;
    }

    /// From now on it can be started, unless it is gone for good.
    void comeBack() {
        away = removed;
    }

    /// For good, unless another machine, or this one, gets its id.
    void remove() {
        removed = true;
    }

    void getsItsIdBack() {
        removed = false;
        comeBack();
    }

    void startIn(Duration delay) {
        cluster.world().schedule(operator, "start", delay.toNanos(), this::start);
    }

    /// It has given up by itself.
    void failed(BrokerLife which, String why) {
        if (replaced == which) {
            cluster.tell(() -> which.process().name() + " gives up: " + why);
            cluster.count("replaced processes that gave up");
            endReplaced();
        }
        if (life != which) {
            return;
        }
        cluster.tell(() -> machine + " cannot start: " + why);
        cluster.count("starts failed");
        end();
        disk.loseProcess();
        startIn(RESTART_AFTER_FAILURE);
    }

    /// `kill -9`: what was written stays in the page cache.
    void kill() {
        if (life != null) {
            cluster.tell(() -> machine + " is killed");
            end();
            disk.loseProcess();
        }
    }

    private void end() {
        BrokerLife ended = life;
        life = null;
        if (ended != null) {
            ended.process().kill();
            cluster.network().killed(ended.process());
        }
    }

    /// What was not forced may be gone, and nobody is told anything.
    void losePower() {
        cluster.tell(() -> machine + " loses power");
        BrokerLife ended = life;
        life = null;
        cluster.network().ways().off(machine);
        if (ended != null) {
            ended.process().kill();
        }
        disk.crash();
        boots++;
        losses.power();
    }

    /// The power goes off within one of its next operations on the disk.
    void losePowerSoon() {
        disk.cutPowerAfter(entropy.below(20));
    }

    /// After every event of its process.
    void look() {
        if (!disk.isPowered()) {
            losePower();
            startIn(Duration.ofMillis(entropy.between(500, 8_000)));
        }
    }

    /// Comes back with an empty disk in the place of the old one.
    void wipe() {
        kill();
        cluster.tell(() -> machine + " gets an empty disk");
        disk = newDisk();
        directory = entropy.nextUuid();
        clusterId = null;
        filesLost = false;
        lastWipeNanos = cluster.world().clock().monotonicNanos();
        losses.wipe();
    }

    /// Somebody deletes a replica's files while its broker is down, or the disk has lost them.
    ///
    /// @param file one of them; empty for all
    void loseFiles(PartitionId partition, String file) {
        kill();
        String path = file.isEmpty() ? partition.toString() : partition + "/" + file;
        cluster.tell(() -> machine + " has lost " + path);
        disk.lose(path);
        lastWipeNanos = cluster.world().clock().monotonicNanos();
        losses.files(partition);
        filesLost = true;
    }

    /// Its disk has lost something that was durable.
    boolean hasLostFiles() {
        return filesLost || disk.isRotten();
    }

    /// Its machine is frozen, and another one with an empty disk gets its id, for whoever starts it.
    void freezeAndReplace() {
        BrokerLife frozen = life;
        if (frozen != null) {
            cluster.tell(() -> frozen.process().name() + " is frozen for long");
            frozen.process().pause();
            endReplaced();
            replaced = frozen;
            life = null;
            wipe();
        }
    }

    /// The process that was replaced goes on, and has all that it had.
    void resumeReplaced() {
        BrokerLife frozen = replaced;
        if (frozen != null) {
            cluster.tell(() -> frozen.process().name() + " goes on, and was replaced");
            cluster.world().resume(frozen.process());
        }
    }

    /// Somebody sees to it that the process that was replaced is gone.
    void endReplaced() {
        BrokerLife ended = replaced;
        replaced = null;
        if (ended != null) {
            ended.process().kill();
            cluster.network().killed(ended.process());
        }
    }

    boolean hasReplaced() {
        return replaced != null;
    }

    /// How many of a hundred pieces of work on its disk take up to seconds, in this life.
    void slowDisk(int percent) {
        if (life != null) {
            life.workers().slowPercent(percent);
        }
    }

    void pause() {
        if (life != null) {
            cluster.tell(() -> machine + " is paused");
            life.process().pause();
        }
    }

    void resume() {
        if (life != null && life.process().isPaused()) {
            cluster.tell(() -> machine + " goes on");
            cluster.world().resume(life.process());
        }
    }

    /// Stops in order and is started again some time later.
    void restartInOrder(Duration limit, Duration pause) {
        stopInOrder(limit, () -> startIn(pause));
    }

    void stopInOrder(Duration limit, Runnable stopped) {
        if (life != null && !life.process().isPaused()) {
            cluster.tell(() -> machine + " is told to stop");
            life.stop(
                    limit,
                    () -> {
                        cluster.tell(() -> machine + " has stopped");
                        cluster.count("clean stops");
                        end();
                        disk.loseProcess();
                        stopped.run();
                    });
        }
    }
}
