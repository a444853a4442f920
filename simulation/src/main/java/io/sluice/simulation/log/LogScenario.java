package io.sluice.simulation.log;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.RecordBatch;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.Scenario;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimMailbox;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorkers;
import io.sluice.simulation.SimWorld;
import io.sluice.simulation.Story;
import io.sluice.simulation.disk.PowerCut;
import io.sluice.simulation.disk.SimDisk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Producers, consumers and housekeeping on one log, on a disk that fails, through crashes and restarts.
///
/// A seed first draws its faults and settings, then what happens step by step. At the end the faults stop, and everything must
/// work again. Owned by its run.
public final class LogScenario {
    private static final int STEPS = 150;
    private static final int MOST_STARTS = 50;
    private static final int MOST_EVENTS = 100_000;

    private final SimWorld world;
    private final SimEntropy entropy;
    private final SimDisk disk;
    private final Habits habits;
    private final Story story;
    private final LogFaults faults;
    private final TopicSettings settings;
    private final LogWatch watch;
    private final Decay decay;
    private final List<SimProducer> producers = new ArrayList<>();
    private final SortedMap<String, Integer> counts = new TreeMap<>();
    private SimProcess process = new SimProcess("none");
    private SimWorkers workers;
    private LogShard shard;
    private int leaderEpoch;
    private int clockOffsetMillis;

    @SuppressWarnings("NullAway.Init") // `start` sets workers and shard before anything uses them.
    private LogScenario(long seed, Habits habits, boolean crashesOnly, Story story) {
        this.world = new SimWorld(seed);
        this.entropy = world.entropy("scenario");
        this.disk = new SimDisk(world.entropy("disk"), world.trace());
        this.habits = habits;
        this.story = story;
        LogFaults drawn = LogFaults.draw(world.entropy("faults"));
        this.faults = crashesOnly ? drawn.onHonestDisk() : drawn;
        SimEntropy drawing = world.entropy("settings");
        TopicSettings any = SimSettings.draw(drawing);
        this.settings = crashesOnly ? SimSettings.keepingAll(any) : any;
        this.watch = new LogWatch(settings, world.clock());
        this.decay = new Decay(disk, world.entropy("decay"), watch.model());
        int largestBatch = drawing.pick(List.of(200, 3_000, 20_000));
        for (int id = -1; id < drawing.between(0, 2); id++) {
            producers.add(
                    new SimProducer(
                            id < 0 ? RecordBatch.NO_PRODUCER_ID : 1_000 + id,
                            world.entropy("producer " + id),
                            world.clock(),
                            watch.model(),
                            largestBatch));
        }
        tell(
                faults
                        + " "
                        + settings.segments()
                        + " "
                        + settings.retention()
                        + " "
                        + settings.compaction());
    }

    /// Everything that can happen.
    public static Scenario usual() {
        return with(Habits.GOOD);
    }

    /// Power cuts, kills and full disks, on a log that deletes nothing and a disk that keeps what it was given.
    public static Scenario crashes() {
        return (seed, story) -> new LogScenario(seed, Habits.GOOD, true, story).run();
    }

    /// With a mistake, to see that it is found.
    static Scenario with(Habits habits) {
        return (seed, story) -> new LogScenario(seed, habits, false, story).run();
    }

    private Scenario.Report run() {
        disk.createDirectory(LogShard.PARENT);
        disk.syncDirectory("");
        start();
        for (int step = 0; step < STEPS; step++) {
            try {
                act();
                advance(Duration.ofNanos(entropy.below(2_000_000)));
            } catch (PowerCut _) {
                crash();
            }
        }
        settleDown();
        disk.faults()
                .forEach((fault, count) -> counts.merge("fault " + fault, count, Integer::sum));
        return new Scenario.Report(world.trace().value(), world.executed(), counts);
    }

    private void advance(Duration time) {
        world.runFor(time, this::look);
    }

    private void look() {
        watch.afterEvent(shard.log());
        producers.forEach(producer -> producer.acknowledged(shard.log().durableOffset()));
        if (shard.log().offline() != null && shard.isIdle()) {
            reopen();
        }
    }

    private void act() {
        switch (entropy.below(40)) {
            case 0 -> ifOn(faults.powerCuts(), () -> disk.cutPowerAfter(entropy.below(25)));
            case 1 -> ifOn(faults.powerCuts(), this::crash);
            case 2 -> ifOn(faults.kills(), this::kill);
            case 3 -> ifOn(faults.failedForces(), this::changeForces);
            case 4 -> ifOn(faults.fullDisk(), this::changeCapacity);
            case 5 -> ifOn(faults.bitRot(), this::decay);
            case 6 -> ifOn(faults.unreadable(), this::changeReadability);
            case 7 -> ifOn(faults.clockJumps(), this::jumpClock);
            case 8 -> closeAndOpen();
            case 9 -> shard.checkpoint();
            case 10 -> retain();
            case 11 -> ifOn(entropy.oneIn(3), this::deleteRecords);
            case 12 -> shard.log().roll();
            case 13 -> shard.log().rest(entropy.below(1_000_000));
            case 14 -> sleep();
            case 15 -> ifOn(entropy.oneIn(3), () -> shard.audit());
            case 16 -> shard.lookUp(world.clock().wallMillis() - entropy.below(7_200_000));
            case 17 -> actRarely();
            case 18 -> shard.compact(entropy.pick(List.of(500, 100_000)));
            case 19, 20, 21, 22, 23 -> read();
            case 24, 25, 26, 27 -> shard.flush();
            default -> entropy.pick(producers).send(shard, leaderEpoch);
        }
    }

    private void actRarely() {
        SimProducer producer = entropy.pick(producers);
        switch (entropy.below(4)) {
            case 0 -> producer.restart();
            case 1 -> leaderEpoch++;
            case 2 -> producer.sendCorrupt(shard, leaderEpoch);
            default -> producer.sendTwo(shard, leaderEpoch);
        }
    }

    private static void ifOn(boolean on, Runnable action) {
        if (on) {
            action.run();
        }
    }

    private void changeForces() {
        int perMille = entropy.pick(List.of(0, 0, 20, 200));
        disk.failedForcePerMille(perMille);
        tell("forces fail " + perMille + " per mille");
    }

    private void changeCapacity() {
        if (entropy.chance(60)) {
            long room = entropy.below(20_000);
            disk.capacity(disk.usedBytes() + room);
            tell("the disk has room for " + room);
        } else {
            disk.unlimitedCapacity();
            tell("the disk has room again");
        }
    }

    private void changeReadability() {
        if (entropy.chance(40)) {
            List<String> files = disk.files();
            String path = files.isEmpty() ? "" : entropy.pick(files);
            if (path.endsWith(".log") && disk.durableSize(path) > 0) {
                long from = entropy.below(disk.durableSize(path));
                disk.failReads(path, from, from + 512);
                watch.model().unreadable(true);
                tell("reads fail at " + from + " of " + path);
            }
        } else {
            healReads();
        }
    }

    private void healReads() {
        disk.healReads();
        if (watch.model().isUnreadable()) {
            // What the log has learned about the range stays until it is opened again.
            tell("all can be read again");
            crash();
            watch.model().unreadable(false);
        }
    }

    private void jumpClock() {
        int target = entropy.between(-1_500_000, 1_500_000);
        world.clock().jumpWall(target - clockOffsetMillis);
        clockOffsetMillis = target;
        tell("the clock is off by " + target + " ms");
    }

    private void sleep() {
        long millis = entropy.pick(List.of(10L, 1_000L, 60_000L, 3_600_000L));
        tell("sleep " + millis + " ms");
        advance(Duration.ofMillis(entropy.below(millis)));
        shard.log().rollIfOld();
    }

    private void retain() {
        tell("retention on " + shard.log().segments());
        shard.retain();
    }

    private void deleteRecords() {
        long span = shard.log().durableOffset() - shard.log().startOffset();
        if (span > 0) {
            shard.deleteRecords(shard.log().startOffset() + entropy.below(span) + 1);
        }
    }

    private void read() {
        long span = shard.log().endOffset() - shard.log().startOffset();
        long from = shard.log().startOffset() + entropy.below(span + 1);
        long limit = entropy.chance(50) ? shard.log().durableOffset() : Long.MAX_VALUE;
        shard.read(from, entropy.pick(List.of(1, 300, 5_000, 1 << 20)), limit);
    }

    // Lives and deaths.

    private void crash() {
        tell("the power goes off");
        count("power losses");
        process.kill();
        disk.crash();
        start();
    }

    private void kill() {
        tell("the process dies");
        count("kills");
        process.kill();
        disk.loseProcess();
        start();
    }

    /// The log is offline: it is given up and opened again in the same process.
    private void reopen() {
        tell("the log is opened again after " + shard.log().offline());
        count("reopened offline");
        shard.log().abandon();
        process.kill();
        start();
    }

    private void closeAndOpen() {
        world.runUntilIdle(MOST_EVENTS);
        try {
            shard.close();
            count("clean closes");
            requireNoOpenFiles();
        } catch (DiskException e) {
            tell("closing failed: " + e.getMessage());
        }
        process.kill();
        start();
    }

    private void requireNoOpenFiles() {
        if (disk.openFiles() != 0) {
            throw new InvariantBroken("NoFileIsLeaked", disk.openFiles() + " files are open");
        }
    }

    private void decay() {
        process.kill();
        disk.crash();
        disk.healReads();
        watch.model().unreadable(false);
        tell(decay.strike());
        start();
    }

    /// Opens the log, again and again when the disk fails meanwhile, and looks at all that is in it.
    private void start() {
        for (int attempt = 0; attempt < MOST_STARTS; attempt++) {
            if (attempt > 5) {
                heal();
            }
            try {
                open();
                return;
            } catch (PowerCut _) {
                process.kill();
                disk.crash();
            } catch (DiskException e) {
                tell("opening failed: " + e.getMessage());
                count("starts failed");
                process.kill();
                disk.loseProcess();
            }
        }
        throw new InvariantBroken("AHealthyDiskStarts", "no start in " + MOST_STARTS + " attempts");
    }

    private void open() {
        process = new SimProcess("broker");
        workers = new SimWorkers(world, process, world.entropy("workers"), LogScenario::rethrow);
        workers.slowPercent(faults.slowDisk() ? 10 : 0);
        Disk seen = habits.disk().apply(disk);
        if (faults.lostCheckpoints() && entropy.oneIn(4)) {
            disk.delete(LogShard.CHECKPOINTS);
            disk.syncDirectory(LogShard.PARENT);
        }
        RecoveryPoint known = LogShard.knownPoint(seen);
        watch.model().knownDurable(decay.knownDurable(known));
        shard =
                LogShard.open(
                        new LogShard.Surroundings(
                                seen,
                                habits,
                                world.clock(),
                                new SimMailbox(world, process, "shard", LogScenario::rethrow),
                                workers,
                                watch,
                                this::count),
                        settings,
                        known);
        tell("opened " + shard.log() + ", durable " + shard.log().durableOffset());
        watch.reopened(shard.log());
        producers.forEach(producer -> producer.reconnected(shard.log().endOffset()));
        shard.audit();
    }

    private void heal() {
        disk.failedForcePerMille(0);
        disk.unlimitedCapacity();
        disk.healReads();
        watch.model().unreadable(false);
    }

    /// Without faults everything must work again: appends are accepted and become durable.
    private void settleDown() {
        heal();
        crash();
        for (SimProducer producer : producers) {
            for (int i = 0; i < 12; i++) {
                producer.send(shard, leaderEpoch);
                shard.flush();
                world.runFor(Duration.ofSeconds(10), this::look);
            }
        }
        if (shard.log().durableOffset() != shard.log().endOffset()) {
            throw new InvariantBroken("AHealthyDiskFlushes", shard.log() + " is not durable");
        }
        shard.audit();
        closeAndOpen();
        if (disk.isPowered() && watch.model().acknowledged() != shard.log().endOffset()) {
            throw new InvariantBroken("ACleanCloseKeepsAll", shard.log().toString());
        }
    }

    private static void rethrow(Throwable bug) {
        switch (bug) {
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new IllegalStateException(bug);
        }
    }

    private void count(String what) {
        counts.merge(what, 1, Integer::sum);
        world.trace().add(what);
        if (!what.equals("read found")) {
            tell(what);
        }
    }

    private void tell(String what) {
        story.add(world, () -> what);
    }
}
